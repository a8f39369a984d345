/// Planning ahead for one device of a fleet, as its own monitor would.
extension FleetEngine {
  /// How far a device at a position may move before it can be on another side of any shape, metres. See
  /// ``MonitorEngine/safeDistance(at:)``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, ``MonitorError/invalidArgument(_:position:)`` when the coordinate is out
  ///   of range.
  /// - Complexity: O(log conditions) and the circles that hold the position.
  public func safeDistance(at coordinate: Coordinate, for number: UInt32) throws(MonitorError) -> Double {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      try monitor(of: device, table).safeDistance(at: coordinate)
    }
  }

  /// The plan of a planner for a device at a position. See ``MonitorEngine/plan(_:at:accuracy:)``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, ``MonitorError/invalidArgument(_:position:)`` when the coordinate or the
  ///   accuracy is out of range.
  /// - Complexity: O(log conditions) for a fixed number of slots, the shapes whose circles hold the position, and what the
  ///   device is inside of or about to cross.
  public func plan(
    _ planner: RotationPlanner, at coordinate: Coordinate, accuracy: Double = 0, for number: UInt32
  ) throws(MonitorError) -> RotationPlan {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      try monitor(of: device, table).plan(planner, at: coordinate, accuracy: accuracy)
    }
  }

  /// A monitor over the table that believes of shapes what the device does.
  private func monitor(of device: UInt32, _ table: ConditionTable) -> MonitorEngine {
    let line = devices.lines[device]
    let state = current(device, table)
    var monitor = MonitorEngine(trusted: nil, options.monitorOptions)
    monitor.table = table
    state.load(into: &monitor.tracker, clock: watermark.clock(line), seen: line.seen, table)
    return monitor
  }
}
