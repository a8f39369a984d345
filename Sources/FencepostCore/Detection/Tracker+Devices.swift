import FencepostKernel

/// How far a device can move before a fix may change something.
struct Clearance {
  /// Metres.
  var slack = 0.0
  /// Of the shapes that are settled outside, the one that is nearest to the device.
  var nearest = NearestCap(within: 0)
  /// Nothing was searched: the surroundings of the device were known.
  var isOfSurroundings: Bool
}

/// One tracker for many devices in turn: what is kept of a device is loaded, an input is applied, and what the device has
/// become is read off. It has no neighbourhood. A condition that waits for a place under the condition limit is the only one that
/// is suspended: it has no entry, and is undetermined.
extension Tracker {
  /// Forgets the device before, and begins with one that believes every shape up to a generation to be outside.
  mutating func begin(
    clock: Int64, lastFix: Fix?, gap: Int64, isScanning: Bool, seen: UInt64, _ table: ConditionTable
  ) {
    timeline.begin(clock: clock, lastFix: lastFix, gap: gap)
    known.begin(isScanning: isScanning, sweptThrough: seen, table)
    lookout.removeAll()
    deadlines.removeAll()
  }

  /// Loads the crossing that is in the making of a shape, before the shape itself.
  mutating func load(_ slot: UInt32, _ candidate: Candidate) {
    known.open(candidate, slot)
    if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
  }

  /// Loads a shape that is inside, or has a crossing in the making.
  mutating func load(_ slot: UInt32, _ observed: Observed, _ table: ConditionTable) {
    lookout.load(slot, observed, &known, table)
  }

  /// Loads a shape that the last fix was too coarse to decide.
  mutating func loadUndecided(_ slot: UInt32, _ table: ConditionTable) {
    known.setTooCoarse(slot, table)
    known.wait(slot, table)
  }

  /// Loads a shape that no fix could decide yet.
  mutating func loadUndetermined(_ slot: UInt32, _ table: ConditionTable) {
    known.keepUndetermined(slot, table)
    known.wait(slot, table)
  }

  /// Loads what is known of a beacon, in place of what was.
  mutating func load(_ slot: UInt32, _ track: BeaconTrack) {
    deadlines.cancel(slot)
    known.load(slot, track)
    if track.deadline != .max { deadlines.schedule(slot, at: track.deadline) }
  }

  /// Applies a fix as ``evaluate(_:_:_:_:)`` does, without a neighbourhood.
  ///
  /// - Parameters:
  ///   - radius: How far around to look for thresholds.
  ///   - nearest: Of the shapes that are settled outside, the one that is nearest to the fix, if that is known.
  ///   - patches: What is known of places of the index.
  /// - Returns: How far the device can move before a fix may change something; not more than the radius.
  mutating func evaluateAlone(
    _ fix: Fix, at position: EarthVector, within radius: Double, _ nearest: NearestCap?, _ patches: CapPatches,
    _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) -> Clearance {
    if options.path.isGeodesic { walk(to: fix, at: position, table, &delivery, &survey) }
    passTime(to: fix.time, table, &delivery, &survey)
    timeline.keep(fix)
    survey.begin()
    let isKnown = nearest != nil && known.shapes.isSettled
    if isKnown, let nearest {
      survey.gather(nearest, around: position)
    } else {
      // One look serves both, unless the fix is so coarse that it would find too much.
      let isFine = fix.accuracy <= radius
      if isFine { survey.gather(table.index, patches, around: position, within: radius) }
      if !known.shapes.isSettled { determineAlone(fix, at: position, table, &delivery, &survey) }
      if !isFine { survey.gather(table.index, patches, around: position, within: radius) }
    }
    lookout.sortGathered(at: position, known.shapes, table, &survey)
    var index = 0
    while index < survey.reached.count {
      cross(survey.reached[index], fix, at: position, table, &survey)
      index += 1
    }
    if !survey.lines.isEmpty { crossLines(at: fix, table, &survey) }
    confirmDue(through: clock, table, &delivery, &survey)
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

  /// Decides what a fix can decide of the undetermined shapes, in add order. Nothing is looked at that the fix settles
  /// outside unsaid.
  private mutating func determineAlone(
    _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    let swept = known.shapes.sweptThrough
    let isSwept = known.shapes.isSwept
    var slots = known.takeListed(table)
    if !isSwept {
      // After a rewind nothing is swept through, and nothing listed.
      known.shapes.forEachException { slot, state in if state.observed == .undetermined { slots.append(slot) } }
      if survey.radius < fix.accuracy {
        survey.gathered.clear()
        table.index.collect(near: position, within: fix.accuracy, into: &survey.gathered)
      }
      for hit in survey.gathered
      where Double(hit.slack) <= fix.accuracy && table.generation(of: hit.id) > swept { slots.append(hit.id) }
      if table.order.announcedCount > 0 {
        table.order.forEachAnnounced(after: swept) { slot in
          if table.generation(of: slot) > swept, table.isGeographic(slot) { slots.append(slot) }
        }
      }
      table.putInOrder(&slots)
    }
    known.sweep(table)
    for slot in slots where !table.isOverLimit(slot) {
      if !decide(slot, fix, at: position, table, &delivery, &survey) { known.wait(slot, table) }
    }
  }

  /// The shapes that stay undetermined.
  func forEachUndecided(_ body: (UInt32) -> Void) {
    if !known.shapes.isSettled {
      known.shapes.forEachException { slot, state in if state.observed == .undetermined { body(slot) } }
    }
  }
}
