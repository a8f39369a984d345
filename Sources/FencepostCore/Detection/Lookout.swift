import FencepostKernel

/// Which thresholds a fix can reach: the link between the detectors and the index.
///
/// A shape that is settled outside can only be entered: it is found through the index. All others are in ``Watches``, each
/// with the one threshold at which something may change. The ``Neighbourhood`` has what is nearest of both.
///
/// It follows from what is believed of the shapes, which comes with each call; of that it changes only where a shape's watch
/// stands.
struct Lookout: Sendable {
  private var active = Watches()
  private var neighbourhood = Neighbourhood()

  /// No threshold can be reached within it.
  @inline(__always)
  var safe: Neighbourhood.SafeRegion { neighbourhood.safe }

  /// The shapes that are not settled outside, among them all that are inside, in no particular order.
  var watched: some Sequence<UInt32> { active.watches.lazy.map { $0.slot } }

  /// Whether the list of what is near holds all that can matter at a position.
  @inline(__always)
  func covers(_ position: EarthVector) -> Bool { neighbourhood.covers(position) }

  /// Whether there is a list of what is near.
  @inline(__always)
  var hasList: Bool { neighbourhood.isValid }

  /// Gives up the list of what is near.
  mutating func invalidate() {
    neighbourhood.invalidate()
  }

  mutating func removeSafeRegion() {
    neighbourhood.removeSafeRegion()
  }

  /// Forgets everything.
  mutating func removeAll() {
    neighbourhood.invalidate()
    active.removeAll()
  }

  /// Forgets a slot, whatever condition has or had it.
  mutating func forget(_ slot: UInt32, _ known: inout ObservedStates, _ table: ConditionTable) {
    if let index = known.shapes.exception(slot)?.active, index != SlotState.none {
      known.setActive(slot, SlotState.none, table)
      if let moved = active.remove(index) { known.setActive(moved, index, table) }
    }
    neighbourhood.update(slot, nil)
  }

  /// Brings `active` and the neighbourhood in line with the state of a shape.
  ///
  /// - Parameters:
  ///   - observed: What is believed of it from now on, which is noted; `nil`: as before.
  ///   - measured: where the shape was measured just now.
  mutating func refresh(
    _ slot: UInt32, as observed: Observed?, _ known: inout ObservedStates, _ table: ConditionTable,
    _ survey: inout Survey, measured: Watch.Local?
  ) {
    if let observed, observed != .undetermined, known.candidates.isEmpty, table.isRound(slot) {
      return refreshCircle(slot, as: observed, &known, table, &survey)
    }
    let state = known.shapes.state(of: slot, table)
    let side = observed ?? state.observed
    var local = measured ?? (state.active == SlotState.none ? nil : active.local(state.active))
    let candidate = known.candidate(of: slot)
    var watch: Watch?
    var index = state.active
    if side == .inside
      || (side == .outside && (candidate != nil || table.shape(of: slot).isNear(local)))
    {
      let drawn = table.activeWatch(slot, side, candidate, from: local)
      watch = drawn
      if local != nil { local?.passage = table.activePassage(slot, side, candidate) }
      if index == SlotState.none {
        index = active.append(drawn, local)
      } else {
        active.update(index, drawn, local)
      }
    } else {
      if side == .outside { watch = table.entryWatch(slot) }
      if index != SlotState.none {
        if let moved = active.remove(index) { known.setActive(moved, index, table) }
        index = SlotState.none
        survey.release(slot)
      }
    }
    known.set(slot, from: state, to: observed, active: index, table)
    neighbourhood.update(slot, watch)
  }

  /// Notes where a shape was measured just now, if it is active. The caller refreshes the shape later, as a part of the
  /// same fix.
  ///
  /// - Returns: Whether the shape is active.
  @inline(__always)
  mutating func note(_ slot: UInt32, _ shapes: SlotStates, measured: Watch.Local?) -> Bool {
    guard let measured, let index = shapes.exception(slot)?.active, index != SlotState.none else { return false }
    active.note(index, measured)
    return true
  }

