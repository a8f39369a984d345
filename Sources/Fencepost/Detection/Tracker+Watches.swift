import FencepostKernel

/// Which thresholds a fix can reach: the link between the detectors and the index.
///
/// A shape that is settled outside can only be entered: it is found through the index. All others are in `active`, each
/// with the one threshold at which something may change.
extension Tracker {
  /// The threshold at which a fix may change something for a shape that is inside, has a candidate, or is measured near.
  ///
  /// - Parameter local: where the shape was measured last, if it is watched from there.
  @inline(__always)
  func activeWatch(
    _ slot: UInt32, _ observed: Observed, _ candidate: Candidate?, _ table: ConditionTable, from local: Watch.Local?
  ) -> Watch {
    table.shape(of: slot).watch(slot, activePassage(slot, observed, candidate, table), from: local)
  }

  /// What such a shape is watched for.
  @inline(__always)
  private func activePassage(
    _ slot: UInt32, _ observed: Observed, _ candidate: Candidate?, _ table: ConditionTable
  ) -> Watch.Passage {
    if let candidate {
      // Any fix may confirm one that is not timed.
      !candidate.isTimed ? .any : observed == .inside ? .inwards(0) : .outwards(0)
    } else {
      observed == .inside ? .outwards(table.exitMargin(of: slot)) : .inwards(-table.entryMargin(of: slot))
    }
  }

  /// The threshold at which a shape that is settled outside may be entered.
  @inline(__always)
  func entryWatch(_ slot: UInt32, _ table: ConditionTable) -> Watch {
    table.shape(of: slot).watch(slot, .inwards(-table.entryMargin(of: slot)))
  }

  /// Brings `active` and the neighbourhood in line with the state of a shape.
  ///
  /// - Parameters:
  ///   - observed: What is believed of it from now on, which is noted; `nil`: as before.
  ///   - measured: where the shape was measured just now.
  mutating func refreshWatch(
    _ slot: UInt32, as observed: Observed? = nil, _ table: ConditionTable, _ survey: inout Survey,
    measured: Watch.Local? = nil
  ) {
    let state = known.shapes.state(of: slot, table)
    let side = observed ?? state.observed
    var local = measured ?? (state.active == SlotState.none ? nil : active.local(state.active))
    let candidate = known.candidate(of: slot)
    var watch: Watch?
    var index = state.active
    if side == .inside
      || (side == .outside && (candidate != nil || table.shape(of: slot).isNear(local)))
    {
      let drawn = activeWatch(slot, side, candidate, table, from: local)
      watch = drawn
      if local != nil { local?.passage = activePassage(slot, side, candidate, table) }
      if index == SlotState.none {
        index = active.append(drawn, local)
      } else {
        active.update(index, drawn, local)
      }
    } else {
      if side == .outside { watch = entryWatch(slot, table) }
      if index != SlotState.none {
        if let moved = active.remove(index) { known.setActive(moved, index, table) }
        index = SlotState.none
        survey.release(slot)
      }
    }
    known.set(slot, from: state, to: observed, active: index, table)
    neighbourhood.update(slot, watch)
  }

  /// Collects the shapes whose threshold is reached at a position that the neighbourhood does not cover, and in
  /// `near` those that are settled outside and near but not reached.
  mutating func gatherReached(at position: EarthVector, _ table: ConditionTable, _ survey: inout Survey) {
    for watch in active.watches where watch.slack(at: position) <= 0 { survey.reached.append(watch.slot) }
    let isJump = neighbourhood.isJump(to: position)
    let centre = isJump ? position : neighbourhood.centreAhead(of: position)
    survey.gather(table.index, around: centre, within: isJump ? 0 : neighbourhood.nextRadius)
    let lead = centre.squaredChord(to: position).squareRoot() + Neighbourhood.chordGuard
    for hit in survey.gathered where known.shapes.isSettledOutside(hit.id, table) {
      if Double(hit.slack) > lead {
        survey.near.append(NearThreshold(slack: Double(hit.slack), slot: hit.id))
      } else if entrySlack(hit.id, at: position, table) <= 0 {
        survey.reached.append(hit.id)
        survey.release(hit.id)
      } else {
        survey.near.append(NearThreshold(slack: entrySlack(hit.id, at: centre, table), slot: hit.id))
      }
    }
  }

  /// How far the device can move before it may enter a shape, metres.
  @inline(__always)
  func entrySlack(_ slot: UInt32, at position: EarthVector, _ table: ConditionTable) -> Double {
    entryWatch(slot, table).slack(at: position)
  }

