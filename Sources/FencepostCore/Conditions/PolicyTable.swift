import FencepostKernel

/// The distinct policies of the conditions, each with the timing of the condition, and with the number of uses. A
/// condition stores only an index, so conditions that share a schedule store it once.
struct PolicyTable: Sendable {
  private(set) var policies: ContiguousArray<TransitionPolicy> = []
  private var uses: ContiguousArray<Int> = []
  /// The timings, at the indices of `policies`. The array ends with the last timing that is not ``ConditionTiming/none``.
  private var timings: ContiguousArray<ConditionTiming> = []
  private var indices: [TimedPolicy: UInt32] = [:]
  /// The index that was taken last, so that a long schedule is not hashed for each of many conditions.
  private var last: UInt32 = 0
  private var free: ContiguousArray<UInt32> = []
  /// The number of distinct policies in use that have probabilities.
  private var probabilityCount = 0

  private struct TimedPolicy: Hashable {
    var policy: TransitionPolicy
    var timing: ConditionTiming

    // Not inlined, because the dictionary has several copies of each call.
    @inline(never)
    static func == (one: TimedPolicy, other: TimedPolicy) -> Bool {
      one.policy == other.policy && one.timing == other.timing
    }

    @inline(never)
    func hash(into hasher: inout Hasher) {
      hasher.combine(policy)
      hasher.combine(timing)
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

  /// For each index of a timing, 1 if its schedule has an edge at a time, and 0 otherwise.
  @inline(never)
  func marks(edge time: Int64) -> ContiguousArray<UInt8> {
    var marks = ContiguousArray<UInt8>(repeating: 0, count: timings.count)
    for index in timings.indices where timings[index].schedule?.nextEdge(after: time - 1) == time { marks[index] = 1 }
    return marks
  }

  /// The first edge of all schedules after a time, in microseconds; `Int64.max` without edges.
  @inline(never)
  func nextEdge(after time: Int64) -> Int64 {
    var next = Int64.max
    for timing in timings {
      if let schedule = timing.schedule { next = min(next, schedule.nextEdge(after: time)) }
    }
    return next
  }

  /// Whether a condition has a policy with probabilities.
  @inline(__always)
  var hasProbabilities: Bool { probabilityCount > 0 }

  mutating func take(_ policy: TransitionPolicy, _ timing: ConditionTiming) -> UInt32 {
    if let known = index(of: policy, timing) {
      last = known
      uses[Int(known)] += 1
      return known
    }
    if policy.hasProbability { probabilityCount += 1 }
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
      policies[Int(index)] = policy
      uses[Int(index)] = 1
    } else {
      index = UInt32(policies.count)
      policies.append(policy)
      uses.append(1)
    }
    indices[TimedPolicy(policy: policy, timing: timing)] = index
    if !timing.isNone {
      while timings.count <= Int(index) { timings.append(.none) }
      timings[Int(index)] = timing
    }
    last = index
    return index
  }

  private func index(of policy: TransitionPolicy, _ timing: ConditionTiming) -> UInt32? {
    if Int(last) < uses.count, uses[Int(last)] > 0,
      timing.isNone && !hasTimings || self.timing(last) ?? .none == timing, policies[Int(last)] == policy
    {
      return last
    }
    return indices[TimedPolicy(policy: policy, timing: timing)]
  }

  mutating func release(_ index: UInt32) {
    uses[Int(index)] -= 1
    if uses[Int(index)] == 0 {
      if policies[Int(index)].hasProbability { probabilityCount -= 1 }
      let timing = timing(index)
      indices[TimedPolicy(policy: policies[Int(index)], timing: timing ?? .none)] = nil
      if timing != nil {
        timings[Int(index)] = .none
        while let last = timings.last, last.isNone { timings.removeLast() }
      }
      free.append(index)
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
      try Invariant.hold(counts == uses, "a policy is counted once for each condition that has it")
      try Invariant.hold(
        indices.count + free.count == policies.count
          && indices.allSatisfy { policies[Int($1)] == $0.policy && timing($1) ?? .none == $0.timing },
        "a policy in use is found, and stored once")
      try Invariant.hold(
        probabilityCount == indices.keys.count { $0.policy.hasProbability },
        "the policies with probabilities are counted")
    }
  }
#endif
