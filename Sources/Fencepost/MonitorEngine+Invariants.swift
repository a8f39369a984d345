package import FencepostKernel

#if FENCEPOST_INVARIANTS
  extension MonitorEngine {
    /// Every invariant of the page Architecture that can be computed.
    ///
    /// - Complexity: O(conditions × conditions that overlap)
    package func checkInvariants() throws(Invariant.Broken) {
      try table.checkInvariants()
      try limit.checkInvariants(conditions: table.count)
      for slot in liveSlots {
        try Invariant.hold(
          states[Int(slot)].isOverLimit == (limit.ticket(of: slot) != nil), "who waits under the limit knows it")
      }
      try checkBeaconIdentities()
      try checkDetection()
      try checkDelivery()
      try checkJournal()
    }

    /// The slots that have a condition, in add order.
    var liveSlots: some Sequence<UInt32> { table.order.slots.lazy.filter { $0 != AddOrder.gap } }

    private func checkBeaconIdentities() throws(Invariant.Broken) {
      var expected: [BeaconIdentityCondition: Set<UInt32>] = [:]
      for slot in liveSlots { if let beacon = table.beacon(of: slot) { expected[beacon, default: []].insert(slot) } }
      let found = beaconSlots.mapValues { Set($0) }
      try Invariant.hold(
        expected == found && beaconSlots.allSatisfy { $1.count == found[$0]?.count },
        "a beacon's identity leads to its conditions, each once")
    }

    private func checkJournal() throws(Invariant.Broken) {
      try journal.checkInvariants(
        isTouched: { states[Int($0)].isTouched }, slots: states.indices, isLive: isLive)
    }
  }
#endif
