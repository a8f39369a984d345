import FencepostKernel

/// The methods that process fixes.
extension Tracker {
  /// Accepts one fix if it is within the safe region and before the next deadline; see ``skipSafeFixes(_:from:)`` for
  /// many fixes.
  ///
  /// - Returns: Whether the fix was accepted.
  @inline(__always)
  mutating func passesInSafety(_ fix: Fix) -> Bool {
    let time = fix.time.microseconds
    guard lookout.safe.squaredRadius > 0, fix.coordinate.isValid, lookout.safe.contains(fix.coordinate),
      fix.accuracy >= 0, time < safeHorizon, UInt64(bitPattern: time &- clock) < plainSteps,
      !options.path.isGeodesic || isSurelyNoGap(to: fix)
    else { return false }
    timeline.move(to: time)
    timeline.keep(fix)
    timeline.countFixes(1)
    return true
  }

  /// The instant before which a fix in the safe region can change nothing.
  @inline(__always)
  var safeHorizon: Int64 { min(deadlines.earliest, Timestamp.latest.microseconds &+ 1) }

  /// Accepts fixes as long as they are in order, before the next deadline, and within the safe region.
  mutating func skipSafeFixes(_ fixes: some FixRows, from start: Int) -> Int {
    let safe = lookout.safe
    guard safe.squaredRadius > 0 else { return start }
    if plainSteps == 0 {
      #if arch(wasm32)
        // Without vectors, two fixes at once only make the module larger.
        return skipLimitedSteps(fixes, from: start)
      #else
        if options.path.isGeodesic { return skipLimitedSteps(fixes, from: start) }
        var (end, goesOn) = (start, true)
        while goesOn { (end, goesOn) = skipPlausibleFixes(fixes, from: end) }
        return end
      #endif
    }
    let horizon = safeHorizon
    var longestStep = plainSteps &- 1
    if case .geodesic(let maxGap, let maxSpeed) = options.path {
      if maxSpeed != nil { return skipLimitedSteps(fixes, from: start) }
      // The safe region is convex, so the path between two fixes in the region is in the region.
      guard start < fixes.count, let step = stepWithoutGap(to: fixes[unchecked: start], maxGap) else { return start }
      longestStep = step
    }
    var time = clock
    var index = start
    let count = fixes.count
    while index < count {
      let fix = fixes[unchecked: index]
      guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.hasPlainAccuracy,
        fix.time.microseconds < horizon, UInt64(bitPattern: fix.time.microseconds &- time) <= longestStep
      else { break }
      time = fix.time.microseconds
      index &+= 1
    }
    return endSkip(fixes, from: start, to: index, at: time)
  }

  /// Counts the fixes that were skipped, and keeps the last one.
  @inline(__always)
  private mutating func endSkip(_ fixes: some FixRows, from start: Int, to index: Int, at time: Int64) -> Int {
    guard index > start else { return start }
    timeline.move(to: time)
    // The fix is read anew. If another thread has changed the columns meanwhile, it may be unusable.
    let last = fixes[unchecked: index - 1]
    if last.isUsable { timeline.keep(last) }
    timeline.countFixes(index - start)
    return index
  }

  /// Accepts fixes as ``skipSafeFixes(_:from:)`` does, without a path, as long as each fix certainly follows the one
  /// before. Two fixes count as at least one second apart, so it does if it is no farther away than the device moves in one
  /// second at the greatest speed.
  ///
  /// - Returns: The first row that was not accepted, and whether to call this method again for it.
  @inline(never)
  private mutating func skipPlausibleFixes(_ fixes: some FixRows, from start: Int) -> (end: Int, goesOn: Bool) {
    let safe = lookout.safe
    // The map of the safe region is true only within it.
    guard let plausibility = options.plausibility, timeline.chain.isEmpty, let last = timeline.lastFix,
      safe.contains(last.coordinate)
    else { return (skipLimitedSteps(fixes, from: start), false) }
    let horizon = safeHorizon
    // No two valid times are farther apart, and the sum of two such steps does not overflow.
    let longestStep = min(longestStep, 1 << 61)
    let (centre, metres, squaredRadius) = (safe.centre, safe.metres, safe.squaredRadius)
    // A micrometre is more than the rounding errors. The square must not overflow.
    let reach = min(max(plausibility.speed - 1e-6, 0), 1e9)
    let squaredReach = reach * reach
    var place = last.coordinate.vector
    var time = clock
    var index = start
    let count = fixes.count
    var goesOn = false
    skip: do {
      // Two fixes at once, as long as they pass the cheaper tests.
      while index < count &- 1 {
        let (one, two) = (fixes.place(unchecked: index), fixes.place(unchecked: index &+ 1))
        // Arithmetic with an invalid coordinate may raise a floating-point exception.
        guard Coordinate.areValid(one, two) else { break }
        let (offset, other) = ((one - centre) * metres, (two - centre) * metres)
        let (square, otherSquare) = (offset * offset, other * other)
        guard square.x + square.y < squaredRadius else { break skip }
        guard otherSquare.x + otherSquare.y < squaredRadius else { break }
        // The larger step along each axis.
        let (step, next) = ((one - place) * metres, (two - one) * metres)
        let (steps, nextSteps) = (step * step, next * next)
        let larger = steps.replacing(with: nextSteps, where: steps .< nextSteps)
        guard larger.x + larger.y <= squaredReach else { break }
        let (early, late) = (fixes[unchecked: index], fixes[unchecked: index &+ 1])
        guard early.hasPlainAccuracy, late.hasPlainAccuracy, late.time.microseconds < horizon,
          UInt64(bitPattern: early.time.microseconds &- time) <= longestStep,
          UInt64(bitPattern: late.time.microseconds &- early.time.microseconds) <= longestStep
        else { break }
        (place, time) = (two, late.time.microseconds)
        index &+= 2
      }
      // Then these two one by one: one of them may be far from the fix before, but have a coarse accuracy.
      let stop = min(count, index &+ 2)
      while index < stop {
        let fix = fixes[unchecked: index]
        guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.hasPlainAccuracy,
          fix.time.microseconds < horizon, UInt64(bitPattern: fix.time.microseconds &- time) <= longestStep,
          plausibility.surelyFollows(index > start ? fixes[unchecked: index &- 1] : last, fix)
        else { break skip }
        time = fix.time.microseconds
        index &+= 1
      }
      goesOn = index < count
    }
    return (endSkip(fixes, from: start, to: index, at: time), goesOn)
  }

