import FencepostKernel

/// The detector of shapes.
extension Tracker {
  /// Decides an undetermined shape by a fix, if the fix can; `false` when it stays undetermined.
  ///
  /// By the plain side of the line; a fix that is too coarse for the shape can only say "outside", and only when
  /// even its circle of uncertainty misses it. With probabilities, only if the probability is decisive for the side.
  mutating func decide(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) -> Bool {
    if let band = table.band(of: slot) {
      return decide(slot, within: band, fix, at: position, table, &delivery, &survey)
    }
    if table.policies.hasProbabilities, isUncertain(slot, fix, at: position, table, isOnPath: survey.isOnPath) {
      return false
    }
    let shape = table.shape(of: slot)
    if table.kind(of: slot).isLine {
      refreshWatch(slot, as: .outside, table, &survey)
      return true
    }
    let isCoarse = table.policy(of: slot).isTooCoarse(size: shape.size, accuracy: fix.accuracy)
    let margin = isCoarse ? fix.accuracy : 0
    if table.bounds(of: slot).isFarther(than: margin, position), delivery.agrees(slot, .unsatisfied, table),
      !known.hasTimed || known.timed(slot) == nil, table.rules?.part(in: slot) == nil
    {
      refreshWatch(slot, as: .outside, table, &survey)
      return true
    }
    let measure = shape.measure(fix.coordinate, at: position, margins: (0, margin))
    let isInside = measure.isInside
    if isCoarse, !(measure.distance - fix.accuracy > measure.line) {
      known.setTooCoarse(slot, table)
      return false
    }
    refreshWatch(
      slot, as: isInside ? .inside : .outside, table, &survey, measured: shape.local(measure, at: position))
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: isInside ? .satisfied : .unsatisfied,
      cause: .determination, date: Timestamp(microseconds: clock))
    entry.notify = .initial
    entry.setEvidence(
      fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position), isOnPath: survey.isOnPath)
    if table.policies.hasProbabilities, table.hasProbability(slot), let ellipse = timeline.lastEllipse {
      entry.probability = Float(shape.probability(at: fix.coordinate, ellipse.error))
    }
    if timeline.hasGap { markGap(&entry, decided: fix.time.microseconds, table, delivery) }
    observe(entry, isInitial: true, table, &delivery)
    return true
  }

  /// Whether an undetermined shape stays undetermined because its policy has probabilities, and a fix is not decisive.
  @inline(never)
  private mutating func isUncertain(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, isOnPath: Bool
  ) -> Bool {
    guard table.hasProbability(slot) else { return false }
    // A path lays no positions for a shape whose policy has probabilities.
    if isOnPath { return true }
    // Beyond the reach of the error, the probability is 0.
    guard !table.kind(of: slot).isLine, !table.bounds(of: slot).isFarther(than: reach(of: fix), position) else {
      return false
    }
    let measure = table.shape(of: slot).measure(fix.coordinate, at: position, margins: (0, 0))
    if Self.decisiveProbability(slot, fix, measure, table, error(of: fix), reachOfMetre) != nil { return false }
    known.setTooCoarse(slot, table)
    return true
  }

  /// Whether the probability that a shape contains the true position of a fix is decisive for the side on which the fix
  /// is. The function is static, because a call in the middle of a mutation would copy the tracker.
  ///
  /// - Parameters:
  ///   - measure: That of the fix.
  ///   - reachOfMetre: That of the tracker.
  /// - Returns: `nil` if it is not decisive; otherwise ``EventEntry/probability``.
  @inline(never)
  static func decisiveProbability(
    _ slot: UInt32, _ fix: Fix, _ measure: Shape.Measure, _ table: ConditionTable, _ error: PositionError,
    _ reachOfMetre: Double
  ) -> Float? {
    let shape = table.shape(of: slot)
    let policy = table.policy(of: slot)
    if case .accuracy(let accuracy, _) = error, accuracy > 0, case .circle(let circle) = shape {
      // Most fixes need no integral.
      let sigma = max(accuracy * reachOfMetre / ErrorEllipse.farthest, ErrorEllipse.leastAxis)
      let distance = measure.boundaryDistance
      let isUncertain =
        measure.isInside
        ? CircleBound.isLess(than: policy.entryProbability, depth: -distance, radius: circle.radius, sigma: sigma)
        : CircleBound.isGreater(than: policy.exitProbability, distance: distance, radius: circle.radius, sigma: sigma)
      if isUncertain { return nil }
    }
    let probability = shape.probability(at: fix.coordinate, error)
    guard policy.isDecisive(inwards: measure.isInside, probability) else { return nil }
    if case .ellipse = error { return Float(probability) }
    return .nan
  }

  /// The error of the last fix.
  @inline(__always)
  func error(of fix: Fix) -> PositionError {
    // All accuracies beyond the greatest ellipse have the same result.
    timeline.lastEllipse?.error ?? .accuracy(min(fix.accuracy, 1e9), confidence: options.accuracyConfidence)
  }

  /// The distance from a boundary, in metres, beyond which the side of the last fix decides the probability; or a little
  /// more.
  @inline(__always)
  func reach(of fix: Fix) -> Double { reach(of: fix, timeline.lastEllipse) }

  /// As ``reach(of:)``, for a fix that is not the last fix yet.
  @inline(__always)
  func reach(of fix: Fix, _ ellipse: FixEllipse?) -> Double {
    let reach =
      ellipse.map { min($0.major, 1e9) * (ErrorEllipse.farthest * 1.000_000_1) }
      ?? min(fix.accuracy, 1e9) * reachOfMetre
    return max(reach, ErrorEllipse.leastAxis * ErrorEllipse.farthest)
  }

  /// Applies a fix to a determined circle: opens, cancels or confirms a candidate.
  mutating func cross(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ survey: inout Survey
  ) {
    if let band = table.band(of: slot) { return cross(slot, within: band, fix, at: position, table, &survey) }
    let observed = known.shapes.observed(slot, table)
    guard observed != .undetermined else { return }
    let shape = table.shape(of: slot)
    let policy = table.policy(of: slot)
    let inner = policy.marginInwards(size: shape.size, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: shape.size, accuracy: fix.accuracy)
    let found = lookout.foundNear(slot, shape, at: position, known.shapes)
    let measure = shape.measure(fix.coordinate, at: position, margins: (inner, outer), near: found)
    let local = shape.local(measure, at: position)
    let isOwnSide = measure.isInside == (observed == .inside) || table.kind(of: slot).isLine
    if isOwnSide {
      if known.closeCandidate(slot) {
        deadlines.cancel(slot)
        if known.hasTimed { remindTiming(slot) }
        refreshWatch(slot, table, &survey, measured: local)
      } else if local != nil {
        refreshWatch(slot, table, &survey, measured: local)
      }
      return
    }
    // A watch that was drawn from where the device was before is drawn anew, whatever comes of the fix.
    var isDrawnLater = false
    defer { if local != nil, !isDrawnLater { refreshWatch(slot, table, &survey, measured: local) } }
    let time = fix.time.microseconds
    if let candidate = known.candidate(of: slot) {
      if !candidate.isTimed, time >= candidate.deadline { confirm(slot, candidate, date: time, table, &survey) }
      return
    }
    guard Self.isBeyondMargin(fix, measure, size: shape.size, margins: (inner, outer), policy, from: observed) else {
      return
    }
    var probability = Float.nan
    if policy.hasProbability {
      guard
        let decisive = Self.decisiveProbability(slot, fix, measure, table, error(of: fix), reachOfMetre)
      else { return }
      probability = decisive
    }
    var (candidate, dwell) = Self.candidate(
      fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position, near: found), policy,
      from: observed, isOnPath: survey.isOnPath)
    candidate.probability = probability
    if dwell == 0 {
      confirm(slot, candidate, date: time, table, &survey)
      // The confirmation, which belongs to the same fix, draws the watch.
      isDrawnLater = lookout.note(slot, known.shapes, measured: local)
    } else {
      open(candidate, slot)
      if local == nil { refreshWatch(slot, table, &survey) }
    }
  }

  /// Whether a fix on the other side of the line than the observed one is beyond the margin there.
  @inline(__always)
  static func isBeyondMargin(
    _ fix: Fix, _ measure: Shape.Measure, size: Double, margins: (inner: Double, outer: Double),
    _ policy: TransitionPolicy, from observed: Observed
  ) -> Bool {
    observed == .inside
      ? measure.distance >= measure.line + margins.outer
      : measure.distance <= measure.line - margins.inner && !policy.isTooCoarse(size: size, accuracy: fix.accuracy)
  }

  /// Returns the candidate that a decisive fix opens, and the dwell after which it is confirmed, in microseconds.
  @inline(__always)
  static func candidate(
    _ fix: Fix, boundaryDistance: Double, _ policy: TransitionPolicy, from observed: Observed, isOnPath: Bool
  ) -> (candidate: Candidate, dwell: Int64) {
    let dwell = observed == .inside ? policy.exitDwellMicroseconds : policy.entryDwellMicroseconds
    return (
      Candidate(
        fix: fix, boundaryDistance: boundaryDistance, deadline: fix.time.adding(microseconds: dwell).microseconds,
        isTimed: policy.dwellPolicy == .timer, isOnPath: isOnPath), dwell
    )
  }

  /// Opens a candidate, and schedules its deadline.
  @inline(__always)
  mutating func open(_ candidate: Candidate, _ slot: UInt32) {
    known.open(candidate, slot)
    if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
  }

  /// Puts a crossing among those that are confirmed at this instant.
  func confirm(
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
    let entered = known.shapes.observed(slot, table) == .outside
    known.closeCandidate(slot)
    refreshWatch(slot, as: entered ? .inside : .outside, table, &survey)
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: entered ? .satisfied : .unsatisfied,
      cause: .crossing, date: Timestamp(microseconds: date))
    entry.notify = entered ? .entry : .exit
    entry.setEvidence(
      candidate.fix, boundaryDistance: candidate.boundaryDistance, isOnPath: candidate.isOnPath)
    if !candidate.probability.isNaN { entry.probability = candidate.probability }
    entry.verticalDistance = candidate.verticalDistance
    if timeline.hasGap {
      let decided = candidate.isTimed ? candidate.fix.time.microseconds : date
      markGap(&entry, decided: decided, table, delivery)
    }
    observe(entry, isInitial: false, table, &delivery)
  }
}

extension MonitorOptions {
  /// The probability that a shape contains the true position of a fix without an error ellipse.
  @inline(__always)
  func probability(_ shape: Shape, _ fix: Fix) -> Double {
    shape.probability(at: fix.coordinate, accuracy: fix.accuracy, confidence: accuracyConfidence)
  }

  /// The distance from a boundary, in metres, beyond which the side of a fix with an accuracy of 1 m decides the
  /// probability; or a little more.
  @inline(never)
  var reachOfMetre: Double {
    ErrorEllipse(accuracy: 1e6, confidence: accuracyConfidence).major * (ErrorEllipse.farthest * 1.000_000_1e-6)
  }
}

extension EventEntry {
  mutating func setEvidence(_ fix: Fix, boundaryDistance: Double, isOnPath: Bool) {
    if isOnPath { marks.insert(.onPath) }
    evidenceDate = fix.time.microseconds
    latitude = fix.coordinate.latitude
    longitude = fix.coordinate.longitude
    accuracy = fix.accuracy
    self.boundaryDistance = boundaryDistance
  }
}