  /// The same for a circle whose side is determined, while no crossing is in the making.
  private mutating func refreshCircle(
    _ slot: UInt32, as observed: Observed, _ known: inout ObservedStates, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    let state = known.shapes.state(of: slot, table)
    var index = state.active
    if observed == .inside {
      let exit = table.activeWatch(slot, .inside, nil, from: nil)
      if index == SlotState.none {
        index = active.append(exit, nil)
      } else {
        active.update(index, exit, nil)
      }
      neighbourhood.update(slot, exit)
    } else {
      if index != SlotState.none {
        if let moved = active.remove(index) { known.setActive(moved, index, table) }
        index = SlotState.none
        survey.release(slot)
      }
      if neighbourhood.isValid { neighbourhood.update(slot, table.entryWatch(slot)) }
    }
    known.set(slot, from: state, to: observed, active: index, table)
  }

  /// Collects the shapes whose threshold is reached at a position that the neighbourhood does not cover, and in
  /// `near` those that are settled outside and near but not reached.
  func gatherReached(
    at position: EarthVector, _ shapes: SlotStates, _ table: ConditionTable, _ survey: inout Survey
  ) {
    for watch in active.watches where watch.slack(at: position) <= 0 { survey.reached.append(watch.slot) }
    let (centre, radius) = ballAhead(of: position)
    survey.gather(table.index, around: centre, within: radius)
    let lead = centre.squaredChord(to: position).squareRoot() + Neighbourhood.chordGuard
    if survey.gathered.count > 3 {
      for hit in survey.gathered where Double(hit.slack) <= lead { table.readAhead(hit.id) }
    }
    for hit in survey.gathered where shapes.isSettledOutside(hit.id, table) {
      if Double(hit.slack) > lead {
        survey.near.append(NearThreshold(slack: Double(hit.slack), slot: hit.id))
      } else if table.entrySlack(hit.id, at: position) <= 0 {
        survey.reached.append(hit.id)
        survey.release(hit.id)
      } else {
        survey.near.append(NearThreshold(slack: table.entrySlack(hit.id, at: centre), slot: hit.id))
      }
    }
  }

  /// Within what distance of which point the index is asked for a position that the neighbourhood does not cover.
  private func ballAhead(of position: EarthVector) -> (centre: EarthVector, radius: Double) {
    if neighbourhood.isJump(to: position) { return (position, 0) }
    return (neighbourhood.centreAhead(of: position), neighbourhood.nextRadius)
  }

  /// Lists the nearest thresholds around a position, or rather a little ahead of it, unless the device has just jumped
  /// there.
  mutating func rebuild(
    at position: EarthVector, _ coordinate: Coordinate, _ shapes: SlotStates, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    guard !neighbourhood.isJump(to: position) else {
      neighbourhood.reset(at: position)
      return
    }
    if survey.radius > 0 {
      // What was reached, or was active, and is settled outside now.
      for slot in survey.released where shapes.isSettledOutside(slot, table) {
        survey.near.append(NearThreshold(slack: table.entrySlack(slot, at: survey.centre), slot: slot))
      }
      listActive(&survey)
    } else {
      listNear(position, within: neighbourhood.nextRadius, shapes, table, &survey)
    }
    var radius = selectNear(shapes, table, &survey)
    let lead = survey.centre.squaredChord(to: position).squareRoot()
    if radius < Neighbourhood.leastRoomAhead * lead {  // too crowded to look so far ahead
      listNear(position, within: neighbourhood.nextRadius, shapes, table, &survey)
      radius = selectNear(shapes, table, &survey)
      neighbourhood.lookLessFarAhead()
    }
    neighbourhood.begin(around: survey.centre, for: position, coordinate, radius: radius)
    for candidate in survey.near.prefix(capacity) { table.readAhead(candidate.slot) }
    for candidate in survey.near.prefix(capacity) where candidate.slack < radius {
      let state = shapes.state(of: candidate.slot, table)
      if state.active != SlotState.none {
        neighbourhood.append(active.watches[Int(state.active)])
      } else if state.observed == .outside {
        neighbourhood.append(table.entryWatch(candidate.slot))
      }
    }
    neighbourhood.end()
    drawSafeRegion(at: position, coordinate, shapes)
  }

