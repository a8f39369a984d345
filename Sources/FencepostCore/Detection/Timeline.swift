import FencepostKernel

/// The progress of the inputs of one device: its clock, its last fix, its counters.
///
/// All these values are in rows that every save writes, so no change of them needs to be noted.
struct Timeline: Sendable {
  /// The latest time of any input, in microseconds; `Int64.min` before the first input.
  private(set) var clock: Int64 = .min
  /// The latest fix with a valid position.
  private(set) var lastFix: Fix?
  var counters = InputCounters()
  /// Whether the next event must be marked as following a gap; see ``markGap()``.
  private(set) var gap: Int64 = .min

  // MARK: - Inputs

  /// Whether a time is neither before the clock nor further ahead than the longest step. This is the rule of
  /// ``Admission`` in one comparison. False before the first input.
  ///
  /// - Parameters:
  ///   - time: A time in the valid range.
  ///   - longestStep: ``MonitorOptions/longestTimeStep``.
  @inline(__always)
  func takes(_ time: Timestamp, longestStep: UInt64) -> Bool {
    clock != .min && UInt64(bitPattern: time.microseconds &- clock) <= longestStep
  }

  @inline(__always)
  mutating func countFixes(_ count: Int) { counters.acceptedFixes += UInt64(count) }

  // MARK: - Time

  @inline(__always)
  mutating func move(to time: Int64) { clock = time }

  /// Remembers a fix that is not later than the clock.
  @inline(__always)
  mutating func keep(_ fix: Fix) { lastFix = fix }

  /// Sets the clock back, and forgets the last fix and the gap, because their times were wrong.
  mutating func rewind(to time: Int64) {
    clock = time
    lastFix = nil
    gap = .min
  }

  // MARK: - Gaps

  /// Whether an event still has to be marked as following a gap.
  @inline(__always)
  var hasGap: Bool { gap != .min }

  /// Notes that the path to the next fix is unknown, so that the next event is marked as following a gap.
  mutating func markGap() { gap = .max }

  /// Returns whether a change must be marked as following a gap. The changes up to the first instant that has an event
  /// are marked.
  ///
  /// - Parameter isEvent: Whether the change becomes an event. After a change that does not become an event, the next
  ///   change is marked too.
  mutating func tellsGap(at date: Int64, isEvent: Bool) -> Bool {
    if gap == .max {
      if isEvent { gap = date }
      return true
    }
    if gap != date { gap = .min }
    return gap == date
  }

  /// Continues with another device, whose inputs are counted elsewhere.
  mutating func begin(clock: Int64, lastFix: Fix?, gap: Int64) {
    self.clock = clock
    self.lastFix = lastFix
    self.gap = gap
  }

  /// Restores the saved values.
  mutating func restore(clock: Int64, lastFix: Fix?, counters: InputCounters, gap: Int64) {
    self.clock = clock
    self.gap = gap
    self.lastFix = lastFix
    self.counters = counters
  }
}

#if FENCEPOST_INVARIANTS
  extension Timeline {
    func checkInvariants() throws(Invariant.Broken) {
      try Invariant.hold(lastFix.map { $0.time.microseconds <= clock } ?? true, "no fix is later than the clock")
    }
  }
#endif