  /// Lists the nearest thresholds around a position, or rather a little ahead of it, unless the device has just jumped
  /// there.
  mutating func rebuildNeighbourhood(
    at position: EarthVector, _ coordinate: Coordinate, _ table: ConditionTable, _ survey: inout Survey
  ) {
    guard !neighbourhood.isJump(to: position) else {
      neighbourhood.reset(at: position)
      return
    }
    if survey.radius > 0 {
      // What was reached, or was active, and is settled outside now.
      for slot in survey.released where known.shapes.isSettledOutside(slot, table) {
        survey.near.append(NearThreshold(slack: entrySlack(slot, at: survey.centre, table), slot: slot))
      }
      listActive(&survey)
    } else {
      listNear(position, within: neighbourhood.nextRadius, table, &survey)
    }
    var radius = selectNear(table, &survey)
    let lead = survey.centre.squaredChord(to: position).squareRoot()
    if radius < Neighbourhood.leastRoomAhead * lead {  // too crowded to look so far ahead
      listNear(position, within: neighbourhood.nextRadius, table, &survey)
      radius = selectNear(table, &survey)
      neighbourhood.lookLessFarAhead()
    }
    neighbourhood.begin(around: survey.centre, for: position, coordinate, radius: radius)
    for candidate in survey.near.prefix(Neighbourhood.capacity) where candidate.slack < radius {
      let state = known.shapes.state(of: candidate.slot, table)
      if state.active != SlotState.none {
        neighbourhood.append(active.watches[Int(state.active)])
      } else if state.observed == .outside {
        neighbourhood.append(entryWatch(candidate.slot, table))
      }
    }
    neighbourhood.end()
    drawSafeRegion(at: position, coordinate)
  }

  /// Moves the nearest thresholds to the front of `near`, as many as the list holds, after widening the search where
  /// there are few.
  ///
  /// - Returns: The radius within which they are all.
  private mutating func selectNear(_ table: ConditionTable, _ survey: inout Survey) -> Double {
    var tries = 0
    while survey.near.count < Neighbourhood.few, survey.radius < Neighbourhood.radii.upperBound,
      tries < Neighbourhood.mostTries
    {
      let wider = min(Neighbourhood.radii.upperBound, survey.radius * Neighbourhood.widening)
      listNear(survey.centre, within: wider, table, &survey)
      tries += 1
    }
    guard survey.near.count > Neighbourhood.capacity else {
      neighbourhood.proposeRadius(survey.radius * Neighbourhood.growthWhenSparse)
      return survey.radius
    }
    let radius = min(survey.radius, max(0, survey.near.select(Neighbourhood.capacity + 1).slack))
    neighbourhood.proposeRadius(radius * Neighbourhood.growthWhenFull)
    return radius
  }

  /// Fills `near` with the thresholds whose slack at a point is less than a radius.
  private func listNear(
    _ centre: EarthVector, within radius: Double, _ table: ConditionTable, _ survey: inout Survey
  ) {
    survey.gather(table.index, around: centre, within: radius)
    for hit in survey.gathered where known.shapes.isSettledOutside(hit.id, table) {
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

  /// Draws the safe region; there is none while a shape is undetermined, since any fix may decide it.
  mutating func drawSafeRegion(at position: EarthVector, _ coordinate: Coordinate) {
    guard known.shapes.isSettled else { return neighbourhood.removeSafeRegion() }
    let offset = neighbourhood.offset(of: position)
    neighbourhood.drawSafeRegion(
      at: coordinate, slack: neighbourhood.leastSlack(at: offset), moved: offset.length)
  }

  /// Takes a fix that reaches no threshold of the neighbourhood, before anything is due, without measuring its position
  /// exactly. While shapes are suspended there is no neighbourhood.
  ///
  /// - Returns: Whether it did.
  @inline(__always)
  mutating func passes(_ fix: Fix, _ table: ConditionTable) -> Bool {
    guard neighbourhood.isValid, known.shapes.isSettled, deadlines.earliest > fix.time.microseconds,
      let position = neighbourhood.position(of: fix.coordinate)
    else { return false }
    let offset = neighbourhood.offset(of: position)
    let moved = offset.length + Neighbourhood.frameGuard
    guard moved < neighbourhood.radius else { return false }
    var slack = neighbourhood.leastSlack(at: offset)
    if slack <= 0 {
      guard active.knowsEdges, let room = redrawReached(at: position, offset, table) else { return false }
      slack = room
    }
    neighbourhood.drawSafeRegion(at: fix.coordinate, slack: slack, moved: moved)
    timeline.move(to: fix.time.microseconds)
    timeline.keep(fix)
    return true
  }

  /// Draws the watches that a position reaches anew, where the edges near say that nothing has come of it.
  ///
  /// - Parameter offset: The position relative to the origin of the neighbourhood.
  /// - Returns: The least slack of all watches of the list then; `nil` when some of the shapes have to be looked at.
  private mutating func redrawReached(
    at position: EarthVector, _ offset: EarthVector, _ table: ConditionTable
  ) -> Double? {
    let (lanes, others) = neighbourhood.reachedLanes(at: offset)
    var (rest, slack, isDone) = (lanes, others, true)
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = neighbourhood.slot(ofLane: lane)
      if let index = known.shapes.exception(slot)?.active, index != SlotState.none,
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
}

extension EarthVector {
  @inline(__always)
  var length: Double { (x * x + y * y + z * z).squareRoot() }
}
