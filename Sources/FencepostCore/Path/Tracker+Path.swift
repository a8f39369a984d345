import FencepostKernel

/// A shape whose state may change on the path to the next fix.
struct PathEntry: Sendable {
  var slot: UInt32
  /// The instant at which the state changes, in microseconds; `Int64.max` if it does not change.
  var next: Int64
  /// The observed state when this instant was found.
  var observed: Observed
  var hasCandidate: Bool
}

/// The path between two fixes. The result is the same as if there were a fix at each microsecond of the path.
///
/// Fixes that change nothing are left out. So there are fixes only at instants at which a threshold of a detector is
/// passed or something is due, and one at the first instant if a shape is undetermined. These fixes are processed like
/// any other fix, but they do not count as inputs.
extension Tracker {
  /// The length of the pieces of a path, in metres. The index is queried once for each piece.
  private static let pieceLength = 10_000.0
  /// The distance ahead within which lines are searched for, in metres.
  private static let linesLength = 80_000.0
  /// After a polygon or a corridor has changed, the device must be past the next threshold by this number of metres. The
  /// number is greater than the error of a distance, so a device that moves slowly across a line, or along it, crosses it
  /// once. A circle is examined again after this number of metres, and after many changes on one leg, after the second
  /// number.
  private static let noise = 1e-7
  private static let mostChanges = 5_000
  private static let noiseOfMany = 100.0

  /// Applies the changes on the path from the last fix to the next one, before the next fix is applied.
  ///
  /// - Parameter position: The position of the next fix.
  mutating func walk(
    to fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) {
    survey.beginPath()
    guard case .geodesic(let maxGap, let maxSpeed) = options.path, let last = timeline.lastFix else { return }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration > 0 else {
      guard duration == 0, !known.host.suspendsAllShapes else { return }
      survey.begin()
      listLines(to: fix, after: nil, notBefore: clock, through: fix.time.microseconds, table, &survey)
      // A path that takes no time exceeds every maximum speed.
      if maxSpeed != nil, !survey.lines.isEmpty {
        survey.lines.clear()
        timeline.markGap(before: fix)
      }
      return
    }
    // Changes that are due before the fix belong to the time before the gap ends.
    func endGap() {
      passTime(to: fix.time, table, &delivery, &survey)
      timeline.markGap(before: fix)
    }
    guard duration <= maxGap else { return endGap() }
    var search = PassageSearch(Leg(from: last, to: fix, at: position))
    if let maxSpeed, search.leg.isLonger(than: maxSpeed * (Double(duration) / 1e6)) {
      return endGap()
    }
    let end = fix.time.microseconds - 1
    var time = max(clock, last.time.microseconds + 1)
    guard !known.host.suspendsAllShapes else { return }
    survey.begin()
    // The instant up to which the lines were examined.
    var looked: Int64?
    guard time <= end else {
      return listLines(to: fix, after: nil, notBefore: time, through: time, table, &survey)
    }
    survey.isOnPath = true
    var mustDecide = !known.shapes.isSettled
    while time <= end {
      if deadlines.edge <= time {
        passTime(to: Timestamp(microseconds: time), table, &delivery, &survey)
        if !known.shapes.isSettled { mustDecide = true }
      }
      // A piece ends before the next edge of a schedule, so that the conditions that start there are listed.
      let pieceEnd = min(end, max(time, search.leg.time(Self.pieceLength, after: time)), deadlines.edge - 1)
      if table.lineCount > 0, looked.map({ pieceEnd > $0 }) ?? true {
        let far = search.leg.time(Self.linesLength, after: time)
        // The lines of a condition that starts or ends on the way are listed anew after the edge.
        let linesEnd = min(far >= end ? fix.time.microseconds : max(pieceEnd, far), deadlines.edge - 1)
        listLines(to: fix, after: looked.map { _ in time - 1 }, notBefore: time, through: linesEnd, table, &survey)
        looked = linesEnd
      }
      list(from: time, through: pieceEnd, before: position, &search, table, &survey)
      while time <= pieceEnd {
        var next = mustDecide ? time : max(time, deadlines.earliest)
        for index in survey.path.indices { next = min(next, survey.path[index].next) }
        next = min(next, survey.nextLineTime)
        guard next <= pieceEnd else { break }
        let decides = visit(next, &search.leg, mustDecide: mustDecide, table, &delivery, &survey)
        time = next + 1
        mustDecide = false
        if decides {
          list(from: time, through: pieceEnd, before: position, &search, table, &survey)
        } else {
          update(from: time, through: pieceEnd, &search, table, &survey)
        }
      }
      time = pieceEnd + 1
    }
    survey.isOnPath = false
    if let looked, looked < fix.time.microseconds {
      passTime(to: fix.time, table, &delivery, &survey)
      listLines(
        to: fix, after: looked, notBefore: fix.time.microseconds, through: fix.time.microseconds, table, &survey)
    }
  }

