/// What a caller adds: the geometry or identity, with the policy, the tag and the state that the first record shows.
struct Definition: Sendable {
  enum Shape: Sendable {
    case circle(CircularGeographicCondition)
    case beacon(BeaconIdentityCondition)
  }
  var shape: Shape
  var policy: TransitionPolicy
  var tag: UInt64
  var assumed: Event.State

  init(shape: Shape, policy: TransitionPolicy, tag: UInt64, assumed: Event.State = .unknown) {
    self.shape = shape
    self.policy = policy
    self.tag = tag
    self.assumed = assumed
  }

  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the condition is of a kind of the caller's own.
  init(
    _ condition: any Condition, policy: TransitionPolicy, tag: UInt64, assumed: Event.State
  ) throws(MonitorError) {
    switch condition {
    case let circle as CircularGeographicCondition: shape = .circle(circle)
    case let beacon as BeaconIdentityCondition: shape = .beacon(beacon)
    default:
      throw .invalidArgument(
        "the condition is of another kind; accepted are CircularGeographicCondition and BeaconIdentityCondition")
    }
    self.policy = policy
    self.tag = tag
    self.assumed = assumed
  }

  /// Whether the two are the same to a caller who wants to ensure one of them; what was assumed plays no part.
  func isNearlyEqual(to other: Definition) -> Bool {
    policy == other.policy && tag == other.tag && shape.isNearlyEqual(to: other.shape)
  }
}

extension Definition.Shape {
  var defect: String? {
    switch self {
    case .circle(let circle): circle.defect
    case .beacon: nil
    }
  }

  func isNearlyEqual(to other: Definition.Shape) -> Bool {
    switch (self, other) {
    case (.circle(let one), .circle(let two)): one.isNearlyEqual(to: two)
    case (.beacon(let one), .beacon(let two)): one == two
    default: false
    }
  }
}
