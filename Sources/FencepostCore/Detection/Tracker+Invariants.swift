import FencepostKernel

#if FENCEPOST_INVARIANTS
  extension Tracker {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      try Invariant.hold(seen == table.changes.version, "each change of the table was seen")
      try known.journal.checkInvariants()
      try timeline.checkInvariants()
      try deadlines.checkInvariants()
      try known.shapes.checkInvariants(table)
      try known.candidates.checkInvariants()
      try known.beacons.checkInvariants()
      try Invariant.hold(
        !isWaitingForFix(table) || lookout.safe.squaredRadius <= 0,
        "there is no safe region while a shape is undetermined")
      for slot in table.live {
        if isSuspended(slot, table) {
          try Invariant.hold(
            observed(slot, table) == .undetermined && known.candidate(of: slot) == nil
              && known.beacon(slot)?.deadline ?? .max == .max,
            "a suspended condition is undetermined, without a candidate and a deadline")
        }
        if table.isGeographic(slot) {
          try checkShape(slot, known.shapes.state(of: slot, table), table)
        } else {
          try checkBeacon(slot)
        }
      }
      let beacons = table.live.filter { !table.isGeographic($0) }
      try Invariant.hold(
        Set(known.beacons.slots) == Set(beacons), "a beacon condition has a track, and nothing else has")
      let shapes = Set(table.live).subtracting(beacons)
      try Invariant.hold(shapes.isSuperset(of: known.candidates.slots), "a candidate is a shape's")
      try lookout.checkInvariants(known, shapes, table)
    }

    private func checkShape(
      _ slot: UInt32, _ state: SlotState, _ table: ConditionTable
    ) throws(Invariant.Broken) {
      let candidate = known.candidate(of: slot)
      try Invariant.hold(candidate == nil || state.observed != .undetermined, "a candidate is of a determined shape")
      if let candidate, candidate.isTimed {
        try Invariant.hold(
          deadlines.reminder(of: slot).map { $0 <= candidate.deadline } ?? false,
          "a candidate with a timer has a reminder no later than its deadline")
      }
      try Invariant.hold(
        (state.active != SlotState.none)
          == (state.observed == .inside || candidate != nil
            || (state.observed == .outside && table.shape(of: slot).isNear(lookout.local(state)))),
        "a shape is active when it is inside, has a candidate or was measured near")
      if state.observed == .undetermined, !isSuspended(slot, table) {
        try Invariant.hold(
          state.isListed || table.generation(of: slot) > known.shapes.sweptThrough,
          "an undetermined shape that is evaluated is listed, or to be swept through")
      }
    }

    private func checkBeacon(_ slot: UInt32) throws(Invariant.Broken) {
      guard let deadline = known.beacon(slot)?.deadline, deadline != .max else { return }
      try Invariant.hold(
        deadlines.reminder(of: slot).map { $0 <= deadline } ?? false,
        "an absence that is counted has a reminder no later than its deadline")
    }
  }

  extension Watches {
    /// - Parameter index: What a slot knows of its place; `SlotState.none` for none.
    func checkInvariants(_ index: (UInt32) -> UInt32) throws(Invariant.Broken) {
      for (place, watch) in watches.enumerated() {
        try Invariant.hold(index(watch.slot) == UInt32(place), "who is active knows its place")
      }
      try Invariant.hold(
        localCount == 0 || localCount == watches.count, "each watch has its place of measurement, or none has")
    }
  }
#endif
