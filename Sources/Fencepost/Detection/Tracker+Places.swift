import FencepostKernel

/// The detector of shapes.
extension Tracker {
  /// Decides an undetermined shape by a fix, if the fix can; `false` when it stays undetermined.
  ///
  /// By the plain side of the line; a fix that is too coarse for the shape can only say "outside", and only when
  /// even its circle of uncertainty misses it.
  mutating func decide(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) -> Bool {
    let shape = table.shape(of: slot)
    let isCoarse = table.policy(of: slot).isTooCoarse(size: shape.size, accuracy: fix.accuracy)
    let margin = isCoarse ? fix.accuracy : 0
    if table.bounds(of: slot).isFarther(than: margin, position), delivery.agrees(slot, .unsatisfied) {
      settle(slot, .outside, nil, table, &survey)
      return true
    }
    let measure = shape.measure(fix.coordinate, at: position, margins: (0, margin))
    let isInside = measure.isInside
    if isCoarse, !(measure.distance - fix.accuracy > measure.line) {
      states[Int(slot)].hasMetCoarseFix = true
      journal.touch(slot, isUrgent: false)
      return false
    }
    settle(slot, isInside ? .inside : .outside, shape.local(measure, at: position), table, &survey)
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: isInside ? .satisfied : .unsatisfied,
      cause: .determination, date: Timestamp(microseconds: clock))
    entry.notify = .initial
    entry.setEvidence(
      fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position))
    delivery.observe(entry, host, table)
    return true
  }

  private mutating func settle(
    _ slot: UInt32, _ observed: Observed, _ measured: Watch.Local?, _ table: ConditionTable, _ survey: inout Survey
  ) {
    states[Int(slot)].observed = observed
    journal.touch(slot)
    refreshWatch(slot, table, &survey, measured: measured)
  }

  /// Decides what a fix can decide of the undetermined shapes, in add order.
  ///
  /// When many conditions were added most are far away and were assumed unsatisfied: the index tells the near ones, and
  /// of the others only the state is touched.
  mutating func determine(
    _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    var listed: ContiguousArray<UInt32> = []
    swap(&listed, &undetermined)
    if !undeterminedIsSorted {
      listed.removeAll { !table.isGeographic($0) && unlist($0) }
      listed.sort { table.generation(of: $0) < table.generation(of: $1) }
      undeterminedIsSorted = true
    }
    let sweeps = listed.count > 64
    if sweeps {
      survey.gathered.removeAll(keepingCapacity: true)
      table.index.collect(near: position, within: fix.accuracy, into: &survey.gathered)
      for hit in survey.gathered { states[Int(hit.id)].isNear = true }
    }
    var kept = 0
    var settled = sweeps && sweepShared(&listed, table, delivery)
    for slot in listed {
      let state = states[Int(slot)]
      guard isSweepable(slot, table) else {
        states[Int(slot)].isListed = false
        continue
      }
      if sweeps, !state.isNear, delivery.agrees(slot, .unsatisfied) {
        states[Int(slot)].observed = .outside
        states[Int(slot)].isListed = false
        journal.touch(slot)
        settled = true
      } else if decide(slot, fix, at: position, table, &delivery, &survey) {
        states[Int(slot)].isListed = false
      } else {
        listed[kept] = slot
        kept += 1
      }
    }
    if settled { neighbourhood.invalidate() }
    if sweeps { for hit in survey.gathered { states[Int(hit.id)].isNear = false } }
    listed.removeLast(listed.count - kept)
    if kept == 0, listed.capacity > 4_096 { listed = [] }
    swap(&listed, &undetermined)
  }

  /// In a fork that still shares its states: settles at once the listed shapes that are neither near nor to be told
  /// about, and leaves the others in the list.
  ///
  /// - Returns: Whether it did so.
  private mutating func sweepShared(
    _ listed: inout ContiguousArray<UInt32>, _ table: ConditionTable, _ delivery: Delivery
  ) -> Bool {
    guard states.isShared, !journal.isOn, delivery.isIdle else { return false }
    var others: ContiguousArray<UInt32> = []
    let most = states.room / 2
    for slot in listed {
      let state = states.origin(Int(slot))
      guard state.isListed, !isSweepable(slot, table) || !delivery.told.isUnchanged(slot, .unsatisfied) else {
        continue
      }
      guard others.count < most else { return false }
      others.append(slot)
    }
    for slot in others { states.takeOwn(Int(slot)) }
    others.removeAll(keepingCapacity: true)
    states.forEachChanged { slot in
      if states[slot].isListed { others.append(UInt32(truncatingIfNeeded: slot)) }
    }
    others.sort { table.generation(of: $0) < table.generation(of: $1) }
    states.sweep()
    listed = others
    return true
  }

  /// Whether a slot has a shape that waits for the fix that decides it; a suspended one waits for no fix.
  @inline(__always)
  func isSweepable(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    states[Int(slot)].observed == .undetermined && table.isGeographic(slot) && !isSuspended(slot, table)
  }

  private mutating func unlist(_ slot: UInt32) -> Bool {
    states[Int(slot)].isListed = false
    return true
  }

  /// Applies a fix to a determined shape: opens, cancels or confirms a candidate.
  mutating func cross(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ survey: inout Survey
  ) {
    let observed = states[Int(slot)].observed
    guard observed != .undetermined else { return }
    let shape = table.shape(of: slot)
    let policy = table.policy(of: slot)
    let inner = policy.marginInwards(size: shape.size, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: shape.size, accuracy: fix.accuracy)
    let measure = shape.measure(fix.coordinate, at: position, margins: (inner, outer))
    let local = shape.local(measure, at: position)
    let isOwnSide = measure.isInside == (observed == .inside)
    if isOwnSide {
      if !candidates.isEmpty, candidates.removeValue(forKey: slot) != nil {
        deadlines.cancel(slot)
        journal.touch(slot)
        refreshWatch(slot, table, &survey, measured: local)
      } else if local != nil {
        refreshWatch(slot, table, &survey, measured: local)
      }
      return
    }
    // A watch that was drawn from where the device was before is drawn anew, whatever comes of the fix.
    defer { if local != nil { refreshWatch(slot, table, &survey, measured: local) } }
    let time = fix.time.microseconds
    if let candidate = candidates[slot] {
      if !candidate.isTimed, time >= candidate.deadline { confirm(slot, candidate, date: time, table, &survey) }
      return
    }
    let isDecisive =
      observed == .inside
      ? measure.distance >= measure.line + outer
      : measure.distance <= measure.line - inner && !policy.isTooCoarse(size: shape.size, accuracy: fix.accuracy)
    guard isDecisive else { return }
    let dwell = observed == .inside ? policy.exitDwellMicroseconds : policy.entryDwellMicroseconds
    let candidate = Candidate(
      fix: fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position),
      deadline: fix.time.adding(microseconds: dwell).microseconds,
      isTimed: policy.dwellPolicy == .timer)
    if dwell == 0 {
      confirm(slot, candidate, date: time, table, &survey)
    } else {
      candidates[slot] = candidate
      journal.touch(slot)
      if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
      if local == nil { refreshWatch(slot, table, &survey) }
    }
  }

  /// Puts a crossing among those that are confirmed at this instant.
  private func confirm(
    _ slot: UInt32, _ candidate: Candidate, date: Int64, _ table: ConditionTable, _ survey: inout Survey
  ) {
    survey.confirmed.append(
      Confirmation(
        deadline: candidate.deadline, generation: table.generation(of: slot), slot: slot, date: date,
        change: .crossing(candidate)))
  }

  /// Changes the side of a shape whose crossing is confirmed.
  mutating func confirmCrossing(
    _ slot: UInt32, _ candidate: Candidate, date: Int64, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) {
    let entered = states[Int(slot)].observed == .outside
    if !candidates.isEmpty { candidates[slot] = nil }
    states[Int(slot)].observed = entered ? .inside : .outside
    journal.touch(slot)
    refreshWatch(slot, table, &survey)
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: entered ? .satisfied : .unsatisfied,
      cause: .crossing, date: Timestamp(microseconds: date))
    entry.notify = entered ? .entry : .exit
    entry.setEvidence(candidate.fix, boundaryDistance: candidate.boundaryDistance)
    delivery.observe(entry, host, table)
  }
}

extension EventEntry {
  mutating func setEvidence(_ fix: Fix, boundaryDistance: Double) {
    evidenceDate = fix.time.microseconds
    latitude = fix.coordinate.latitude
    longitude = fix.coordinate.longitude
    accuracy = fix.accuracy
    self.boundaryDistance = boundaryDistance
  }
}
