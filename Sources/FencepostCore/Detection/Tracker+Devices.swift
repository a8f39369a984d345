import FencepostKernel

/// The distance that a device can move before a fix may change a state.
struct Clearance {
  /// The distance in metres.
  var slack = 0.0
  /// The nearest of the shapes that the device is settled outside of.
  var nearest = NearestCap(within: 0)
  /// Whether the surroundings of the device were known, so that no search was made.
  var isOfSurroundings: Bool
}

/// A tracker evaluates many devices in turn: the caller loads the state of a device, applies an input, and reads the
/// new state. The tracker has no neighbourhood.
extension Tracker {
  /// Discards the previous device, and starts with a device that is settled outside every shape up to a generation.
  ///
  /// - Parameter beaconsAbsent: See ``DeviceState/beaconsAbsent``.
  mutating func begin(
    clock: Int64, lastFix: Fix?, gap: Int64, host: HostState, isScanning: Bool, seen: UInt64, beaconsAbsent: UInt64,
    _ table: ConditionTable
  ) {
    timeline.begin(clock: clock, lastFix: lastFix, gap: gap)
    known.begin(
      host: host, isScanning: isScanning, sweptThrough: seen, beaconsAbsent: beaconsAbsent, table)
    lookout.removeAll()
    deadlines.removeAll()
  }

  /// Loads the doubted fixes, which only an explanation needs; a fleet judges the fixes of its devices itself.
  mutating func load(_ chain: DoubtChain) { timeline.load(chain) }

  /// Sets the error ellipse of the last fix.
  mutating func load(_ ellipse: FixEllipse?) { timeline.setEllipse(ellipse, of: counters.acceptedFixes) }

  /// Sets the heights of the last fix and of the fix that is applied next; without such a fix, both are those of the
  /// last fix. The error ellipse must be set later.
  mutating func load(known: FixHeight?, _ next: FixHeight?) { timeline.load(known: known, next) }

  /// Loads the unconfirmed crossing of a shape. This must be done before the shape itself is loaded.
  mutating func load(_ slot: UInt32, _ candidate: Candidate) {
    known.open(candidate, slot)
    if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
  }

  /// Loads a shape that the device is inside, or that has an unconfirmed crossing.
  mutating func load(_ slot: UInt32, _ observed: Observed, _ table: ConditionTable) {
    lookout.load(slot, observed, &known, table)
  }

  /// Loads a shape that remained undetermined at the last fix, because that fix was too coarse.
  mutating func loadUndecided(_ slot: UInt32, _ table: ConditionTable) {
    known.setTooCoarse(slot, table)
    known.wait(slot, table)
  }

  /// Makes a shape undetermined: it is suspended, or no fix has determined it since its suspension ended.
  mutating func forgetShape(_ slot: UInt32, _ table: ConditionTable) {
    known.keepUndetermined(slot, table)
    known.wait(slot, table)
  }

  /// Replaces the state of a beacon by a saved one.
  mutating func load(_ slot: UInt32, _ track: BeaconTrack) {
    deadlines.cancel(slot)
    known.load(slot, track)
    if track.deadline != .max { deadlines.schedule(slot, at: track.deadline) }
  }

