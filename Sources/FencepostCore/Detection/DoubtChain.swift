/// A chain of doubted fixes without a plausible fix between them, each of which follows the one before.
struct DoubtChain: Sendable {
  /// The number of fixes; 0 without a chain.
  private(set) var count: UInt64 = 0
  /// The first and the last fix; meaningless without a chain.
  private(set) var first = Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: 0))
  private(set) var last = Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: 0))

  init() {}

  /// - Parameter count: At least 1.
  init(count: UInt64, first: Fix, last: Fix) {
    self.count = count
    self.first = first
    self.last = last
  }

  var isEmpty: Bool { count == 0 }

  /// Adds a doubted fix. A fix that does not follow the last one begins a new chain.
  ///
  /// - Returns: Whether the chain is now long enough for its last fix to be trusted. The chain is then cleared.
  mutating func extend(with fix: Fix, _ plausibility: Plausibility) -> Bool {
    if isEmpty || !plausibility.follows(last, fix) {
      first = fix
      count = 0
    }
    count += 1
    last = fix
    // Any two valid times are less than 2⁶² microseconds apart, so the subtraction cannot overflow.
    guard count >= UInt64(plausibility.corroborationCount),
      fix.time.microseconds - first.time.microseconds >= plausibility.corroborationTimeMicroseconds
    else { return false }
    self = DoubtChain()
    return true
  }
}

/// The decision about a usable fix with an acceptable time.
enum Verdict {
  /// The fix follows the known one, or there is no known fix.
  case follows
  /// The fix is counted and otherwise ignored.
  case doubted
  /// The fix is the last of a chain that is trusted. The path to it is unknown.
  case corroborated
}

/// The result of a fix that was not refused.
enum FixOutcome {
  case accepted, invalid, doubted
}

extension Tracker {
  /// Whether a usable fix is neither late nor too far ahead, and certainly follows the last fix, according to a cheap
  /// bound; `false` without plausibility.
  @inline(never)
  func surelyTrusts(_ fix: Fix) -> Bool {
    guard let plausibility = options.plausibility, timeline.chain.isEmpty, let last = timeline.lastFix else {
      return false
    }
    return timeline.takes(fix.time, within: options.longestTimeStep + 1) && plausibility.surelyFollows(last, fix)
  }

  /// Examines a usable fix with an acceptable time, and counts a doubted one. After a fix that is corroborated, the path
  /// to the fix counts as a gap.
  ///
  /// - Returns: Whether the caller must apply the fix.
  @inline(never)
  mutating func trusts(
    _ fix: Fix, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) -> Bool {
    guard let plausibility = options.plausibility else { return true }
    switch timeline.judge(fix, plausibility) {
    case .follows: return true
    case .doubted: return false
    case .corroborated:
      leap(to: fix, table, &delivery, &survey)
      return true
    }
  }

  /// Passes the time to a fix if the path to it is unknown, and discards the fix before it. Changes that are due before
  /// the fix belong to the time before the gap ends.
  mutating func leap(to fix: Fix, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey) {
    guard options.path.isGeodesic else { return }
    passTime(to: fix.time, table, &delivery, &survey)
    timeline.markGap(before: fix)
    timeline.forgetLastFix()
  }

  /// Accepts fixes like ``skipSafeFixes(_:from:)``, as long as each one certainly follows the one before, on a path
  /// without a gap.
  @inline(never)
  mutating func skipPlausible(_ fixes: some FixRows, from start: Int, _ plausibility: Plausibility) -> Int {
    guard timeline.chain.isEmpty, var before = timeline.lastFix else { return start }
    let safe = lookout.safe
    let horizon = safeHorizon
    let longestStep = options.longestTimeStep
    var (longestGap, maxSpeed): (Int64, Double) = (.max, .infinity)
    if case .geodesic(let maxGap, let limit) = options.path { (longestGap, maxSpeed) = (maxGap, limit ?? .infinity) }
    var time = clock
    var index = start
    let count = fixes.count
    while index < count {
      let fix = fixes[unchecked: index]
      guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.accuracy >= 0,
        fix.time.microseconds < horizon, UInt64(bitPattern: fix.time.microseconds &- time) <= longestStep,
        plausibility.surelyFollows(before, fix)
      else { break }
      let duration = fix.time.microseconds &- before.time.microseconds
      guard duration <= longestGap else { break }
      if duration > 0 {
        let reach = maxSpeed * (Double(duration) / 1e6)
        guard safe.squaredLength(from: before.coordinate, to: fix.coordinate) <= reach * reach else { break }
      }
      time = fix.time.microseconds
      before = fix
      index &+= 1
    }
    guard index > start else { return start }
    timeline.move(to: time)
    timeline.keep(before)
    timeline.countFixes(index - start)
    return index
  }
}
