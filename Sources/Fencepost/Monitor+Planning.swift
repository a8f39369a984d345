extension Monitor {
  /// The plan that a planner makes for a position. See ``RotationPlanner/plan(_:at:accuracy:)-(Monitor,_,_)``.
  func plan(
    _ planner: RotationPlanner, at coordinate: Coordinate, accuracy: Double
  ) throws(MonitorError) -> RotationPlan {
    try stored.engine.plan(planner, at: coordinate, accuracy: accuracy)
  }

  /// How far a device can move without crossing the boundary of any shape, in metres.
  ///
  /// See ``MonitorEngine/safeDistance(at:)``.
  public func safeDistance(at coordinate: Coordinate) throws(MonitorError) -> Double {
    try stored.engine.safeDistance(at: coordinate)
  }

  /// The point on a condition's boundary that is nearest to a coordinate. See
  /// ``MonitorEngine/nearestBoundaryPoint(_:to:)``.
  public func nearestBoundaryPoint(
    _ identifier: String, to coordinate: Coordinate
  ) throws(MonitorError) -> Coordinate? {
    try stored.engine.nearestBoundaryPoint(identifier, to: coordinate)
  }

  /// The earliest time at which something happens even without any input; `nil` if nothing is due.
  public var nextDeadline: Timestamp? { stored.engine.nextDeadline }

  /// The observed state of a condition. See ``MonitorEngine/state(of:)-(String)``.
  public func state(of identifier: String) -> Event.State? { stored.engine.state(of: identifier) }
}

extension RotationPlanner {
  /// Plans for a monitor. See ``plan(_:at:accuracy:)-(MonitorEngine,_,_)``.
  public mutating func plan(
    _ monitor: Monitor, at coordinate: Coordinate, accuracy: Double = 0
  ) async throws(MonitorError) -> RotationPlan {
    let plan = try await monitor.plan(self, at: coordinate, accuracy: accuracy)
    armed = plan.armed
    return plan
  }
}