  /// The number of thresholds in a list.
  @inline(__always)
  private var capacity: Int { knowsEdges ? Neighbourhood.capacity : Neighbourhood.capacityOfCircles }

  /// Moves the nearest thresholds to the front of `near`, as many as the list holds, after widening the search where
  /// there are few.
  ///
  /// - Returns: The radius within which they are all.
  private mutating func selectNear(
    _ shapes: SlotStates, _ table: ConditionTable, _ survey: inout Survey
  ) -> Double {
    var tries = 0
    while survey.near.count < Neighbourhood.few, survey.radius < Neighbourhood.radii.upperBound,
      tries < Neighbourhood.mostTries
    {
      let wider = min(Neighbourhood.radii.upperBound, survey.radius * Neighbourhood.widening)
      listNear(survey.centre, within: wider, shapes, table, &survey)
      tries += 1
    }
    guard survey.near.count > capacity else {
      neighbourhood.proposeRadius(survey.radius * Neighbourhood.growthWhenSparse)
      return survey.radius
    }
    let radius = min(survey.radius, max(0, survey.near.select(capacity + 1).slack))
    neighbourhood.proposeRadius(radius * Neighbourhood.growthWhenFull)
    return radius
  }

  /// Fills `near` with the thresholds whose slack at a point is less than a radius.
  private func listNear(
    _ centre: EarthVector, within radius: Double, _ shapes: SlotStates, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    survey.gather(table.index, around: centre, within: radius)
    for hit in survey.gathered where shapes.isSettledOutside(hit.id, table) {
      survey.near.append(NearThreshold(slack: Double(hit.slack), slot: hit.id))
    }
    listActive(&survey)
  }

  private func listActive(_ survey: inout Survey) {
    for watch in active.watches {
      let slack = watch.slack(at: survey.centre)
      if slack < survey.radius { survey.near.append(NearThreshold(slack: slack, slot: watch.slot)) }
    }
  }

  /// Collects the shapes whose threshold is reached at a position that the neighbourhood covers.
  ///
  /// - Returns: Their lanes, and the least slack of the others.
  @inline(__always)
  mutating func reach(
    _ position: EarthVector, into reached: inout ContiguousArray<UInt32>
  ) -> (lanes: UInt32, least: Double) {
    neighbourhood.beginReaching()
    let found = neighbourhood.reachedLanes(at: neighbourhood.offset(of: position))
    var rest = found.lanes
    while rest != 0 {
      reached.append(neighbourhood.slot(ofLane: rest.trailingZeroBitCount))
      rest &= rest &- 1
    }
    return found
  }

  /// Draws the safe region around a position at which shapes were reached, see ``reach(_:into:)``.
  mutating func drawSafeRegion(
    at position: EarthVector, _ coordinate: Coordinate, _ shapes: SlotStates,
    after reached: (lanes: UInt32, least: Double)
  ) {
    guard shapes.isSettled else { return neighbourhood.removeSafeRegion() }
    let offset = neighbourhood.offset(of: position)
    let slack = neighbourhood.leastSlack(at: offset, except: reached.lanes, known: reached.least)
    neighbourhood.drawSafeRegion(at: coordinate, slack: slack, moved: offset.length)
  }

  /// Draws the safe region. While a shape is undetermined, the device has no safe region, because any fix may determine
  /// the shape.
  mutating func drawSafeRegion(at position: EarthVector, _ coordinate: Coordinate, _ shapes: SlotStates) {
    guard shapes.isSettled else { return neighbourhood.removeSafeRegion() }
    let offset = neighbourhood.offset(of: position)
    neighbourhood.drawSafeRegion(
      at: coordinate, slack: neighbourhood.leastSlack(at: offset), moved: offset.length)
  }