  /// Applies a fix at an instant of the path.
  ///
  /// - Returns: Whether the fix was needed to determine undetermined shapes.
  private mutating func visit(
    _ time: Int64, _ leg: inout Leg, mustDecide: Bool, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) -> Bool {
    let place = leg.place(at: time)
    let fix = Fix(coordinate: place.coordinate, accuracy: leg.accuracy, time: Timestamp(microseconds: time))
    let position = place.position
    passTime(to: fix.time, table, &delivery, &survey)
    var decides = mustDecide
    for index in survey.path.indices
    where survey.path[index].next == time && survey.path[index].observed == .undetermined {
      decides = true
    }
    if decides { determine(fix, at: position, table, &delivery, &survey) }
    for index in survey.path.indices where survey.path[index].next == time {
      cross(survey.path[index].slot, fix, at: position, table, &survey)
    }
    if !survey.lines.isEmpty { crossLines(at: fix, table, &survey) }
    confirmDue(through: time, table, &delivery, &survey, ending: .time)
    return decides
  }

  /// Lists the shapes whose states may change on a piece of the path, and the instants of the changes.
  ///
  /// - Parameter position: The position of the next fix.
  private mutating func list(
    from first: Int64, through last: Int64, before position: EarthVector, _ search: inout PassageSearch,
    _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    survey.path.clear()
    guard first <= last else { return }
    let start = search.leg.position(at: first)
    let end = search.leg.position(at: last)
    let chord = start.squaredChord(to: end).squareRoot()
    let sag = Leg.sag(chord) + DistanceBounds.doubt
    // The slots are listed first, because a closure that examines them would need a copy of the tracker.
    survey.reached.clear()
    if !lookout.listReached(from: start, to: end, sag: sag, into: &survey.reached) {
      lookout.listActive(from: start, to: end, sag: sag, into: &survey.reached)
      lookout.listNear(from: start, to: end, sag: sag, before: position, known.shapes, table, &survey)
    }
    if !known.shapes.isSettled {
      known.shapes.forEachException { slot, state in
        if state.observed == .undetermined, state.isListed, table.isLive(slot), table.isGeographic(slot) {
          survey.reached.append(slot)
        }
      }
    }
    var index = 0
    while index < survey.reached.count {
      let slot = survey.reached[index]
      index += 1
      // The path of a shape whose policy has probabilities is not examined; only fixes decide its state.
      guard !table.kind(of: slot).isLine, !table.hasProbability(slot), !isSuspended(slot, table) else { continue }
      var entry = PathEntry(
        slot: slot, next: .max, observed: known.shapes.observed(slot, table), hasCandidate: false)
      if !staysOnSide(entry, from: start, to: end, sag: sag, table) {
        look(at: &entry, from: first, through: last, &search, table)
      }
      survey.path.append(entry)
    }
    survey.reached.clear()
  }

