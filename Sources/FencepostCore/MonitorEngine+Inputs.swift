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
    if case .invalid = try take(fix, &survey), let defect = fix.defect { throw .invalidArgument(defect) }
  }

  /// Feeds one fix that may have an error ellipse and a height. See ``feed(_:)-(Fix)``.
  ///
  /// - Returns: Whether the fix was accepted, invalid or doubted.
  @discardableResult
  public mutating func feed(
    _ fix: Fix, ellipse: FixEllipse?, height: FixHeight? = nil
  ) throws(MonitorError) -> FeedResult {
    var survey = Survey()
    return try feed(fix, FixExtras(ellipse: ellipse, height: height), &survey)
  }

  mutating func feed(_ fix: Fix, _ extras: FixExtras, _ survey: inout Survey) throws(MonitorError) -> FeedResult {
    let outcome = try take(fix, extras, &survey)
    if outcome == .invalid, let defect = fix.defect ?? extras.ellipse?.defect { throw .invalidArgument(defect) }
    return FeedResult(outcome)
  }

  /// Feeds a fix that may have an error ellipse and a height. An unusable or doubted fix is only counted.
  @inline(never)
  private mutating func take(
    _ fix: Fix, _ extras: FixExtras, _ survey: inout Survey
  ) throws(MonitorError) -> FixOutcome {
    let ellipse = extras.ellipse
    let height = extras.knownHeight
    guard fix.isUsable, ellipse?.defect == nil else {
      tracker.counters.invalidFixes += 1
      return .invalid
    }
    let accepted = tracker.counters.acceptedFixes
    let known = (ellipse: tracker.lastEllipse, height: tracker.lastHeight)
    let had = (ellipses: tracker.hasHadEllipses, heights: tracker.hasHadHeights)
    if ellipse != nil || had.ellipses {
      tracker.hasHadEllipses = true
      tracker.setEllipse(ellipse, of: accepted + 1)
    }
    if height != nil || had.heights {
      tracker.hasHadHeights = true
      tracker.setHeight(height, of: accepted + 1)
    }
    defer {
      if tracker.counters.acceptedFixes == accepted {
        tracker.hasHadEllipses = had.ellipses
        tracker.setEllipse(known.ellipse, of: accepted)
        tracker.hasHadHeights = had.heights
        tracker.setHeight(known.height, of: accepted)
      }
    }
    try decide(fix, &survey)
    return tracker.counters.acceptedFixes == accepted ? .doubted : .accepted
  }

  /// Feeds a fix that may change a state or be refused. An unusable or doubted fix is only counted.
  @inline(__always)
  private mutating func take(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) -> FixOutcome {
    guard fix.isUsable else {
      tracker.counters.invalidFixes += 1
      return .invalid
    }
    let isFull = isFull
    if isFull || !tracker.takes(fix.time), isFull || !tracker.surelyTrusts(fix) {
      try admit(fix.time)
      guard tracker.trusts(fix, table, &delivery, &survey) else { return .doubted }
    }
    tracker.counters.acceptedFixes += 1
    // The two methods are separate, because the table is copied for each method that gets it.
    if tracker.knowsEdges ? tracker.passesByEdges(fix, table) : tracker.passes(fix) { return .accepted }
    tracker.evaluate(fix, table, &delivery, &survey)
    return .accepted
  }

  /// Feeds many fixes in order, with the same result as single calls. Fixes that are invalid, late, too far ahead or
  /// doubted are skipped and counted.
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
    if columns.isOne {
      result = try feed(columns[unchecked: 0], FixExtras(columns.ellipses, columns.heights, row: 0), &survey)
      return
    }
    guard columns.ellipses == nil, columns.heights == nil else {
      return try feedExtras(columns, result: &result, &survey)
    }
    try feed(rows: columns, result: &result, &survey)
  }

  private mutating func feedExtras(
    _ columns: FixColumns, result: inout FeedResult, _ survey: inout Survey
  ) throws(MonitorError) {
    result = FeedResult()
    for row in 0..<columns.count {
      try result.count(row: row) { () throws(MonitorError) in
        try take(columns[unchecked: row], FixExtras(columns.ellipses, columns.heights, row: row), &survey)
      }
    }
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

extension MonitorEngine {
  /// Feeds one scan report. The rules and the errors are those of the method with the same name of ``Monitor``.
  public mutating func feed(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.acceptedSightings += 1
    tracker.see(sightings, at: time, table, &delivery)
  }

  /// Declares whether the host scans for beacons from now on. Repeating a declaration has no effect.
  ///
  /// While the host does not scan, beacon conditions are undetermined, without an event, and their absence is not
  /// counted.
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.countOther()
    tracker.setScanning(isOn, at: time, table, &delivery)
  }
}

extension MonitorEngine {
  /// States what the host can do from now on.
  ///
  /// While a flag is set, every condition is suspended. Conditions of an unsupported kind become `unmonitored`.
  ///
  /// - Parameters:
  ///   - flags: The flags of ``Diagnostics/hostFlags`` that apply now.
  ///   - unsupported: The kinds of conditions that cannot be monitored now.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if `flags` contains another flag or the time is out of
  ///   range; ``MonitorError/lateInput(time:clock:)``; ``MonitorError/aheadOfClock(time:clock:limit:)``;
  ///   ``MonitorError/queueFull(limit:position:)``. If an error is thrown, nothing has changed except the counters.
  public mutating func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp
  ) throws(MonitorError) {
    let stated = try HostState(flags, unsupported: unsupported)
    try admit(time)
    tracker.counters.countOther()
    var survey = Survey()
    tracker.passTime(to: time, table, &delivery, &survey)
    if stated != host { tracker.change(to: stated, table, &delivery) }
    tracker.confirmDue(through: clock, table, &delivery, &survey, ending: .input)
  }

  /// What the host can do.
  var host: HostState { tracker.host }

  /// The flags with which the host limits the monitor.
  package var hostFlags: Diagnostics { host.flags }

  /// Whether the host cannot monitor a kind of condition.
  package func isUnsupported(_ kind: ConditionKind) -> Bool { !host.supports(kind) }

  /// The last accepted fix; `nil` if there was none.
  package var lastFix: Fix? { tracker.lastFix }
}

extension MonitorEngine {
  /// Declares that the times of some inputs were wrong, and sets the clock back.
  ///
  /// Conditions, records, waiting events and the sequence do not change. The observed states depend on wrong times, so
  /// every condition becomes undetermined without an event, started crossings and the last fix are forgotten, and the
  /// absence of beacons is counted anew. What the host stated (scanning, flags, kinds) remains valid. The edges of
  /// schedules after the new clock pass again. If a schedule had ended, an event reports that it has not.
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
      if known.hasTimed { setActive(slot, at: clock, mayStart: false, table, &delivery) }
      if !isSuspended(slot, table) { begin(slot, lookingBack: false, table, &delivery) }
    }
    if table.policies.hasTimings { findEdge(table) }
    if table.rules != nil { deferRules(table, &delivery) }
  }
}
