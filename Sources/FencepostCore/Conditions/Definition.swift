package import FencepostKernel

/// The validated definition of a condition: the geometry or beacon identity, the policy, the tag, and the assumed
/// state, which the first record shows.
package struct Definition: Sendable {
  /// The geometry or beacon identity of a condition.
  package enum Subject: Sendable {
    case circle(CircularGeographicCondition)
    case beacon(BeaconIdentityCondition)
    case polygon(GeodesicShape)
    case corridor(GeodesicShape)
    case line(GeodesicShape)
    case rule(RuleDefinition)
  }
  var subject: Subject
  var policy: TransitionPolicy
  var tag: UInt64
  var assumed: Event.State
  var timing: ConditionTiming
  var band: AltitudeBand

  init(
    subject: Subject, policy: TransitionPolicy, tag: UInt64, assumed: Event.State = .unknown,
    timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) {
    self.subject = subject
    self.policy = policy
    self.tag = tag
    self.assumed = assumed
    self.timing = timing
    self.band = band
  }

  /// Whether each device of a fleet may have something to note of the condition before an input concerns it: the first
  /// determination always causes an event, because the assumed state is not `unsatisfied`, the absence of a shape may
  /// cause one, or the schedule of a rule starts. A line has no determinations.
  var isAnnounced: Bool {
    (assumed != .unsatisfied || timing.absentAfterMicroseconds != 0 || (subject.kind.isRule && !timing.isNone))
      && !subject.kind.isLine
  }

  /// The definition without its timing and its band.
  var untimed: Definition { Definition(subject: subject, policy: policy, tag: tag, assumed: assumed) }

  /// Whether ensuring one definition would keep the other. The assumed state and the schedule are not compared.
  func isNearlyEqual(to other: Definition) -> Bool {
    (band.isNone && other.band.isNone ? policy.isEqualInPlane(to: other.policy) : policy == other.policy)
      && tag == other.tag && timing.isNearlyEqual(to: other.timing) && band.isNearlyEqual(to: other.band)
      && subject.isNearlyEqual(to: other.subject)
  }
}

extension Definition.Subject {
  /// - Parameter shape: A polygon, a corridor or a line.
  package init(_ shape: GeodesicShape) {
    switch shape.definition.kind {
    case .polygon: self = .polygon(shape)
    case .corridor: self = .corridor(shape)
    case .line: self = .line(shape)
    }
  }

  package var kind: ConditionKind {
    switch self {
    case .circle: .circularGeographic
    case .beacon: .beaconIdentity
    case .polygon: .polygonalGeographic
    case .corridor: .corridorGeographic
    case .line: .lineGeographic
    case .rule: .rule
    }
  }

  func isNearlyEqual(to other: Definition.Subject) -> Bool {
    switch self {
    case .circle(let circle):
      guard case .circle(let other) = other else { return false }
      return circle.isNearlyEqual(to: other)
    case .beacon(let beacon):
      guard case .beacon(let other) = other else { return false }
      return beacon == other
    case .polygon(let shape):
      guard case .polygon(let other) = other else { return false }
      return shape === other || shape.definition.isNearlyEqual(to: other.definition)
    case .corridor(let shape):
      guard case .corridor(let other) = other else { return false }
      return shape === other || shape.definition.isNearlyEqual(to: other.definition)
    case .line(let shape):
      guard case .line(let other) = other else { return false }
      return shape === other || shape.definition.isNearlyEqual(to: other.definition)
    case .rule(let rule):
      guard case .rule(let other) = other else { return false }
      return rule.isNearlyEqual(to: other)
    }
  }

  /// Whether the subject equals a caller's condition exactly, so that the condition need not be validated.
  func isExactly(_ given: GivenCondition) -> Bool {
    switch self {
    case .circle(let circle):
      guard case .circle(let other) = given else { return false }
      return circle == other
    case .beacon(let beacon):
      guard case .beacon(let other) = given else { return false }
      return beacon == other
    case .polygon(let shape), .corridor(let shape), .line(let shape):
      guard case .shape(let other) = given else { return false }
      return shape.definition.isReduction(of: other)
    case .rule: return false
    }
  }

