import FencepostKernel

/// A shape that the path to the next fix may change.
struct PathEntry: Sendable {
  var slot: UInt32
  /// The instant at which it does, microseconds; `Int64.max` when it does not.
  var next: Int64
  /// What was believed when that was found.
  var observed: Observed
  var hasCandidate: Bool
}

/// The way between two fixes: as if a fix were laid on it at each microsecond.
///
/// Fixes that change nothing need not be laid, so that only those are at which a detector's threshold is passed, at which
/// something is due, and one at the first instant while a shape is undetermined. They go the way of any fix, but that they
/// are no inputs.
extension Tracker {
  /// So long are the pieces, metres, for each of which the index is asked.
  private static let pieceLength = 10_000.0
  /// So far ahead lines are looked for, metres.
  private static let linesLength = 80_000.0
  /// A shape that has changed is looked at again after so many metres, which is more than the error of a distance: a device
  /// that creeps over a line passes it once. One that goes along a line may pass it anywhere: after so many changes on one leg
  /// it is the second number of metres.
  private static let noise = 1e-7
  private static let mostChanges = 5_000
  private static let noiseOfMany = 100.0

  /// Applies what the path from the last fix to the next one brings, before that.
  ///
  /// - Parameter position: of the next fix.
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
      // No speed is high enough for a way that takes no time.
      if maxSpeed != nil, !survey.lines.isEmpty {
        survey.lines.clear()
        timeline.markGap()
      }
      return
    }
    guard duration <= maxGap else { return timeline.markGap() }
    var search = PassageSearch(Leg(from: last, to: fix, at: position))
    if let maxSpeed, search.leg.isLonger(than: maxSpeed * (Double(duration) / 1e6)) { return timeline.markGap() }
    let end = fix.time.microseconds - 1
    var time = max(clock, last.time.microseconds + 1)
    guard !known.host.suspendsAllShapes else { return }
    survey.begin()
    // To what the lines were looked at.
    var looked: Int64?
    guard time <= end else {
      return listLines(to: fix, after: nil, notBefore: time, through: time, table, &survey)
    }
    survey.isOnPath = true
    var mustDecide = !known.shapes.isSettled
    while time <= end {
      let pieceEnd = min(end, max(time, search.leg.time(Self.pieceLength, after: time)))
      if table.lineCount > 0, looked.map({ pieceEnd > $0 }) ?? true {
        let far = search.leg.time(Self.linesLength, after: time)
        let linesEnd = far >= end ? fix.time.microseconds : max(pieceEnd, far)
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
  }

  /// Lays a fix on the path.
  ///
  /// - Returns: Whether it was to decide what is undetermined.
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
    confirmDue(through: time, table, &delivery, &survey)
    return decides
  }

  /// Lists the shapes that a piece of the path may change, and when it does.
  ///
  /// - Parameter position: of the next fix.
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
    // Slots are listed first: what a closure looked at would be a copy of the tracker.
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
      guard !table.kind(of: slot).isLine else { continue }
      var entry = PathEntry(slot: slot, next: .max, observed: .undetermined, hasCandidate: false)
      look(at: &entry, from: first, after: 0, through: last, &search, table)
      survey.path.append(entry)
    }
    survey.reached.clear()
  }

  /// Looks again at the shapes that have changed.
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
        search.changes += 1
        let step = search.changes > Self.mostChanges ? Self.noiseOfMany : Self.noise
        look(at: &survey.path[index], from: first, after: step, through: last, &search, table)
      }
    }
  }

  /// Finds when a shape changes next.
  ///
  /// - Parameter metres: for which its thresholds are not looked at.
  private mutating func look(
    at entry: inout PathEntry, from first: Int64, after metres: Double, through last: Int64,
    _ search: inout PassageSearch,
    _ table: ConditionTable
  ) {
    let candidate = known.candidate(of: entry.slot)
    entry.observed = known.shapes.observed(entry.slot, table)
    entry.hasCandidate = candidate != nil
    entry.next = .max
    guard let threshold = threshold(of: entry.slot, entry.observed, candidate, search.leg.accuracy, table) else {
      return
    }
    var last = last
    if let candidate, !candidate.isTimed {
      entry.next = max(first, candidate.deadline)
      last = min(last, entry.next)
    }
    let start = metres > 0 ? max(first, search.leg.time(metres, after: first - 1)) : first
    if let time = search.first(threshold, of: table.shape(of: entry.slot), from: start, through: last) {
      entry.next = time
    }
  }

  /// What a detector compares the distance of a shape with in its present state; `nil` when nothing can change it.
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
    case (.inside, false): return threshold(.outwards, outer)
    case (.inside, true): return threshold(.inwards, 0)
    case (.outside, false):
      return policy.isTooCoarse(size: size, accuracy: accuracy) ? nil : threshold(.inwards, -inner)
    default: return threshold(.beyond, 0)
    }
  }

  // MARK: - Ways on which nothing happens

  /// Whether a fix within the safe region comes without a gap for certain.
  @inline(never)
  func isSurelyNoGap(to fix: Fix) -> Bool {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path, let last = timeline.lastFix else { return true }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration <= maxGap else { return false }
    guard let maxSpeed, duration > 0 else { return true }
    let reach = maxSpeed * (Double(duration) / 1e6)
    return lookout.safe.squaredLength(from: last.coordinate, to: fix.coordinate) <= reach * reach
  }

  /// How long an input may come after the one before to be no gap, where the way to the first of some fixes is none;
  /// `nil` where it is. For paths without a greatest speed.
  @inline(__always)
  func stepWithoutGap(to first: Fix, _ maxGap: Int64) -> UInt64? {
    guard let last = timeline.lastFix, first.time.microseconds &- last.time.microseconds <= maxGap else { return nil }
    return min(options.longestTimeStep, UInt64(maxGap))
  }

  /// Takes fixes as ``skipSafeFixes(_:from:)`` does, for as long as there is no gap either, on paths with a greatest speed.
  /// The safe region is convex: what is between two fixes in it lies in it.
  @inline(never)
  mutating func skipSafePath(_ fixes: some FixRows, from start: Int, maxGap: Int64, maxSpeed: Double) -> Int {
    guard var before = timeline.lastFix else { return start }
    let safe = lookout.safe
    let horizon = safeHorizon
    let longestStep = options.longestTimeStep
    var time = clock
    var index = start
    let count = fixes.count
    while index < count {
      let fix = fixes[unchecked: index]
      guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.accuracy >= 0,
        fix.time.microseconds < horizon, UInt64(bitPattern: fix.time.microseconds &- time) <= longestStep
      else { break }
      let duration = fix.time.microseconds &- before.time.microseconds
      guard duration <= maxGap else { break }
      if duration > 0 {
        let reach = maxSpeed * (Double(duration) / 1e6)
        guard safe.squaredLength(from: before.coordinate, to: fix.coordinate) <= reach * reach else { break }
      }
      time = fix.time.microseconds
      before = fix
      index &+= 1
    }
    guard index > start else { return start }
    timeline.move(to: time)
    timeline.keep(before)
    timeline.countFixes(index - start)
    return index
  }

  /// Whether the way to a fix at which no threshold is reached reaches none either, and is no gap. The safe region is that
  /// around the fix.
  ///
  /// - Parameter before: the safe region before it.
  @inline(__always)
  mutating func isClearWay(to fix: Fix, _ before: Neighbourhood.SafeRegion) -> Bool {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path, let last = timeline.lastFix else { return true }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return false }
    // A way that takes no time is too fast only where it meets a line.
    let limit = duration > 0 ? maxSpeed : nil
    // The region is convex.
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

  /// Has a change that may follow a gap say so.
  mutating func markGap(_ entry: inout EventEntry, _ table: ConditionTable, _ delivery: Delivery) {
    let isEvent =
      !table.notify(of: entry.slot).isDisjoint(with: entry.notify)
      && (delivery.isNews(entry) || !delivery.agrees(entry.slot, entry.state, table))
    if timeline.tellsGap(at: entry.date, isEvent: isEvent) { entry.marks.insert(.gap) }
  }
}

extension Watch {
  /// What ``slack(at:)`` is at the least on the straight line between two positions.
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
