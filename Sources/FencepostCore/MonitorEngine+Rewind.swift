extension MonitorEngine {
  /// Declares that the times of some inputs were wrong, and sets the clock back.
  ///
  /// Conditions, records, waiting events and the sequence do not change. The observed states depend on wrong times, so
  /// every condition becomes undetermined without an event, started crossings and the last fix are forgotten, and the
  /// absence of beacons is counted anew. What the host stated (scanning, flags, kinds) remains valid.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is out of range or later than the clock, or if
  ///   there is no clock yet; only a counter has changed then.
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
  /// Sets the clock back, and forgets the observed states, because they depend on wrong times.
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