  /// Accepts fixes as ``skipSafeFixes(_:from:)`` does, if the options limit the speed between two fixes: as long as each
  /// fix certainly follows the one before (``Plausibility``), and the path between them is not a gap. The safe region is
  /// convex, so the path between two fixes in the region is in the region.
  @inline(never)
  private mutating func skipLimitedSteps(_ fixes: some FixRows, from start: Int) -> Int {
    let plausibility = options.plausibility
    guard plausibility == nil || timeline.chain.isEmpty, var before = timeline.lastFix else { return start }
    let safe = lookout.safe
    let horizon = safeHorizon
    var (longestGap, maxSpeed): (Int64, Double) = (.max, .infinity)
    if case .geodesic(let maxGap, let limit) = options.path { (longestGap, maxSpeed) = (maxGap, limit ?? .infinity) }
    var time = clock
    var index = start
    let count = fixes.count
    while index < count {
      let fix = fixes[unchecked: index]
      guard fix.coordinate.isValid, safe.contains(fix.coordinate), fix.accuracy >= 0,
        fix.time.microseconds < horizon, UInt64(bitPattern: fix.time.microseconds &- time) <= longestStep
      else { break }
      if let plausibility, !plausibility.surelyFollows(before, fix) { break }
      let duration = fix.time.microseconds &- before.time.microseconds
      guard duration <= longestGap else { break }
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

  /// Applies a fix, in this order: what is due before the fix, determinations, crossings, what is due at the time of
  /// the fix.
  mutating func evaluate(
    _ fix: Fix, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    timeline.beginArrival(at: fix.time.microseconds)
    if options.path.isGeodesic { walk(to: fix, at: position, table, &delivery, &survey) }
    passTime(to: fix.time, table, &delivery, &survey)
    timeline.keep(fix)
    timeline.endArrival()
    if known.host.suspendsAllShapes { return confirmDue(through: clock, table, &delivery, &survey, ending: .input) }
    survey.begin()
    if !known.shapes.isSettled { determine(fix, at: position, table, &delivery, &survey) }
    let isCovered = lookout.covers(position)
    var found: (lanes: UInt32, least: Double) = (0, 0)
    if isCovered {
      found = lookout.reach(position, into: &survey.reached)
    } else {
      lookout.gatherReached(at: position, known.shapes, table, &survey)
    }
    crossReached(fix, at: position, table, &delivery, &survey)
    if !survey.lines.isEmpty { crossLines(at: fix, table, &survey) }
    confirmDue(through: clock, table, &delivery, &survey, ending: .input)
    if isCovered, lookout.hasList {
      lookout.drawSafeRegion(at: position, fix.coordinate, known.shapes, after: found)
    } else {
      lookout.rebuild(at: position, fix.coordinate, known.shapes, table, &survey)
    }
  }

  /// If a fix reaches no threshold and nothing is due at its time, accepts the fix without measuring its position
  /// exactly.
  ///
  /// - Returns: Whether the fix was accepted.
  @inline(__always)
  mutating func passes(_ fix: Fix) -> Bool {
    guard nothingIsDue(at: fix) else { return false }
    let before = lookout.safe
    return lookout.passes(fix.coordinate) && keeps(fix, before)
  }

  /// Whether the edges near the device are known, which ``passesByEdges(_:_:)`` uses.
  @inline(__always)
  var knowsEdges: Bool { lookout.knowsEdges }

  /// Accepts a fix as ``passes(_:)`` does, or if the known edges near the device show that the fix reaches no
  /// threshold.
  mutating func passesByEdges(_ fix: Fix, _ table: ConditionTable) -> Bool {
    guard nothingIsDue(at: fix) else { return false }
    let before = lookout.safe
    return lookout.passesByEdges(fix.coordinate, known.shapes, table) && keeps(fix, before)
  }

  @inline(__always)
  private func nothingIsDue(at fix: Fix) -> Bool {
    known.shapes.isSettled && deadlines.earliest > fix.time.microseconds
  }

  /// Accepts a fix that reaches no threshold, unless the path to the fix reaches one.
  ///
  /// - Parameter before: The safe region before the fix.
  @inline(__always)
  private mutating func keeps(_ fix: Fix, _ before: Neighbourhood.SafeRegion) -> Bool {
    if options.path.isGeodesic, !isClearWay(to: fix, before) { return false }
    timeline.move(to: fix.time.microseconds)
    timeline.keep(fix)
    return true
  }

  /// Updates what is watched for a shape to match the state of the shape.
  ///
  /// - Parameters:
  ///   - observed: The new observed state, which is stored; `nil` if the state has not changed.
  ///   - measured: The position at which the shape has just been measured.
  mutating func refreshWatch(
    _ slot: UInt32, as observed: Observed? = nil, _ table: ConditionTable, _ survey: inout Survey,
    measured: Watch.Local? = nil
  ) {
    lookout.refresh(slot, as: observed, &known, table, &survey, measured: measured)
  }
}
