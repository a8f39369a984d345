import FencepostKernel

/// The lines that a path crosses. A line has no state: the device always counts as outside it, so a line is watched
/// like a corridor of radius 0.
extension Tracker {
  /// Lists the crossings of lines on a leg or on a part of it.
  ///
  /// - Parameters:
  ///   - fix: The end of the leg.
  ///   - start: The instant up to which the leg was examined; `nil` if it was not examined yet.
  ///   - first: Crossings before this instant are reported with this time.
  ///   - end: The last instant to examine.
  mutating func listLines(
    to fix: Fix, after start: Int64?, notBefore first: Int64, through end: Int64, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    survey.lines.clear()
    survey.nextLine = 0
    guard table.lineCount > 0, let last = timeline.lastFix else { return }
    let after = start ?? last.time.microseconds
    var search = LinePassageSearch(from: last, to: fix)
    guard after < end || search.takesNoTime else { return }
    for slot in linesReached(from: search.start(after), to: search.position(at: end), table, &survey) {
      // A line that was added or suspended after the last fix does not see crossings before it was monitored.
      let isNew = start == nil && known.shapes.observed(slot, table) == .undetermined
      if isNew && search.takesNoTime { continue }
      search.list(
        slot, table, after: isNew ? max(after, clock) : after, through: end, notBefore: first, into: &survey.lines)
    }
    survey.lines.arrange { ($0.time, $0.generation) < ($1.time, $1.generation) }
  }

  /// The lines that a part of the path may reach.
  private mutating func linesReached(
    from start: EarthVector, to end: EarthVector, _ table: ConditionTable, _ survey: inout Survey
  ) -> ContiguousArray<UInt32> {
    let chord = start.squaredChord(to: end).squareRoot()
    let sag = Leg.sag(chord) + DistanceBounds.doubt
    var slots: ContiguousArray<UInt32> = []
    if !lookout.listReached(from: start, to: end, sag: sag, into: &slots) {
      lookout.listActive(from: start, to: end, sag: sag, into: &slots)
      let middle = EarthVector(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2, z: (start.z + end.z) / 2)
      survey.collect(table.index, near: middle, within: chord / 2 + sag)
      for hit in survey.gathered where known.shapes.isSettledOutside(hit.id, table) { slots.append(hit.id) }
    }
    slots.removeAll { !isOpenLine($0, table) }
    guard !known.shapes.isSettled else { return slots }
    known.shapes.forEachException { slot, state in
      if state.observed == .undetermined, state.isListed, isOpenLine(slot, table) { slots.append(slot) }
    }
    for slot in table.order.live(after: known.shapes.sweptThrough)
    where known.shapes.exception(slot)?.isListed != true && known.shapes.observed(slot, table) == .undetermined {
      if isOpenLine(slot, table) { slots.append(slot) }
    }
    return slots
  }

  private func isOpenLine(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    table.isLive(slot) && table.kind(of: slot).isLine && !isSuspended(slot, table)
  }

  /// Adds the crossings at the time of a fix to the confirmations of that time.
  func crossLines(at fix: Fix, _ table: ConditionTable, _ survey: inout Survey) {
    while survey.nextLine < survey.lines.count {
      let passage = survey.lines[survey.nextLine]
      guard passage.time == fix.time.microseconds else { return }
      survey.nextLine += 1
      let candidate = Candidate(
        fix: passage.early ?? fix, boundaryDistance: 0, deadline: passage.time, isTimed: true,
        isOnPath: survey.isOnPath || passage.early != nil)
      survey.confirmed.append(
        Confirmation(
          deadline: passage.time, generation: passage.generation, slot: passage.slot, date: passage.time,
          change: .line(candidate, isToLeft: passage.isToLeft)))
    }
  }

  /// Reports the crossing of a line.
  mutating func confirmLine(
    _ slot: UInt32, _ candidate: Candidate, isToLeft: Bool, date: Int64, _ table: ConditionTable,
    _ delivery: inout Delivery
  ) {
    guard !isSuspended(slot, table) else { return }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unknown, cause: .crossing,
      date: Timestamp(microseconds: date))
    entry.setEvidence(
      candidate.fix, boundaryDistance: candidate.boundaryDistance, isOnPath: candidate.isOnPath)
    entry.marks.insert(isToLeft ? .rightToLeft : .leftToRight)
    if timeline.hasGap, timeline.tellsGap(at: entry.date, decided: entry.evidenceDate, isEvent: true) {
      entry.marks.insert(.gap)
    }
    observe(entry, isInitial: false, table, &delivery)
  }
}

extension Survey {
  /// The time of the next crossing of a line, in microseconds; `Int64.max` without one.
  var nextLineTime: Int64 { nextLine < lines.count ? lines[nextLine].time : .max }
}
