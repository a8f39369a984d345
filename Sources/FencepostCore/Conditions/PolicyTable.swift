import FencepostKernel

/// The distinct policies of the conditions, with the number of uses of each. A condition stores only an index.
struct PolicyTable: Sendable {
  private(set) var policies: ContiguousArray<TransitionPolicy> = []
  private var uses: ContiguousArray<Int> = []
  private var indices: [TransitionPolicy: UInt32] = [:]
  private var free: ContiguousArray<UInt32> = []

  mutating func take(_ policy: TransitionPolicy) -> UInt32 {
    if let index = indices[policy] {
      uses[Int(index)] += 1
      return index
    }
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
    indices[policy] = index
    return index
  }

  mutating func release(_ index: UInt32) {
    uses[Int(index)] -= 1
    if uses[Int(index)] == 0 {
      indices[policies[Int(index)]] = nil
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
        indices.count + free.count == policies.count && indices.allSatisfy { policies[Int($1)] == $0 },
        "a policy in use is found, and stored once")
    }
  }
#endif