  /// Takes a position at which no threshold of the neighbourhood is reached, without measuring it exactly, and draws the
  /// safe region around it. While shapes are suspended there is no neighbourhood.
  ///
  /// - Returns: Whether it did.
  @inline(__always)
  mutating func passes(_ coordinate: Coordinate) -> Bool {
    guard neighbourhood.isValid, let position = neighbourhood.position(of: coordinate) else { return false }
    let offset = neighbourhood.offset(of: position)
    let moved = offset.length + Neighbourhood.frameGuard
    guard moved < neighbourhood.radius else { return false }
    let slack = neighbourhood.leastSlack(at: offset)
    guard slack > 0 else { return false }
    neighbourhood.drawSafeRegion(at: coordinate, slack: slack, moved: moved)
    return true
  }

  // MARK: - Ways between fixes

  /// Whether a way reaches no threshold for certain, and is no longer than some metres. The safe region is that around its
  /// end.
  ///
  /// - Parameter before: a safe region that was drawn before.
  mutating func isClearWay(
    from start: Coordinate, to end: Coordinate, upTo longest: Double, _ before: Neighbourhood.SafeRegion
  ) -> Bool {
    neighbourhood.isClearWay(from: start, to: end, upTo: longest, before)
  }

  /// Appends the shapes whose threshold a way may reach that is no farther than `sag` from the straight line between
  /// two positions, if the list of what is near has them all.
  ///
  /// - Returns: Whether it has.
  mutating func listReached(
    from start: EarthVector, to end: EarthVector, sag: Double, into result: inout ContiguousArray<UInt32>
  ) -> Bool {
    neighbourhood.listReached(from: start, to: end, sag: sag, into: &result)
  }

  /// Appends the shapes that are not settled outside and whose threshold a way may reach that is no farther than
  /// `sag` from the straight line between two positions.
  func listActive(
    from start: EarthVector, to end: EarthVector, sag: Double, into result: inout ContiguousArray<UInt32>
  ) {
    for watch in active.watches where watch.leastSlack(from: start, to: end) <= sag { result.append(watch.slot) }
  }

  /// Appends to `reached` the shapes that are settled outside and whose threshold a way may reach, as ``listActive`` does with
  /// the others. The index is asked as it will be for the next fix, if that says enough of the way to it.
  ///
  /// - Parameter position: of the next fix.
  func listNear(
    from start: EarthVector, to end: EarthVector, sag: Double, before position: EarthVector, _ shapes: SlotStates,
    _ table: ConditionTable, _ survey: inout Survey
  ) {
    let middle = EarthVector(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2, z: (start.z + end.z) / 2)
    let reach = start.squaredChord(to: end).squareRoot() / 2 + sag
    let (centre, radius) = ballAhead(of: position)
    var lead = centre.squaredChord(to: middle).squareRoot() + reach + Neighbourhood.chordGuard
    if lead < radius {
      survey.gatherAhead(table.index, around: centre, within: radius)
    } else {
      survey.collect(table.index, near: middle, within: reach)
      lead = .infinity
    }
    for hit in survey.gathered where Double(hit.slack) <= lead && shapes.isSettledOutside(hit.id, table) {
      if table.entryWatch(hit.id).leastSlack(from: start, to: end) <= sag { survey.reached.append(hit.id) }
    }
  }

  // MARK: - Near edges

  /// Whether edges are remembered that may tell of a reached threshold that nothing has come of it.
  @inline(__always)
  var knowsEdges: Bool { active.knowsEdges }

