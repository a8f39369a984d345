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
    // With a last fix there is a clock. Any two valid times are less than 2⁶² microseconds apart.
    return UInt64(bitPattern: fix.time.microseconds &- clock) <= longestStep
      && plausibility.surelyFollows(last, fix)
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
}
