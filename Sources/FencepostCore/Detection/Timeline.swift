import FencepostKernel

/// The progress of the inputs of one device: its clock, its last fix, its counters.
///
/// All these values are in rows that every save writes, so their changes need no marks.
struct Timeline: Sendable {
  /// The latest time of any input, in microseconds; `Int64.min` before the first input.
  private(set) var clock: Int64 = .min
  /// The latest fix with a valid position.
  private(set) var lastFix: Fix?
  var counters = InputCounters()
  /// The gap that events must report, in the saved form; `Int64.min` without a gap. If an event has reported the gap, the
  /// value is the date of this event, because further events of this date are marked too. Otherwise it is ``pendingGap``
  /// plus the time of the first fix after the gap. `Int64.max`, which versions before 0.3 saved, is a gap without a known
  /// time.
  private(set) var gap: Int64 = .min
  /// The time of the first fix after the gap. If this time is unknown, every position counts as later than the gap.
  private var gapEnd: Int64 = .min
  /// The doubted fixes since the last fix; empty without a last fix.
  private(set) var chain = DoubtChain()
  /// The error ellipses and the heights of the last two accepted fixes. Fixes that have neither cost nothing.
  private var ellipses = ValuesOfFixes(FixEllipse(major: 0, minor: 0, orientation: 0))
  private var heights = ValuesOfFixes(FixHeight(altitude: .nan))
  /// Whether the saved form may contain error ellipses or probabilities that come from them.
  var hasHadEllipses = false
  /// The time of the accepted fix that is being applied and is not the last fix yet, if any fix had an ellipse or a
  /// height; `Int64.min` without such a fix.
  private var arrival = Int64.min
  /// Whether the saved form may contain heights.
  var hasHadHeights = false
  /// An offset that is greater than each valid time.
  private static let pendingGap: Int64 = 1 << 62

  // MARK: - Inputs

  /// Whether a time is neither before the clock nor further ahead than the longest step. This is the rule of
  /// ``Admission`` in one comparison. False before the first input.
  ///
  /// - Parameters:
  ///   - time: A time in the valid range.
  ///   - steps: ``MonitorOptions/plainSteps``.
  @inline(__always)
  func takes(_ time: Timestamp, within steps: UInt64) -> Bool {
    clock != .min && UInt64(bitPattern: time.microseconds &- clock) < steps
  }

  @inline(__always)
  mutating func countFixes(_ count: Int) { counters.acceptedFixes += UInt64(count) }

  // MARK: - Time

  @inline(__always)
  mutating func move(to time: Int64) { clock = time }

  /// Sets the last fix, which must not be later than the clock.
  @inline(__always)
  mutating func keep(_ fix: Fix) { lastFix = fix }

  /// Sets the clock back, and discards the last fix, the doubted fixes and the gap, because their times were wrong.
  mutating func rewind(to time: Int64) {
    clock = time
    lastFix = nil
    chain = DoubtChain()
    gap = .min
  }

  // MARK: - Error ellipses

  /// The error ellipse of the last fix; `nil` if it has none.
  @inline(__always)
  var lastEllipse: FixEllipse? { lastFix == nil ? nil : ellipses.value(of: numberOfLastFix) }

  /// Sets the error ellipse of the accepted fix with a number, or of none.
  mutating func setEllipse(_ ellipse: FixEllipse?, of number: UInt64) { ellipses.set(ellipse, of: number) }

  /// The number of the last fix among the accepted ones.
  @inline(__always)
  private var numberOfLastFix: UInt64 { arrival == .min ? counters.acceptedFixes : counters.acceptedFixes &- 1 }

  // MARK: - Heights

  /// The height of the last fix; `nil` if it has none.
  var lastHeight: FixHeight? { lastFix == nil ? nil : heights.value(of: numberOfLastFix) }

  /// Sets the height of the accepted fix with a number, or of none.
  @inline(never)
  mutating func setHeight(_ height: FixHeight?, of number: UInt64) { heights.set(height, of: number) }

  /// Sets the heights of the last fix and of the next one, of a device whose inputs are counted elsewhere.
  @inline(never)
  mutating func load(known: FixHeight?, _ next: FixHeight?) {
    hasHadHeights = true
    counters.acceptedFixes = 1
    heights.removeAll()
    setHeight(known, of: 0)
    setHeight(next, of: 1)
  }

  /// Notes that an accepted fix is applied, and is the last fix only after ``endArrival()``.
  @inline(__always)
  mutating func beginArrival(at time: Int64) { if hasHadHeights || hasHadEllipses { arrival = time } }

  @inline(__always)
  mutating func endArrival() { arrival = .min }