  /// Whether the edges near the device show that a shape certainly does not change on a way.
  private func staysOnSide(
    _ entry: PathEntry, from start: EarthVector, to end: EarthVector, sag: Double, _ table: ConditionTable
  ) -> Bool {
    guard entry.observed != .undetermined, known.candidate(of: entry.slot) == nil, table.band(of: entry.slot) == nil
    else { return false }
    return lookout.staysOnSide(
      entry.slot, table.shape(of: entry.slot), from: start, to: end, sag: sag, isInside: entry.observed == .inside,
      known.shapes)
  }

  /// Examines again the shapes that have changed.
  private mutating func update(
    from first: Int64, through last: Int64, _ search: inout PassageSearch, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    guard first <= last else { return }
    for index in survey.path.indices {
      let entry = survey.path[index]
      let observed = known.shapes.observed(entry.slot, table)
      let hasCandidate = known.candidate(of: entry.slot) != nil
      if entry.next < first || entry.observed != observed || entry.hasCandidate != hasCandidate {
        look(at: &survey.path[index], from: first, hasChanged: true, through: last, &search, table)
      }
    }
  }

  /// Finds the next instant at which the state of a shape changes.
  ///
  /// - Parameter hasChanged: Whether the shape has just changed.
  private mutating func look(
    at entry: inout PathEntry, from first: Int64, hasChanged: Bool = false, through last: Int64,
    _ search: inout PassageSearch,
    _ table: ConditionTable
  ) {
    let candidate = known.candidate(of: entry.slot)
    entry.observed = known.shapes.observed(entry.slot, table)
    entry.hasCandidate = candidate != nil
    entry.next = .max
    guard var threshold = threshold(of: entry.slot, entry.observed, candidate, search.leg.accuracy, table) else {
      return
    }
    let band = table.band(of: entry.slot)
    var last = last
    if band == nil, let candidate, !candidate.isTimed {
      entry.next = max(first, candidate.deadline)
      last = min(last, entry.next)
    }
    let shape = table.shape(of: entry.slot)
    var start = first
    if hasChanged {
      if shape.area != nil {
        threshold.hysteresis = Self.noise
      } else {
        search.changes += 1
        let step = search.changes > Self.mostChanges ? Self.noiseOfMany : Self.noise
        start = max(first, search.leg.time(step, after: first - 1))
      }
    }
    if let band {
      entry.next = nextChange(
        of: entry.slot, within: band, entry.observed, candidate, threshold, from: first, passing: start, through: last,
        &search, table)
    } else if let time = search.first(threshold, of: shape, from: start, through: last) {
      entry.next = time
    }
  }

  /// Returns the threshold with which a detector compares the distance of a shape in its present state; `nil` if
  /// nothing can change the state.
  private func threshold(
    of slot: UInt32, _ observed: Observed, _ candidate: Candidate?, _ accuracy: Double, _ table: ConditionTable
  ) -> PathThreshold? {
    let policy = table.policy(of: slot)
    let size = table.shape(of: slot).size
    if observed == .undetermined {
      guard !isSuspended(slot, table) else { return nil }
      return PathThreshold(passage: .beyond, level: accuracy, margins: (0, accuracy))
    }
    // 0 × ∞ is NaN and may raise FE_INVALID, which a host may trap: test the factor first.
    let known = min(accuracy, 1e100)
    let inner = policy.marginInwards(size: size, accuracy: known)
    let outer = policy.marginOutwards(size: size, accuracy: known)
    func threshold(_ passage: PathThreshold.Passage, _ level: Double) -> PathThreshold {
      PathThreshold(passage: passage, level: level, margins: (inner, outer))
    }
    switch (observed, candidate != nil) {
    // On the line itself, the device is inside.
    case (.inside, false): return threshold(outer > 0 || table.shape(of: slot).area == nil ? .outwards : .beyond, outer)
    case (.inside, true): return threshold(.inwards, 0)
    case (.outside, false):
      return policy.isTooCoarse(size: size, accuracy: accuracy) ? nil : threshold(.inwards, -inner)
    default: return threshold(.beyond, 0)
    }
  }

  // MARK: - Paths without a threshold

