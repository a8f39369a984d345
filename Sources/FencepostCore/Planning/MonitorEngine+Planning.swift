import FencepostKernel

extension MonitorEngine {
  /// Plans the circles to arm at a position; `removals` and `additions` are relative to the armed circles of the
  /// planner.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the coordinate or the accuracy is out of range.
  /// - Complexity: O(log conditions) for a fixed number of slots, plus the shapes whose bounding circles contain the
  ///   position.
  @_optimize(size)
  public func plan(
    _ planner: RotationPlanner, at coordinate: Coordinate, accuracy: Double = 0
  ) throws(MonitorError) -> RotationPlan {
    if let defect = coordinate.defect { throw .invalidArgument(defect) }
    guard accuracy.isFinite, accuracy >= 0 else {
      throw .invalidArgument("accuracy is \(accuracy); must be finite and at least 0 metres")
    }
    let position = EarthVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
    var (ranked, unarmed) = nearestArmed(planner.slots + 1, to: coordinate, position)
    var wakeUp: RotationPlan.WakeUpCircle?
    if ranked.count > planner.slots || unarmed < .infinity {
      let next = ranked.count >= planner.slots ? ranked[planner.slots - 1].slack : .infinity
      let slack = min(next, unarmed) - DistanceBounds.doubt
      wakeUp = RotationPlan.WakeUpCircle(
        center: coordinate, radius: max(0, min(planner.maximumRadius, slack - planner.margin - accuracy)))
      ranked.removeSubrange(min(planner.slots - 1, ranked.count)...)
    }
    let armed = ranked.map { armedCondition($0) }
    let before = Set(planner.armed.map { $0.place })
    let now = Set(armed.map { $0.place })
    return RotationPlan(
      armed: armed, removals: planner.armed.filter { !now.contains($0.place) },
      additions: armed.filter { !before.contains($0.place) }, wakeUp: wakeUp,
      follow: mustFollow(at: coordinate, position), nextStart: nextStart)
  }

  /// The first start of any schedule after the clock; before the first input, the first start of all. `nil` if none
  /// follows.
  private var nextStart: Timestamp? {
    let start = table.policies.nextStart(after: clock)
    return start == .max ? nil : Timestamp(microseconds: start)
  }

  private func armedCondition(_ ranked: RankedBoundary) -> RotationPlan.ArmedCondition {
    let circle = ranked.circle
    return RotationPlan.ArmedCondition(
      identifier: table.identifiers.string(of: ranked.slot), generation: table.generation(of: ranked.slot),
      tag: table.tag(of: ranked.slot), center: Coordinate(latitude: circle.latitude, longitude: circle.longitude),
      radius: circle.radius, slack: ranked.slack, isInside: ranked.isInside,
      isStandIn: table.shape(of: ranked.slot).isStoodForByCircles)
  }

  /// Whether any fix may change a state: a shape is undetermined, has a candidate, or the position is not on the side
  /// of the shape's state.
  @_optimize(size)
  private func mustFollow(at coordinate: Coordinate, _ position: EarthVector) -> Bool {
    if table.index.count == 0 { return false }
    if host.suspendsAllShapes || tracker.hasCandidates { return true }
    if tracker.isWaitingForFix(table) { return true }
    // Only a shape in state inside can be left, and an outside shape can be entered only if its bounding circle
    // contains the position.
    for slot in tracker.watched where tracker.observed(slot, table) == .inside {
      // Any fix may leave its band.
      if table.band(of: slot) != nil { return true }
      let shape = table.shape(of: slot)
      if shape.isSurelyInside(position) { continue }
      if shape.slack(at: coordinate, position, limit: .infinity)?.isInside == false { return true }
    }
    var around: ContiguousArray<CapHit> = []
    table.index.collect(near: position, within: 0, into: &around)
    return around.contains { hit in
      tracker.observed(hit.id, table) == .outside
        && table.shape(of: hit.id).slack(at: coordinate, position, limit: .infinity)?.isInside == true
    }
  }
}
