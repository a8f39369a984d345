/// Planning ahead for one device of a fleet, with the results that a monitor for this device alone would give.
extension FleetEngine {
  /// Returns how far a device at a position may move before it can be on another side of any shape, in metres. See
  /// ``MonitorEngine/safeDistance(at:)``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, ``MonitorError/invalidArgument(_:position:)`` if the
  ///   coordinate is out of range.
  /// - Complexity: O(log conditions + circles that contain the position)
  public func safeDistance(at coordinate: Coordinate, for number: UInt64) throws(MonitorError) -> Double {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      try monitor(of: device, table).safeDistance(at: coordinate)
    }
  }

  /// Returns the plan of a planner for a device at a position. See ``MonitorEngine/plan(_:at:accuracy:)``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, ``MonitorError/invalidArgument(_:position:)`` if the
  ///   coordinate or the accuracy is out of range.
  /// - Complexity: For a fixed number of slots, O(log conditions + shapes whose enclosing circles contain the position
  ///   + conditions that the device is inside or about to cross)
  public func plan(
    _ planner: RotationPlanner, at coordinate: Coordinate, accuracy: Double = 0, for number: UInt64
  ) throws(MonitorError) -> RotationPlan {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      try monitor(of: device, table).plan(planner, at: coordinate, accuracy: accuracy)
    }
  }

  /// Returns a monitor over the table whose states of shapes are those of the device.
  private func monitor(of device: UInt32, _ table: ConditionTable) -> MonitorEngine {
    let line = devices.lines[device]
    let state = current(device, table)
    var monitor = MonitorEngine(trusted: nil, options.monitorOptions)
    monitor.table = table
    state.load(into: &monitor.tracker, clock: watermark.clock(line), seen: line.seen, table)
    if state.host.isUsed {
      for slot in table.live where table.isGeographic(slot) && state.host.limits(slot, table) {
        monitor.tracker.forgetShape(slot, table)
      }
    }
    if table.policies.hasTimings {
      for slot in table.live { monitor.loadTiming(slot, state, seen: line.seen) }
    }
    return monitor
  }
}