  /// The heights at a time of the path from the last fix to the fix that is being applied; none if one of the two has
  /// none.
  @inline(never)
  func heightsOnPath(at time: Int64) -> Heights {
    guard arrival != .min, let lastFix, let start = heights.value(of: counters.acceptedFixes &- 1),
      let end = heights.value(of: counters.acceptedFixes)
    else { return .none }
    let begun = lastFix.time.microseconds
    return .between(start.heights, end.heights, Double(time - begun) / Double(arrival - begun))
  }

  // MARK: - Doubts

  /// Decides whether the device can have reached a fix that is not earlier than the clock, and counts a doubted fix.
  mutating func judge(_ fix: Fix, _ plausibility: Plausibility) -> Verdict {
    guard let lastFix, !plausibility.follows(lastFix, fix) else {
      chain = DoubtChain()
      return .follows
    }
    if chain.extend(with: fix, plausibility) { return .corroborated }
    counters.doubtedFixes += 1
    return .doubted
  }

  /// Sets the chain of a device, whose fixes a fleet judges itself.
  mutating func load(_ chain: DoubtChain) { self.chain = chain }

  mutating func forgetChain() { chain = DoubtChain() }

  /// Discards the last fix, because the path from it is unknown.
  mutating func forgetLastFix() { lastFix = nil }

  // MARK: - Gaps

  /// Whether an event still has to be marked as following a gap.
  @inline(__always)
  var hasGap: Bool { gap != .min }

  /// Whether a saved gap is one that no event has reported yet.
  static func isPending(gap: Int64) -> Bool { gap > Timestamp.latest.microseconds }

  /// Whether a saved gap has a valid time.
  static func isValid(gap: Int64) -> Bool {
    Timestamp(microseconds: isPending(gap: gap) ? gap - pendingGap : gap).isValid
  }

  /// Records that the path to a fix is unknown. The next event that is decided by this fix or a later position is then
  /// marked as following a gap. An earlier gap that no event has reported yet is replaced.
  mutating func markGap(before fix: Fix) {
    (gap, gapEnd) = (Self.pendingGap + fix.time.microseconds, fix.time.microseconds)
  }

  /// Returns whether a change must be marked as following a gap. The changes up to the first instant that has an event
  /// are marked, except those that were decided before the gap.
  ///
  /// - Parameters:
  ///   - decided: The time of the position that decided the change.
  ///   - isEvent: Whether the change becomes an event. After a change that does not become an event, the next change is
  ///     marked too.
  mutating func tellsGap(at date: Int64, decided: Int64, isEvent: Bool) -> Bool {
    let isPending = Self.isPending(gap: gap)
    if !isPending, gap != date { gap = .min }
    guard hasGap, decided >= gapEnd else { return false }
    if isPending, isEvent { gap = date }
    return true
  }

  private mutating func restore(gap: Int64) {
    self.gap = gap
    gapEnd = Self.isPending(gap: gap) && gap < .max ? gap - Self.pendingGap : .min
  }

  /// Continues with another device, whose inputs are counted elsewhere.
  mutating func begin(clock: Int64, lastFix: Fix?, gap: Int64) {
    self.clock = clock
    self.lastFix = lastFix
    ellipses.removeAll()
    restore(gap: gap)
  }

  /// Restores the saved values.
  mutating func restore(clock: Int64, lastFix: Fix?, chain: DoubtChain, counters: InputCounters, gap: Int64) {
    self.clock = clock
    restore(gap: gap)
    self.lastFix = lastFix
    self.chain = chain
    self.counters = counters
  }
}

/// The values of one kind that the last two accepted fixes have, each with the number of its fix.
private struct ValuesOfFixes<Value: Sendable>: Sendable {
  private var last: Value
  private var before: Value
  private var lastNumber = Self.none
  private var numberBefore = Self.none

  /// The number of no fix, and not one less than the number of a fix.
  private static var none: UInt64 { .max - 1 }

  init(_ any: Value) { (last, before) = (any, any) }

  /// The value of the accepted fix with a number; `nil` if it has none.
  @inline(__always)
  func value(of number: UInt64) -> Value? { number == lastNumber ? last : number == numberBefore ? before : nil }

  mutating func set(_ value: Value?, of number: UInt64) {
    if lastNumber &+ 1 == number {
      (before, numberBefore) = (last, lastNumber)
    } else if numberBefore == number {
      numberBefore = Self.none
    }
    lastNumber = Self.none
    guard let value else { return }
    (last, lastNumber) = (value, number)
  }

  mutating func removeAll() { (lastNumber, numberBefore) = (Self.none, Self.none) }
}

#if FENCEPOST_INVARIANTS
  extension Timeline {
    func checkInvariants() throws(Invariant.Broken) {
      try Invariant.hold(lastFix.map { $0.time.microseconds <= clock } ?? true, "no fix is later than the clock")
      try Invariant.hold(chain.isEmpty || lastFix != nil, "fixes are doubted only after a known one")
    }
  }
#endif
