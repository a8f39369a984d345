import FencepostKernel

extension MonitorEngine {
  /// Feeds one fix. A fix without a position (accuracy negative or NaN) is accepted, ignored and counted.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (coordinate or time out of range, counted),
  ///   ``MonitorError/lateInput(time:clock:)`` and ``MonitorError/aheadOfClock(time:clock:limit:)`` (counted),
  ///   ``MonitorError/queueFull(limit:position:)``; the fix has changed nothing else then.
  public mutating func feed(_ fix: Fix) throws(MonitorError) {
    var survey = Survey()
    try feed(fix, &survey)
  }

  @inline(__always)
  mutating func feed(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) {
    if !passesInSafety(fix) { try decide(fix, &survey) }
  }

  /// Takes a fix within the safe region, before the next deadline, as ``skipSafeFixes(_:from:)`` takes many.
  ///
  /// - Returns: Whether it did.
  @inline(__always)
  private mutating func passesInSafety(_ fix: Fix) -> Bool {
    let time = fix.time.microseconds
    guard neighbourhood.safe.squaredRadius > 0, !isFull, fix.coordinate.isValid,
      neighbourhood.safe.contains(fix.coordinate), fix.accuracy >= 0, time >= clock, time < safeHorizon,
      time &- clock <= maxTimeStep
    else { return false }
    clock = time
    lastFix = fix
    counters.acceptedFixes += 1
    counters.inputCount += 1
    return true
  }

  /// The first instant before which a fix in the safe region can change nothing.
  @inline(__always)
  private var safeHorizon: Int64 { min(deadlines.earliest, Timestamp.latest.microseconds &+ 1) }

  /// Feeds a fix that may change something, or may be refused.
  private mutating func decide(_ fix: Fix, _ survey: inout Survey) throws(MonitorError) {
    guard fix.isUsable else {
      countUnusable()
      if let defect = fix.defect { throw .invalidArgument(defect) }
      return
    }
    try admit(fix.time)
    counters.acceptedFixes += 1
    evaluate(fix, &survey)
  }

  private mutating func countUnusable() {
    counters.inputCount += 1
    counters.invalidFixes += 1
  }

  /// Feeds many fixes in order, with the same result as single calls; invalid and late ones, and those too far ahead, are
  /// skipped and counted.
  ///
  /// - Parameter result: Receives the counts, also when the queue is full: the rows counted are those consumed.
  /// - Throws: ``MonitorError/queueFull(limit:position:)``; the rows before its position took effect.
  /// - Complexity: A few nanoseconds a fix while no boundary is near, O(conditions near) otherwise.
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
        let passed = skipSafeFixes(fixes, from: index) - index
        result.accepted += passed
        index += passed
        if index == count { return }
      }
      let fix = fixes[unchecked: index]
      if !fix.isUsable {  // a refusal in words is for single calls
        countUnusable()
        result.invalid += 1
      } else {
        do throws(MonitorError) {
          try decide(fix, &survey)
          result.accepted += 1
        } catch {
          switch error {
          case .lateInput, .aheadOfClock: result.late += 1
          default: throw .queueFull(limit: options.maxPendingEvents, position: index)
          }
        }
      }
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

  /// Takes fixes for as long as they are in order, before the next deadline and within the safe region.
  private mutating func skipSafeFixes(_ fixes: some FixRows, from start: Int) -> Int {
    let safe = neighbourhood.safe
    guard safe.squaredRadius > 0 else { return start }
    let horizon = safeHorizon
    let maxStep = maxTimeStep
    var time = clock
    var index = start
    let count = fixes.count
    while index < count {
      let fix = fixes[unchecked: index]
      guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.accuracy >= 0,
        fix.time.microseconds >= time, fix.time.microseconds < horizon, fix.time.microseconds &- time <= maxStep
      else { break }
      time = fix.time.microseconds
      index &+= 1
    }
    guard index > start else { return start }
    clock = time
    // Read anew: a caller that changes its columns meanwhile must not leave behind what no fix can be.
    let last = fixes[unchecked: index - 1]
    if last.isUsable { lastFix = last }
    counters.acceptedFixes += UInt64(index - start)
    counters.inputCount += UInt64(index - start)
    return index
  }

  /// Applies a fix: what is due before it, the determinations, the crossings, what is due at it.
  private mutating func evaluate(_ fix: Fix, _ survey: inout Survey) {
    passTime(to: fix.time, &survey)
    lastFix = fix
    if circlesAreSuspended { return confirmDue(through: clock, &survey) }
    if passes(fix) { return }
    survey.begin()
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    if !undetermined.isEmpty { determine(fix, at: position, &survey) }
    let isCovered = neighbourhood.covers(position)
    if isCovered {
      neighbourhood.reached(at: position, into: &survey.reached)
    } else {
      gatherReached(at: position, &survey)
    }
    if survey.reached.count > 3 { readAheadToCross(&survey) }
    var index = 0
    while index < survey.reached.count {
      cross(survey.reached[index], fix, at: position, &survey)
      index += 1
    }
    confirmDue(through: clock, &survey)
    if isCovered, neighbourhood.isValid {
      drawSafeRegion(at: position, fix.coordinate)
    } else {
      rebuildNeighbourhood(at: position, fix.coordinate, &survey)
    }
  }

  /// Whether no circle is evaluated at all.
  var circlesAreSuspended: Bool {
    host.flags.suspends || !host.supports(.circularGeographic)
  }
}
