import FencepostKernel

#if FENCEPOST_INVARIANTS
  extension Tracker {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      try Invariant.hold(seen == table.changes.version, "the tracker has seen each change of the table")
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
        } else if table.kind(of: slot).isRule {
          try checkRule(slot, table)
        } else {
          try checkBeacon(slot)
        }
      }
      let beacons = table.live.filter { table.kind(of: $0).isBeacon }
      try Invariant.hold(
        Set(known.beacons.slots) == Set(beacons), "exactly the beacon conditions have a track")
      let shapes = Set(table.live.filter { table.isGeographic($0) })
      try checkRules(table)
      try Invariant.hold(shapes.isSuperset(of: known.candidates.slots), "only shapes have candidates")
      try lookout.checkInvariants(known, shapes, table)
    }

    private func checkShape(
      _ slot: UInt32, _ state: SlotState, _ table: ConditionTable
    ) throws(Invariant.Broken) {
      let candidate = known.candidate(of: slot)
      try Invariant.hold(candidate == nil || state.observed != .undetermined, "only determined shapes have candidates")
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
          "an evaluated undetermined shape is listed, or the sweep will reach it")
      }
    }

    private func checkRules(_ table: ConditionTable) throws(Invariant.Broken) {
      guard let rules = table.rules else { return }
      try rules.checkInvariants(table)
      guard let states = known.rules else { return }
      try Invariant.hold(
        states.marks.isEmpty && states.listed.isEmpty && states.due.isEmpty && states.repeats.isEmpty && !states.isBusy,
        "no rule waits for the end of an instant between two inputs")
      for slot in table.live {
        guard let part = rules.part(in: slot) else { continue }
        let isInactive = known.hasTimed && isInactive(slot)
        try Invariant.hold(
          states.cells[Int(part)].counted == (isInactive ? .unsatisfied : known.observed(slot, table).state),
          "rules have counted the state of each part")
      }
    }

    private func checkRule(_ slot: UInt32, _ table: ConditionTable) throws(Invariant.Broken) {
      guard let rules = table.rules, let cell = ruleCell(of: slot, table) else { return }
      let name = rules.name(of: slot)
      var (satisfied, unknown) = (0, 0)
      for index in 0..<rules.partCount(of: name) {
        let counted = known.rules?.cells[Int(rules.part(index, of: name))].counted
        if counted == .satisfied { satisfied += 1 }
        if counted == .unknown { unknown += 1 }
      }
      try Invariant.hold(
        Int(cell.satisfied) == satisfied && Int(cell.unknown) == unknown, "a rule has counted its parts")
      try Invariant.hold(
        cell.candidate < 0 || cell.observed != .undetermined, "only determined rules have candidates")
      if let candidate = ruleCandidate(of: slot, table) {
        try Invariant.hold(
          deadlines.reminder(of: slot).map { $0 <= candidate.deadline } ?? false,
          "the candidate of a rule has a reminder no later than its deadline")
      }
    }

    private func checkBeacon(_ slot: UInt32) throws(Invariant.Broken) {
      guard let deadline = known.beacon(slot)?.deadline, deadline != .max else { return }
      try Invariant.hold(
        deadlines.reminder(of: slot).map { $0 <= deadline } ?? false,
        "each absence has a reminder no later than its deadline")
    }
  }

  extension Watches {
    /// - Parameter index: The slot's index in ``Watches``; `SlotState.none` if it has none.
    func checkInvariants(_ index: (UInt32) -> UInt32) throws(Invariant.Broken) {
      for (place, watch) in watches.enumerated() {
        try Invariant.hold(index(watch.slot) == UInt32(place), "an active shape has the right place")
      }
      try Invariant.hold(
        localCount == 0 || localCount == watches.count, "all watches have a place of measurement, or none has one")
    }
  }
#endif
