extension ConditionTiming {
  /// Returns the first option that is out of range, or that a kind of condition does not have, as a message.
  @inline(never) @_optimize(size)
  func defect(for kind: ConditionKind) -> String? {
    if isNone { return nil }
    let longest = TransitionPolicy.longestDuration
    func range(_ name: String, _ value: Int64, _ least: Int64, _ most: Int64, _ other: String = "") -> String? {
      value >= least && value <= most ? nil : "\(name) is \(value); must be from \(least) to \(most)" + other
    }
    let every = repeatEveryMicroseconds
    let limit = Int64(repeatLimit)
    if every == 0, limit != Int64(Self.none.repeatLimit) { return "repeat_limit is set without repeat_every; set both" }
    if kind.isLine, every != 0 {
      return "repeat_every is set for a line geographic condition, which has no state; must be 0"
    }
    if absentAfterMicroseconds != 0, !kind.isGeographic || kind.isLine {
      return "absent_after is set for a condition without a shape; must be 0"
    }
    let unit = " microseconds, or 0 for never"
    return range("absent_after", absentAfterMicroseconds, 0, longest, unit)
      ?? range("repeat_every", every, every == 0 ? 0 : Self.shortestRepeat, longest, unit)
      ?? range("repeat_limit", limit, 1, Int64(Self.mostRepeats))
  }
}
