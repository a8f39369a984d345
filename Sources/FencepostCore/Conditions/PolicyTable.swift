import FencepostKernel

/// The distinct policies of the conditions, each with the timing and the band of the condition, and with the number of
/// uses. A condition stores only an index, so conditions that share a schedule store it once.
struct PolicyTable: Sendable {
  private(set) var policies: ContiguousArray<TransitionPolicy> = []
  /// The timings, at the indices of `policies`. The array ends with the last timing that is not ``ConditionTiming/none``.
  private var timings: ContiguousArray<ConditionTiming> = []
  /// The bands, as `timings`.
  private var bands: ContiguousArray<AltitudeBand> = []
  private var rare: ContiguousArray<Rare> = [Rare()]
  /// The number of distinct policies in use that have probabilities.
  private var probabilityCount = 0

  /// Data that only changes of the table need. An array stores it apart, so that a copy of the table is smaller.
  private struct Rare: Sendable {
    var uses: ContiguousArray<Int> = []
    var indices = [TimedPolicy: UInt32]()
    /// The index that was taken last, so that a long schedule is not hashed for each of many conditions.
    var last: UInt32 = 0
    var free: ContiguousArray<UInt32> = []
  }

  private struct TimedPolicy: Hashable {
    var policy: TransitionPolicy
    var timing: ConditionTiming
    var band: AltitudeBand

    // Not inlined, because the dictionary has several copies of each call.
    @inline(never)
    static func == (one: TimedPolicy, other: TimedPolicy) -> Bool {
      one.policy == other.policy && one.timing == other.timing && one.band == other.band
    }

    @inline(never)
    func hash(into hasher: inout Hasher) {
      hasher.combine(policy)
      hasher.combine(timing)
      hasher.combine(band)
    }
  }

  /// Whether a condition has a timing.
  @inline(__always)
  var hasTimings: Bool { !timings.isEmpty }

  /// The timing with an index; `nil` if the condition has none.
  @inline(never)
  func timing(_ index: UInt32) -> ConditionTiming? {
    guard Int(index) < timings.count, !timings[Int(index)].isNone else { return nil }
    return timings[Int(index)]
  }

  /// Whether a condition has a band.
  @inline(__always)
  var hasBands: Bool { !bands.isEmpty }

  /// The band with an index; `nil` if the condition has none.
  @inline(never)
  func band(_ index: UInt32) -> AltitudeBand? {
    guard Int(index) < bands.count, !bands[Int(index)].isNone else { return nil }
    return bands[Int(index)]
  }

  /// One more than the largest index of a timing.
  var timingCount: Int { timings.count }

  /// The first edge of the schedule of a timing after a time, in microseconds; `Int64.max` without an edge.
  @inline(never)
  func edge(of index: UInt32, after time: Int64) -> Int64 {
    guard Int(index) < timings.count, let schedule = timings[Int(index)].schedule else { return .max }
    return schedule.nextEdge(after: time)
  }

  /// The first edge of all schedules after a time, in microseconds; `Int64.max` without edges.
  @inline(never)
  func nextEdge(after time: Int64) -> Int64 {
    var next = Int64.max
    for index in timings.indices { next = min(next, edge(of: UInt32(index), after: time)) }
    return next
  }

  /// The first start of all schedules after a time, in microseconds; `Int64.max` without starts.
  @inline(never)
  func nextStart(after time: Int64) -> Int64 {
    var next = Int64.max
    for timing in timings { next = min(next, timing.schedule?.nextStart(after: time) ?? .max) }
    return next
  }

  /// Whether a condition has a policy with probabilities.
  @inline(__always)
  var hasProbabilities: Bool { probabilityCount > 0 }

  mutating func take(
    _ policy: TransitionPolicy, _ timing: ConditionTiming, _ band: AltitudeBand = .none
  ) -> UInt32 {
    if let known = index(of: policy, timing, band) {
      rare[0].last = known
      rare[0].uses[Int(known)] += 1
      return known
    }
    if policy.hasProbability { probabilityCount += 1 }
    let index: UInt32
    if let reused = rare[0].free.popLast() {
      index = reused
      policies[Int(index)] = policy
      rare[0].uses[Int(index)] = 1
    } else {
      index = UInt32(policies.count)
      policies.append(policy)
      rare[0].uses.append(1)
    }
    rare[0].indices[TimedPolicy(policy: policy, timing: timing, band: band)] = index
    if !band.isNone { set(index, band) }
    if !timing.isNone {
      while timings.count <= Int(index) { timings.append(.none) }
      timings[Int(index)] = timing
    }
    rare[0].last = index
    return index
  }

  /// Sets the band with an index.
  @inline(never)
  private mutating func set(_ index: UInt32, _ band: AltitudeBand) {
    while bands.count <= Int(index) { bands.append(.none) }
    bands[Int(index)] = band
    while let last = bands.last, last.isNone { bands.removeLast() }
  }

  private func index(of policy: TransitionPolicy, _ timing: ConditionTiming, _ band: AltitudeBand) -> UInt32? {
    let last = rare[0].last
    if Int(last) < rare[0].uses.count, rare[0].uses[Int(last)] > 0,
      timing.isNone && !hasTimings || self.timing(last) ?? .none == timing, policies[Int(last)] == policy,
      band.isNone && !hasBands || self.band(last) ?? .none == band
    {
      return last
    }
    return rare[0].indices[TimedPolicy(policy: policy, timing: timing, band: band)]
  }

  mutating func release(_ index: UInt32) {
    rare[0].uses[Int(index)] -= 1
    if rare[0].uses[Int(index)] == 0 {
      if policies[Int(index)].hasProbability { probabilityCount -= 1 }
      let timing = timing(index)
      let band = band(index)
      rare[0].indices[TimedPolicy(policy: policies[Int(index)], timing: timing ?? .none, band: band ?? .none)] = nil
      if band != nil { set(index, .none) }
      if timing != nil {
        timings[Int(index)] = .none
        while let last = timings.last, last.isNone { timings.removeLast() }
      }
      rare[0].free.append(index)
    }
  }

  @inline(__always)
  subscript(index: UInt32) -> TransitionPolicy { policies[Int(index)] }
}

#if FENCEPOST_INVARIANTS
  extension PolicyTable {
    /// - Parameter used: The index of each condition's policy.
    func checkInvariants(_ used: some Sequence<UInt32>) throws(Invariant.Broken) {
      var counts = ContiguousArray(repeating: 0, count: policies.count)
      for index in used { counts[Int(index)] += 1 }
      try Invariant.hold(counts == rare[0].uses, "a policy is counted once for each condition that has it")
      try Invariant.hold(
        rare[0].indices.count + rare[0].free.count == policies.count
          && rare[0].indices.allSatisfy {
            policies[Int($1)] == $0.policy && timing($1) ?? .none == $0.timing && band($1) ?? .none == $0.band
          },
        "a policy in use is found, and stored once")
      try Invariant.hold(
        probabilityCount == rare[0].indices.keys.count { $0.policy.hasProbability },
        "the policies with probabilities are counted")
    }
  }
#endif