  /// Whether a fix within the safe region certainly comes without a gap.
  @inline(never)
  func isSurelyNoGap(to fix: Fix) -> Bool {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path, let last = timeline.lastFix else { return true }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration <= maxGap else { return false }
    guard let maxSpeed, duration > 0 else { return true }
    let reach = maxSpeed * (Double(duration) / 1e6)
    return lookout.safe.squaredLength(from: last.coordinate, to: fix.coordinate) <= reach * reach
  }

  /// For paths without a maximum speed: returns the longest time between two inputs that is not a gap; `nil` if there
  /// is a gap before the first of the given fixes.
  @inline(__always)
  func stepWithoutGap(to first: Fix, _ maxGap: Int64) -> UInt64? {
    guard let last = timeline.lastFix, first.time.microseconds &- last.time.microseconds <= maxGap else { return nil }
    return min(options.longestTimeStep, UInt64(maxGap))
  }

  /// Whether the path to a fix that reaches no threshold reaches no threshold either, and is not a gap. The safe region
  /// must already be that around the fix.
  ///
  /// - Parameter before: The safe region before the fix.
  @inline(__always)
  mutating func isClearWay(to fix: Fix, _ before: Neighbourhood.SafeRegion) -> Bool {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path, let last = timeline.lastFix else { return true }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return false }
    // A path that takes no time counts as too fast only if it meets a line.
    let limit = duration > 0 ? maxSpeed : nil
    // The region is convex, so the path between two positions in the region is in the region.
    if limit == nil, lookout.safe.contains(last.coordinate) { return true }
    return isClear(from: last.coordinate, to: fix.coordinate, within: duration, limit, before)
  }

  @inline(never)
  private mutating func isClear(
    from start: Coordinate, to end: Coordinate, within duration: Int64, _ maxSpeed: Double?,
    _ before: Neighbourhood.SafeRegion
  ) -> Bool {
    let longest = maxSpeed.map { $0 * (Double(duration) / 1e6) } ?? .infinity
    return lookout.isClearWay(from: start, to: end, upTo: longest, before)
  }

  // MARK: - Gaps

  /// Whether a change is the first determination since a start, which is news whatever was reported before.
  private func isNewsByItself(_ entry: EventEntry, _ table: ConditionTable) -> Bool {
    known.hasTimed && entry.notify == .initial && known.timed(entry.slot)?.hasStarted ?? false
      && entry.state != table.assumed(of: entry.slot)
  }

  /// Marks a change that follows a gap.
  ///
  /// - Parameter decided: The time of the position that decided the change.
  mutating func markGap(_ entry: inout EventEntry, decided: Int64, _ table: ConditionTable, _ delivery: Delivery) {
    let isEvent =
      !table.notify(of: entry.slot).isDisjoint(with: entry.notify)
      && (delivery.isNews(entry) || isNewsByItself(entry, table) || !delivery.agrees(entry.slot, entry.state, table))
    if timeline.tellsGap(at: entry.date, decided: decided, isEvent: isEvent) { entry.marks.insert(.gap) }
  }
}

extension Watch {
  /// Returns a lower bound of ``slack(at:)`` on the straight line between two positions.
  func leastSlack(from start: EarthVector, to end: EarthVector) -> Double {
    let first = centre.squaredChord(to: start)
    let last = centre.squaredChord(to: end)
    if direction > 0 { return threshold - max(first, last).squareRoot() }
    let dx = end.x - start.x
    let dy = end.y - start.y
    let dz = end.z - start.z
    let square = dx * dx + dy * dy + dz * dz
    guard square > 0 else { return first.squareRoot() - threshold }
    let along = (centre.x - start.x) * dx + (centre.y - start.y) * dy + (centre.z - start.z) * dz
    let share = max(0, min(1, along / square))
    let nearest = EarthVector(x: start.x + share * dx, y: start.y + share * dy, z: start.z + share * dz)
    return centre.squaredChord(to: nearest).squareRoot() - threshold
  }
}