  /// Takes a position as ``passes(_:)`` does, or where the edges near each shape whose threshold it reaches say that
  /// nothing has come of it. Apart from that one, since the states and the table that it needs are copied to be passed.
  ///
  /// - Returns: Whether it did.
  @inline(never)
  mutating func passesByEdges(_ coordinate: Coordinate, _ shapes: SlotStates, _ table: ConditionTable) -> Bool {
    guard neighbourhood.isValid, let position = neighbourhood.position(of: coordinate) else { return false }
    let offset = neighbourhood.offset(of: position)
    let moved = offset.length + Neighbourhood.frameGuard
    guard moved < neighbourhood.radius, let room = redrawReached(at: position, offset, shapes, table) else {
      return false
    }
    neighbourhood.drawSafeRegion(at: coordinate, slack: room, moved: moved)
    return true
  }

  /// Draws the watches that a position reaches anew, where the edges near say that nothing has come of it.
  ///
  /// - Parameter offset: The position relative to the origin of the neighbourhood.
  /// - Returns: The least slack of all watches of the list then; `nil` when some of the shapes have to be looked at.
  private mutating func redrawReached(
    at position: EarthVector, _ offset: EarthVector, _ shapes: SlotStates, _ table: ConditionTable
  ) -> Double? {
    let (lanes, others) = neighbourhood.reachedLanes(at: offset)
    var (rest, slack, isDone) = (lanes, others, true)
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = neighbourhood.slot(ofLane: lane)
      if let index = shapes.exception(slot)?.active, index != SlotState.none,
        let area = table.shape(of: slot).area,
        let room = active.redraw(index, area, at: position)
      {
        neighbourhood.replace(lane, active.watches[Int(index)])
        slack = min(slack, room)
      } else {
        isDone = false
      }
    }
    return isDone ? slack : nil
  }

  /// Whether a way certainly stays inside of a shape, or outside of it, as far as the edges near where it was measured
  /// last say.
  @inline(never)
  func staysOnSide(
    _ slot: UInt32, _ shape: Shape, from start: EarthVector, to end: EarthVector, sag: Double, isInside: Bool,
    _ shapes: SlotStates
  ) -> Bool {
    guard knowsEdges, let area = shape.area, let index = shapes.exception(slot)?.active, index != SlotState.none else {
      return false
    }
    return active.staysOnSide(index, area, from: start, to: end, sag: sag, isInside: isInside)
  }

  /// What the edges near where a shape was measured last say of a position; where others may be nearest, those near the
  /// position are looked for. `nil` for what was not measured before, since what is looked at once is not worth the search.
  @inline(__always)
  mutating func foundNear(
    _ slot: UInt32, _ shape: Shape, at position: EarthVector, _ shapes: SlotStates
  ) -> FoundNear? {
    guard let area = shape.area, let index = shapes.exception(slot)?.active, index != SlotState.none,
      active.local(index) != nil
    else { return nil }
    return active.found(index, area, at: position) ?? active.findEdges(index, area, at: position)
  }

  // MARK: - Without a neighbourhood

  /// Watches a shape of which nothing is known yet, and takes what is believed of it.
  mutating func load(_ slot: UInt32, _ observed: Observed, _ known: inout ObservedStates, _ table: ConditionTable) {
    let watch = table.activeWatch(slot, observed, known.candidate(of: slot), from: nil)
    known.load(slot, observed, active: active.append(watch, nil))
  }

  /// Tells the shapes apart whose threshold is reached from those that are near and settled outside.
  func sortGathered(at position: EarthVector, _ shapes: SlotStates, _ table: ConditionTable, _ survey: inout Survey) {
    for watch in active.watches where watch.slack(at: position) <= 0 { survey.reached.append(watch.slot) }
    for hit in survey.gathered where shapes.isSettledOutside(hit.id, table) {
      var slack = Double(hit.slack)
      if slack <= Neighbourhood.chordGuard { slack = table.entrySlack(hit.id, at: position) }
      if slack <= 0 {
        survey.reached.append(hit.id)
        survey.release(hit.id)
      } else {
        survey.near.append(NearThreshold(slack: slack, slot: hit.id))
      }
    }
  }

  /// The least slack of the shapes that are not settled outside, at a position, and that of the polygons, corridors and lines
  /// among them: some of these are outside, and watched only from where they were measured. Infinite when there are none.
  func leastActiveSlack(at position: EarthVector, _ table: ConditionTable) -> (all: Double, measured: Double) {
    var all = Double.infinity
    var measured = Double.infinity
    for watch in active.watches {
      let slack = watch.slack(at: position)
      all = min(all, slack)
      if !table.isRound(watch.slot) { measured = min(measured, slack) }
    }
    return (all, measured)
  }
}