  /// Writes everything except the kind.
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .circle(let circle): circle.encode(to: &writer)
    case .beacon(let beacon): BeaconIdentityCondition?.some(beacon).encode(to: &writer)
    case .polygon(let shape), .corridor(let shape), .line(let shape): shape.encode(to: &writer)
    case .rule(let rule): rule.encode(to: &writer)
    }
  }

  /// Reads a subject of a kind. The data may be damaged.
  init(_ kind: ConditionKind, reading reader: inout ByteReader) throws(Damage) {
    switch kind {
    case .circularGeographic:
      self = .circle(try CircularGeographicCondition(reading: &reader))
    case .beaconIdentity:
      guard let beacon = try BeaconIdentityCondition?(reading: &reader) else {
        throw Damage.noUUID
      }
      self = .beacon(beacon)
    case .polygonalGeographic:
      self = .polygon(try GeodesicShape.read(kind, &reader))
    case .corridorGeographic:
      self = .corridor(try GeodesicShape.read(kind, &reader))
    case .lineGeographic:
      self = .line(try GeodesicShape.read(kind, &reader))
    case .rule:
      self = .rule(try RuleDefinition(reading: &reader))
    }
  }
}

extension Definition.Subject {
  /// Returns the signed distance of a position to the boundary, in metres: negative inside, and 0 on the boundary;
  /// `nil` for a beacon.
  package func boundaryDistance(of coordinate: Coordinate) -> Double? {
    switch self {
    case .beacon, .rule: nil
    case .circle(let circle): Shape.circle(Circle(circle)).measure(coordinate).boundaryDistance
    case .polygon(let shape), .corridor(let shape), .line(let shape):
      shape.boundaryDistance(of: SurfacePoint(coordinate))
    }
  }
}

extension Definition {
  /// Throws if an identifier, an assumed state or a policy is not valid for any engine.
  package static func check(
    _ identifier: UnsafeBufferPointer<UInt8>, _ assumed: Event.State, _ policy: TransitionPolicy
  ) throws(MonitorError) {
    if let defect = Self.defect(ofIdentifier: identifier) ?? Self.defect(ofAssumption: assumed) ?? policy.defect {
      throw .invalidArgument(defect)
    }
  }

  /// Returns the reason why bytes are not a valid identifier; `nil` if they are valid.
  static func defect(ofIdentifier bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard !bytes.isEmpty, bytes.count <= IdentifierTable.longest else {
      let size = bytes.isEmpty ? "is empty" : "has \(bytes.count) bytes"
      return "the identifier \(size); must have 1 to \(IdentifierTable.longest) bytes of UTF-8"
    }
    var isASCII = true
    for byte in bytes {
      if byte == 0 { return "the identifier holds a zero byte" }
      if byte >= 0x80 { isASCII = false }
    }
    return isASCII || String(validating: bytes, as: UTF8.self) != nil ? nil : notUTF8
  }

  package static var notUTF8: String { "the identifier is not valid UTF-8" }

  static func defect(ofAssumption state: Event.State) -> String? {
    state == .unmonitored ? "the assumed state is unmonitored; must be unknown, satisfied or unsatisfied" : nil
  }
}

/// A condition from a caller, before validation.
package enum GivenCondition: Sendable {
  case circle(CircularGeographicCondition)
  case beacon(BeaconIdentityCondition)
  /// A polygon, a corridor or a line.
  case shape(ShapeDefinition)
  case rule(RuleDefinition)

  /// Validates the condition. This is slow for a polygon or corridor, because edges may cross, and the depth must be
  /// computed.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``
  package func subject() throws(MonitorError) -> Definition.Subject {
    switch self {
    case .circle(let circle):
      if let defect = circle.defect { throw .invalidArgument(defect) }
      return .circle(circle)
    case .beacon(let beacon):
      return .beacon(beacon)
    case .shape(let definition):
      return Definition.Subject(try GeodesicShape.validated(definition))
    case .rule(let rule):
      if let defect = rule.defect { throw .invalidArgument(defect) }
      return .rule(rule)
    }
  }

  /// Validates the condition, unless the existing condition with the identifier has exactly this subject.
  ///
  /// - Parameter known: Returns the subject of the condition with the same identifier. It is called only if validation
  ///   is slow.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``
  package func subject(known: () -> Definition.Subject?) throws(MonitorError) -> Definition.Subject {
    if case .shape = self, let known = known(), known.isExactly(self) { return known }
    return try subject()
  }
}