  /// Applies a fix like ``evaluate(_:_:_:_:)``, but without a neighbourhood.
  ///
  /// - Parameters:
  ///   - radius: The radius of the search for thresholds, in metres.
  ///   - nearest: The nearest of the shapes that the device is settled outside of, if it is known.
  ///   - patches: The patches of the index that were created so far.
  /// - Returns: The distance that the device can move before a fix may change a state, at most the radius; `nil` if all
  ///   shapes are suspended.
  @inline(never)
  mutating func evaluateAlone(
    _ fix: Fix, at position: EarthVector, within radius: Double, _ nearest: NearestCap?, _ patches: CapPatches,
    _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) -> Clearance? {
    timeline.beginArrival(at: fix.time.microseconds)
    if options.path.isGeodesic { walk(to: fix, at: position, table, &delivery, &survey) }
    passTime(to: fix.time, table, &delivery, &survey)
    timeline.keep(fix)
    timeline.endArrival()
    if known.host.suspendsAllShapes {
      confirmDue(through: clock, table, &delivery, &survey, ending: .input)
      return nil
    }
    survey.begin()
    let isKnown = nearest != nil && known.shapes.isSettled
    if isKnown, let nearest {
      survey.gather(nearest, around: position)
    } else {
      // One query of the index serves both purposes, unless the fix is so coarse that the query would find too many
      // shapes.
      let isSuspendedPartly = known.host.suspendsSomeShapes || known.hasTimed
      let isFine = reachOfDetermination(fix, table) <= radius
      if isFine { survey.gather(table.index, patches, around: position, within: radius) }
      if isSuspendedPartly { leaveOutSuspended(table, &survey) }
      if !known.shapes.isSettled { determineAlone(fix, at: position, table, &delivery, &survey) }
      if !isFine {
        survey.gather(table.index, patches, around: position, within: radius)
        if isSuspendedPartly { leaveOutSuspended(table, &survey) }
      }
    }
    lookout.sortGathered(at: position, known.shapes, table, &survey)
    crossReached(fix, at: position, table, &delivery, &survey)
    if !survey.lines.isEmpty { crossLines(at: fix, table, &survey) }
    confirmDue(through: clock, table, &delivery, &survey, ending: .input)
    var clearance = Clearance(isOfSurroundings: isKnown)
    guard known.shapes.isSettled else { return clearance }
    clearance.nearest = NearestCap(within: survey.radius)
    for near in survey.near { clearance.nearest.add(near.slot, slack: near.slack) }
    for slot in survey.released where known.shapes.isSettledOutside(slot, table) {
      clearance.nearest.add(slot, slack: table.entrySlack(slot, at: position))
    }
    let active = lookout.leastActiveSlack(at: position, table)
    clearance.slack = min(clearance.nearest.slack, active.all)
    clearance.nearest.limit(to: active.measured)
    return clearance
  }

  /// Removes the shapes that are suspended from those that were gathered.
  @inline(never)
  private func leaveOutSuspended(_ table: ConditionTable, _ survey: inout Survey) {
    survey.gathered.removeAll { isSuspended($0.id, table) }
  }

  /// Determines the undetermined shapes that a fix can determine, in add order. Shapes that the fix settles as outside
  /// without an event are not examined.
  private mutating func determineAlone(
    _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    let swept = known.shapes.sweptThrough
    let isSwept = known.shapes.isSwept
    var slots = known.takeListed(table)
    if !isSwept {
      // After a rewind, no shape is swept and none is listed.
      known.shapes.forEachException { slot, state in if state.observed == .undetermined { slots.append(slot) } }
      let reach = reachOfDetermination(fix, table)
      if survey.radius < reach {
        survey.gathered.clear()
        table.index.collect(near: position, within: reach, into: &survey.gathered)
      }
      for hit in survey.gathered
      where Double(hit.slack) <= reach && table.generation(of: hit.id) > swept { slots.append(hit.id) }
      if table.order.announcedCount > 0 {
        table.order.forEachAnnounced(after: swept) { slot in
          if table.generation(of: slot) > swept, table.isGeographic(slot) { slots.append(slot) }
        }
      }
      if known.hasTimed { slots.append(contentsOf: known.timedSlots) }
      if table.rules != nil { appendParts(to: &slots, after: swept, near: survey.gathered, table) }
      if known.host.suspendsSomeShapes || known.hasTimed { slots.removeAll { isSuspended($0, table) } }
      // A shape that was absent is determined already.
      if known.hasTimed { slots.removeAll { !table.isGeographic($0) || known.observed($0, table) != .undetermined } }
      table.putInOrder(&slots)
    }
    known.sweep(table)
    if known.hasTimed { keepSuspended(table) }
    for slot in slots {
      if !decide(slot, fix, at: position, table, &delivery, &survey) { known.wait(slot, table) }
    }
  }

  /// Calls `body` with the shapes that remain undetermined and whose kinds are supported.
  func forEachUndecided(_ table: ConditionTable, _ body: (UInt32) -> Void) {
    if !known.shapes.isSettled {
      known.shapes.forEachException { slot, state in
        if state.observed == .undetermined, known.host.supports(table.kind(of: slot)) { body(slot) }
      }
    }
  }
}
