extension MonitorEngine {
  /// Feeds one fix. The rules and the errors are those of the method with the same name of ``Monitor``.
  public mutating func feed(_ fix: Fix) throws(MonitorError) {
    var survey = Survey()
    try feed(fix, &survey)
  }

  @inline(__always)
  mutating func feed(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) {
    if isFull || !tracker.passesInSafety(fix) { try decide(fix, &survey) }
  }

  private mutating func decide(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) {
    if try !take(fix, &survey), let defect = fix.defect { throw .invalidArgument(defect) }
  }

  /// Feeds a fix that may change a state or be refused.
  ///
  /// - Returns: Whether the fix is usable; an unusable fix is only counted.
  @inline(__always)
  private mutating func take(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) -> Bool {
    guard fix.isUsable else {
      tracker.counters.invalidFixes += 1
      return false
    }
    if isFull || !tracker.takes(fix.time) { try admit(fix.time) }
    tracker.counters.acceptedFixes += 1
    // The two methods are separate, because the table is copied for each method that gets it.
    if tracker.knowsEdges ? tracker.passesByEdges(fix, table) : tracker.passes(fix) { return true }
    tracker.evaluate(fix, table, &delivery, &survey)
    return true
  }

  /// Feeds many fixes in order, with the same result as single calls. Fixes that are invalid, late or too far ahead are
  /// skipped and counted.
  ///
  /// - Parameter result: Receives the counts of the consumed rows, even if the queue is full.
  /// - Throws: ``MonitorError/queueFull(limit:position:)``; the rows before its position have taken effect.
  /// - Complexity: A few nanoseconds per fix while no boundary is near; otherwise O(conditions near the fix).
  public mutating func feed(_ fixes: Span<Fix>, result: inout FeedResult) throws(MonitorError) {
    var survey = Survey()
    try feed(fixes, result: &result, &survey)
  }

  /// Feeds many fixes from columns. See ``feed(_:result:)-(Span<Fix>,_)``.
  public mutating func feed(_ columns: FixColumns, result: inout FeedResult) throws(MonitorError) {
    var survey = Survey()
    try feed(columns, result: &result, &survey)
  }

  mutating func feed(
    _ fixes: Span<Fix>, result: inout FeedResult, _ survey: inout Survey
  ) throws(MonitorError) {
    try fixes.withUnsafeBufferPointer { fixes throws(MonitorError) in
      try feed(rows: FixArray(fixes: fixes), result: &result, &survey)
    }
  }

  mutating func feed(
    _ columns: FixColumns, result: inout FeedResult, _ survey: inout Survey
  ) throws(MonitorError) {
    try feed(rows: columns, result: &result, &survey)
  }

  private mutating func feed(
    rows fixes: some FixRows, result: inout FeedResult, _ survey: inout Survey
  ) throws(MonitorError) {
    result = FeedResult()
    let count = fixes.count
    var index = 0
    while index < count {
      if !isFull {
        let passed = tracker.skipSafeFixes(fixes, from: index) - index
        result.accepted += passed
        index += passed
        if index == count { return }
      }
      try result.count(row: index) { () throws(MonitorError) in try take(fixes[unchecked: index], &survey) }
      index += 1
    }
  }

  /// Feeds many fixes from an array. See ``feed(_:result:)-(Span<Fix>,_)``.
  @discardableResult
  public mutating func feed(_ fixes: some Sequence<Fix>) throws(MonitorError) -> FeedResult {
    let array = ContiguousArray(fixes)
    var result = FeedResult()
    try feed(array.span, result: &result)
    return result
  }
}