extension ConditionTable {
  /// The threshold at which a fix may change something for a shape that is inside, has a candidate, or is measured near.
  ///
  /// - Parameter local: where the shape was measured last, if it is watched from there.
  @inline(__always)
  func activeWatch(
    _ slot: UInt32, _ observed: Observed, _ candidate: Candidate?, from local: Watch.Local?
  ) -> Watch {
    shape(of: slot).watch(slot, activePassage(slot, observed, candidate), from: local)
  }

  /// What such a shape is watched for.
  @inline(__always)
  fileprivate func activePassage(_ slot: UInt32, _ observed: Observed, _ candidate: Candidate?) -> Watch.Passage {
    if band(of: slot) != nil {
      // Any fix may enter or leave the band.
      return .any
    }
    return if let candidate {
      // Any fix may confirm one that is not timed.
      !candidate.isTimed ? .any : observed == .inside ? .inwards(0) : .outwards(0)
    } else {
      observed == .inside ? .outwards(exitMargin(of: slot)) : .inwards(-entryMargin(of: slot))
    }
  }

  /// The threshold at which a shape that is settled outside may be entered.
  @inline(__always)
  func entryWatch(_ slot: UInt32) -> Watch {
    shape(of: slot).watch(slot, .inwards(-entryMargin(of: slot)))
  }

  /// How far the device can move before it may leave a circle that it is inside of, metres; `nil` for another condition.
  @inline(__always)
  func exitSlack(ofCircle slot: UInt32, at position: EarthVector) -> Double? {
    isCircle(slot) ? bounds(of: slot).watch(slot, .outwards(exitMargin(of: slot))).slack(at: position) : nil
  }

  /// How far the device can move before it may enter a shape, metres.
  @inline(__always)
  func entrySlack(_ slot: UInt32, at position: EarthVector) -> Double {
    entryWatch(slot).slack(at: position)
  }
}

#if FENCEPOST_INVARIANTS
  extension Lookout {
    /// What is watched is what the states say, and nothing that can be reached is missing.
    func checkInvariants(
      _ known: ObservedStates, _ shapes: Set<UInt32>, _ table: ConditionTable
    ) throws(Invariant.Broken) {
      try active.checkInvariants { slot in
        shapes.contains(slot) ? known.shapes.state(of: slot, table).active : SlotState.none
      }
      for slot in shapes {
        let state = known.shapes.state(of: slot, table)
        var watch: Watch?
        if state.active != SlotState.none {
          let drawn = table.activeWatch(slot, state.observed, known.candidate(of: slot), from: local(state))
          try Invariant.hold(
            active.watches[Int(state.active)] == drawn, "the state of an active shape points to its watch")
          watch = drawn
          try checkMeasured(slot, state, table)
        } else if state.observed == .outside {
          watch = table.entryWatch(slot)
        }
        try neighbourhood.checkInvariants(slot, watch)
      }
    }

    private func checkMeasured(
      _ slot: UInt32, _ state: SlotState, _ table: ConditionTable
    ) throws(Invariant.Broken) {
      guard let measured = local(state), let area = table.shape(of: slot).area else { return }
      let distance = area.shape.boundaryDistance(at: measured.position)
      try Invariant.hold(
        measured.least - 2e-6 <= distance && distance <= measured.most + 2e-6,
        "the stored distance of a watched shape is right")
    }

    /// Where a shape was measured last, as far as that is kept.
    func local(_ state: SlotState) -> Watch.Local? {
      state.active == SlotState.none ? nil : active.local(state.active)
    }
  }
#endif
