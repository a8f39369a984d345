import FencepostKernel

/// How far the inputs of one device have come: the clock, the last fix, the counters.
///
/// All of it stands in rows that each save writes, so that no change of it has to be noted.
struct Timeline: Sendable {
  /// The largest time given, microseconds; `Int64.min` = unset.
  private(set) var clock: Int64 = .min
  /// The latest fix with a valid position.
  private(set) var lastFix: Fix?
  var counters = InputCounters()
  /// What the next event has to say of a gap before it; see ``markGap()``.
  private(set) var gap: Int64 = .min

  // MARK: - Inputs

  /// Whether an input comes neither before the clock nor later than a step allows: what ``Admission`` accepts, in one
  /// comparison. Not before any time is known.
  ///
  /// - Parameters:
  ///   - time: In range.
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

  /// Sets the clock back; the last fix rests on times that are no times.
  mutating func rewind(to time: Int64) {
    clock = time
    lastFix = nil
    gap = .min
  }

  // MARK: - Gaps

  /// Whether an event is still to say that there was a gap before it.
  @inline(__always)
  var hasGap: Bool { gap != .min }

  /// Takes note that the path to the fix that comes is not known: the next event says so.
  mutating func markGap() { gap = .max }

  /// Whether a change is to say that there was a gap before it: those of the first instant that has an event do.
  ///
  /// - Parameter isEvent: whether it becomes an event. One that does not leaves it to the next.
  mutating func tellsGap(at date: Int64, isEvent: Bool) -> Bool {
    if gap == .max {
      if isEvent { gap = date }
      return true
    }
    if gap != date { gap = .min }
    return gap == date
  }

  /// Begins with another device, whose inputs are counted elsewhere.
  mutating func begin(clock: Int64, lastFix: Fix?, gap: Int64) {
    self.clock = clock
    self.lastFix = lastFix
    self.gap = gap
  }

  /// Takes what was saved.
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
