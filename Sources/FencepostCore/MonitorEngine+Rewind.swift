extension MonitorEngine {
  /// Says that the times of some inputs were wrong, and sets the clock back.
  ///
  /// What the consumer was told and will be told stays: conditions, records, waiting events, the sequence. What the
  /// detectors believed rests on times that are no times: every condition becomes undetermined without an event,
  /// candidates and the last fix are forgotten, and the absence of beacons is counted anew. What the host stated
  /// (scanning, flags, kinds) holds on.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (out of range, later than the clock, or there is no clock
  ///   yet); nothing but a counter has changed then.
  /// - Complexity: O(conditions)
  public mutating func rewind(to time: Timestamp) throws(MonitorError) {
    tracker.counters.countOther()
    if let defect = time.defect { throw .invalidArgument(defect) }
    guard let now = currentTime else {
      throw .invalidArgument("the monitor has no clock yet, so there is nothing to set back")
    }
    guard time <= now else {
      throw .invalidArgument("the time is \(time); must not be later than the monitor's clock \(now)")
    }
    tracker.rewind(to: time, table, &delivery)
  }
}

extension Tracker {
  /// Sets the clock back; what was believed rests on times that are no times.
  fileprivate mutating func rewind(to time: Timestamp, _ table: ConditionTable, _ delivery: inout Delivery) {
    lookout.removeAll()
    timeline.rewind(to: time.microseconds)
    known.forgetShapes()
    for slot in Array(table.live) {
      stop(slot, table, &delivery)
      known.forgetSighting(slot)
      if !isSuspended(slot, table) { begin(slot, lookingBack: false, table, &delivery) }
    }
  }
}
