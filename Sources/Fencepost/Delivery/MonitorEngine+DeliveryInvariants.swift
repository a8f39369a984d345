import FencepostKernel

#if FENCEPOST_INVARIANTS
  extension MonitorEngine {
    func checkDelivery() throws(Invariant.Broken) {
      let inFlight = ContiguousArray(self.inFlight.filter { isLive($0) })
      var waiting: [EventEntry] = []
      var known: Set<UInt64> = []
      // A change of flags that is told in a later event may stand in the queue a second time, with its first place.
      queue.forEach { if isWaiting($0), known.insert($0.change).inserted { waiting.append($0) } }
      try Invariant.hold(
        pendingEvents == waiting.count, "\(pendingEvents) events are counted as waiting, \(waiting.count) are")
      try queue.checkInvariants()
      try checkSequences(inFlight, waiting)
      try records.checkInvariants(table.live.map { states[Int($0)].record }.filter { $0 != SlotState.none })
      let pending = Dictionary((inFlight + waiting).map { ($0.change, $0) }) { one, _ in one }
      try Invariant.hold(pending.count == inFlight.count + waiting.count, "no two events have one change number")
      switch options.delivery {
      case .every:
        try silent.checkInvariants(pending, isLive: isLive)
        try Invariant.hold(turn.isIdle && turn.present.isEmpty && turn.flags.isEmpty, "with every nobody takes turns")
      case .first, .latest:
        try turn.checkInvariants(Array(inFlight))
        try Invariant.hold(waiting.count == turn.waiting.count, "what waits stands in the queue")
      }
      try checkTold(pending)
    }

    private func checkSequences(
      _ inFlight: ContiguousArray<EventEntry>, _ waiting: [EventEntry]
    ) throws(Invariant.Broken) {
      try Invariant.hold(handedOut <= self.inFlight.count, "no more is handed out than is in flight")
      for (one, next) in zip(self.inFlight, self.inFlight.dropFirst()) {
        try Invariant.hold(one.sequence < next.sequence, "events are in flight in the order of their sequence numbers")
      }
      try Invariant.hold(
        self.inFlight.allSatisfy { $0.sequence >= 1 && $0.sequence <= lastSequence },
        "a sequence number is given at the first hand-out")
      try Invariant.hold(
        waiting.allSatisfy { $0.sequence == 0 }, "what waits has no sequence number")
      try Invariant.hold(
        (inFlight + waiting).allSatisfy { $0.change <= lastChange }, "no event is beyond the last change")
      var counts: [UInt32: UInt32] = [:]
      for entry in waiting { counts[entry.slot, default: 0] += 1 }
      for slot in table.live {
        try Invariant.hold(states[Int(slot)].waiting == counts[slot] ?? 0, "a condition counts its waiting events")
      }
    }

    /// What a condition's consumer was or will be told is what its last event says that waits, else its record.
    private func checkTold(_ pending: [UInt64: EventEntry]) throws(Invariant.Broken) {
      var last: [UInt32: EventEntry] = [:]
      func look(_ entry: EventEntry) {
        if isLive(entry), last[entry.slot].map({ $0.change < entry.change }) ?? true { last[entry.slot] = entry }
      }
      if options.delivery == .every {
        for entry in pending.values { look(entry) }
        silent.forEach { entry, _ in look(entry) }
      }
      for slot in table.live {
        let told = last[slot] ?? lastEntry(of: slot)
        let state = states[Int(slot)]
        try Invariant.hold(
          state.noted == told.state && UInt32(state.notedFlags) == told.diagnostics.rawValue,
          "what was told of a condition is what its last event says")
      }
    }
  }
#endif
