import FencepostKernel

// Converts between the callers' conditions, of the type `any Condition`, and the core's conditions; the core has no
// existentials.

extension ConditionKind {
  /// The condition in the core's representation, or `nil` if the condition is not of this kind.
  func given(_ condition: any Condition) -> GivenCondition? {
    switch self {
    case .circularGeographic: return (condition as? CircularGeographicCondition).map(GivenCondition.circle)
    case .beaconIdentity: return (condition as? BeaconIdentityCondition).map(GivenCondition.beacon)
    case .polygonalGeographic:
      if let polygon = condition as? PolygonalGeographicCondition { return .shape(polygon.multiple.definition) }
      return (condition as? MultiPolygonalGeographicCondition).map { .shape($0.definition) }
    case .corridorGeographic: return (condition as? CorridorGeographicCondition).map { .shape($0.definition) }
    case .lineGeographic: return (condition as? LineGeographicCondition).map { .shape($0.definition) }
    case .rule: return (condition as? Rule).map { .rule($0.definition) }
    }
  }
}

extension GivenCondition {
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the condition has a type that the caller defined.
  init(_ condition: any Condition) throws(MonitorError) {
    for kind in ConditionKind.allCases {
      guard let given = kind.given(condition) else { continue }
      self = given
      return
    }
    throw .invalidArgument(
      "the condition is of an unknown type; must be a circular, polygonal, multi-polygonal, corridor or line "
        + "geographic condition, a beacon identity condition, or a rule")
  }
}

extension Definition.Subject {
  var condition: any Condition {
    switch self {
    case .circle(let circle): circle
    case .beacon(let beacon): beacon
    case .rule(let rule): Rule(rule)
    case .polygon(let shape), .corridor(let shape), .line(let shape): shape.condition
    }
  }
}

extension GeodesicShape {
  /// The condition that was added, with the vertices as the kernel stores them: a ring's first vertex is not repeated.
  var condition: any Condition {
    let definition = self.definition.written
    let edges = EdgeInterpretation(definition.edges)
    let parts = definition.vertices.partEnds.indices.map { part in
      definition.vertices.rings(ofPart: part).map { ring in
        definition.vertices.vertices(ofRing: ring).map { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
      }
    }
    switch definition.kind {
    case .polygon(let buffer, let isOriented):
      if parts.count == 1 {
        return PolygonalGeographicCondition(
          exterior: parts[0][0], holes: Array(parts[0].dropFirst()), edges: edges, isOriented: isOriented,
          buffer: buffer)
      }
      return MultiPolygonalGeographicCondition(
        parts: parts.map { .init(exterior: $0[0], holes: Array($0.dropFirst())) }, edges: edges, isOriented: isOriented,
        buffer: buffer)
    case .corridor(let radius):
      return CorridorGeographicCondition(paths: parts.flatMap { $0 }, radius: radius, edges: edges)
    case .line:
      return LineGeographicCondition(paths: parts.flatMap { $0 }, edges: edges)
    }
  }
}

extension Event {
  /// The most precise condition that the event identifies, of the same kind as the monitored condition. For a beacon
  /// condition, this is the observed beacon.
  public var refinement: (any Condition)? { beacon }
}

extension ConditionSet {
  /// Appends a row.
  ///
  /// - Parameter known: Returns the circle, shape or beacon of the existing condition that has a given identifier. A
  ///   new shape that equals the existing shape is not examined again.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row.
  package mutating func append(
    _ condition: any Condition, identifier: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none,
    known: (UnsafeBufferPointer<UInt8>) -> Definition.Subject? = { _ in nil }
  ) throws(MonitorError) {
    let given: GivenCondition
    do throws(MonitorError) { given = try GivenCondition(condition) } catch { throw error.inRow(count) }
    try append(
      given, identifier: identifier, assuming: assuming, policy: policy, tag: tag, timing: timing,
      band: band, known: known)
  }

  /// - Parameter known: Returns the circle, shape or beacon of the existing condition that has a given identifier. A
  ///   new shape that equals the existing shape is not examined again.
  init(
    _ conditions: some Sequence<NamedCondition>,
    known: (UnsafeBufferPointer<UInt8>) -> Definition.Subject?
  ) throws(MonitorError) {
    self.init()
    for each in conditions {
      try ContiguousArray(each.identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
        try append(
          each.condition, identifier: bytes, assuming: each.assuming, policy: each.policy, tag: each.tag,
          timing: each.timing, band: each.band, known: known)
      }
    }
  }
}
