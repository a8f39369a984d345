/// What a caller adds: the geometry or identity, with the policy, the tag and the state that the first record shows.
package struct Definition: Sendable {
  /// What is watched.
  package enum Subject: Sendable {
    case circle(CircularGeographicCondition)
    case beacon(BeaconIdentityCondition)
  }
  var subject: Subject
  var policy: TransitionPolicy
  var tag: UInt64
  var assumed: Event.State

  init(subject: Subject, policy: TransitionPolicy, tag: UInt64, assumed: Event.State = .unknown) {
    self.subject = subject
    self.policy = policy
    self.tag = tag
    self.assumed = assumed
  }

  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the condition is of a kind of the caller's own.
  init(
    _ condition: any Condition, policy: TransitionPolicy, tag: UInt64, assumed: Event.State
  ) throws(MonitorError) {
    guard let subject = Subject(condition) else {
      throw .invalidArgument(
        "the condition is of another kind; accepted are CircularGeographicCondition and BeaconIdentityCondition")
    }
    self.init(subject: subject, policy: policy, tag: tag, assumed: assumed)
  }

  /// Whether the two are the same to a caller who wants to ensure one of them; what was assumed plays no part.
  func isNearlyEqual(to other: Definition) -> Bool {
    policy == other.policy && tag == other.tag && subject.isNearlyEqual(to: other.subject)
  }
}

extension Definition.Subject {
  /// `nil` for a condition of a kind of the caller's own.
  init?(_ condition: any Condition) {
    for kind in ConditionKind.allCases {
      guard let subject = kind.subject(of: condition) else { continue }
      self = subject
      return
    }
    return nil
  }

  var condition: any Condition {
    switch self {
    case .circle(let circle): circle
    case .beacon(let beacon): beacon
    }
  }

  var kind: ConditionKind {
    switch self {
    case .circle: .circularGeographic
    case .beacon: .beaconIdentity
    }
  }

  var defect: String? {
    switch self {
    case .circle(let circle): circle.defect
    case .beacon: nil
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
    }
  }

  /// Writes what the kind does not say.
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .circle(let circle): circle.encode(to: &writer)
    case .beacon(let beacon): BeaconIdentityCondition?.some(beacon).encode(to: &writer)
    }
  }

  /// Reads what a subject of a kind wrote, which may be damaged.
  init(_ kind: ConditionKind, reading reader: inout ByteReader) throws(Damage) {
    switch kind {
    case .circularGeographic:
      self = .circle(try CircularGeographicCondition(reading: &reader))
    case .beaconIdentity:
      guard let beacon = try BeaconIdentityCondition?(reading: &reader) else {
        throw Damage("a beacon condition has no UUID")
      }
      self = .beacon(beacon)
    }
  }
}
