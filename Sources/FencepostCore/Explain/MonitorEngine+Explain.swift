extension MonitorEngine {
  /// Explains why a condition is in its present state; returns `nil` if no condition has that identifier.
  public func explain(_ identifier: String) -> Explanation? {
    table.slot(of: identifier).map { explain(slot: $0) }
  }

  /// Explains the condition in a slot in use. See ``explain(_:)``.
  ///
  /// - Complexity: O(1).
  @_optimize(size)
  package func explain(slot: UInt32) -> Explanation {
    let flags = currentFlags(of: slot)
    var explanation: Explanation
    if !flags.isDisjoint(with: .unmonitored) {
      explanation = Explanation(reason: .unmonitored)
    } else if flags.subtracting(.timing).suspends {
      explanation = Explanation(reason: .suspended)
    } else if flags.suspends {
      explanation = Explanation(reason: .inactive)
      if !flags.contains(.exhausted), let start = table.timing(of: slot)?.schedule?.nextStart(after: clock) {
        explanation.secondsToDecide = clock == .min ? nil : seconds(until: start)
      }
    } else {
      explanation =
        table.isGeographic(slot)
        ? explainShape(slot) : table.kind(of: slot).isRule ? explainRule(slot) : explainBeacon(slot)
    }
    explanation.observed = state(of: slot)
    explanation.diagnostics = flags
    if table.isGeographic(slot) { explanation.doubt = doubt }
    if table.kind(of: slot).isRule { explanation.parts = tracker.parts(of: slot, table) }
    if let track = tracker.beacon(slot) {
      if track.lastSighting != .min { explanation.lastSighting = Timestamp(microseconds: track.lastSighting) }
      if track.deadline != .max { explanation.deadline = Timestamp(microseconds: track.deadline) }
    }
    return explanation
  }

  private var doubt: Explanation.Doubt? {
    let chain = tracker.chain
    guard !chain.isEmpty, let fix = tracker.lastFix, let plausibility = options.plausibility else { return nil }
    return Explanation.Doubt(
      distance: Plausibility.distance(fix, chain.last), seconds: Plausibility.seconds(from: fix, to: chain.last),
      plausibleSpeed: plausibility.speed, corroborations: Int(clamping: chain.count),
      corroborationsNeeded: plausibility.corroborationCount)
  }

  private func explainBeacon(_ slot: UInt32) -> Explanation {
    guard tracker.isScanning else { return Explanation(reason: .scannerOff) }
    var explanation =
      switch tracker.observed(slot, table) {
      case .undetermined: Explanation(reason: .notSeenYet)
      case .inside: Explanation(reason: .seen)
      case .outside: Explanation(reason: .absent)
      }
    if let deadline = tracker.beacon(slot)?.deadline, deadline != .max {
      explanation.secondsToDecide = seconds(until: deadline)
    }
    return explanation
  }

  private func explainRule(_ slot: UInt32) -> Explanation {
    guard let candidate = tracker.ruleCandidate(of: slot, table) else { return Explanation(reason: .parts) }
    var explanation = Explanation(reason: .dwelling)
    explanation.candidateStart = Timestamp(microseconds: candidate.start)
    explanation.deadline = Timestamp(microseconds: candidate.deadline)
    explanation.secondsToDecide = seconds(until: candidate.deadline)
    return explanation
  }

  @_optimize(size)
  private func explainShape(_ slot: UInt32) -> Explanation {
    let state = tracker.state(of: slot, table)
    // All evaluated shapes have seen the same last fix, that of the monitor.
    guard let fix = tracker.lastFix, state.observed != .undetermined || state.hasMetCoarseFix,
      fix.time.microseconds >= tracker.absentSince(slot)
    else {
      return Explanation(reason: .noFixYet)
    }
    let shape = table.shape(of: slot)
    if table.kind(of: slot).isLine { return explainLine(shape, fix) }
    let policy = table.policy(of: slot)
    let measure = shape.measure(fix.coordinate)
    let inner = policy.marginInwards(size: shape.size, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: shape.size, accuracy: fix.accuracy)
    let place = table.band(of: slot)?.place(tracker.lastHeight?.heights ?? .none, policy)
    let isInside = measure.isInside && place?.isInside ?? true
    let hasNoHeight = measure.isInside && place?.distance.isNaN ?? false
    let isOtherSide = state.observed != .undetermined && !hasNoHeight && isInside != (state.observed == .inside)
    let candidate = tracker.candidate(of: slot)

    var explanation: Explanation
    // With a candidate, a fix may have decided by its height, whatever its accuracy is.
    if let needed = policy.accuracyThatDecides(state.observed, size: shape.size, measure),
      !hasNoHeight, place == nil || candidate == nil,
      state.observed == .undetermined
        || (isOtherSide && fix.accuracy > needed && (!isInside || place?.isDecisiveInwards ?? true))
    {
      explanation = Explanation(reason: .tooCoarse)
      explanation.accuracyNeeded = needed
    } else if let candidate {
      explanation = Explanation(reason: .dwelling)
      explanation.secondsToDecide = seconds(until: candidate.deadline)
    } else if hasNoHeight {
      explanation = Explanation(reason: .noHeight)
    } else if policy.hasProbability, measure.isInside == isInside,
      state.observed == .undetermined
        || (isOtherSide
          && (isInside
            ? measure.distance <= measure.line - inner && place?.isDecisiveInwards ?? true
            : measure.distance >= measure.line + outer))
    {
      explanation = Explanation(reason: .uncertain)
      if tracker.lastEllipse == nil {
        explanation.accuracyNeeded = accuracyThatDecides(shape, fix, policy, inwards: isInside)
      }
    } else {
      explanation = Explanation(reason: isOtherSide ? .withinMargin : isInside ? .inside : .outside)
    }
    if let place, !place.distance.isNaN { explanation.verticalDistance = place.distance }
    if policy.hasProbability {
      explanation.ellipse = tracker.lastEllipse
      let probability = shape.probability(at: fix.coordinate, tracker.error(of: fix))
      if !probability.isNaN { explanation.probability = probability }
    } else if place == nil, explanation.reason != .tooCoarse, explanation.reason != .dwelling {
      explanation.metresToDecide =
        state.observed == .inside
        ? measure.line + outer - measure.distance : measure.distance - (measure.line - inner)
    }
    explanation.boundaryDistance = measure.boundaryDistance
    explanation.nearestBoundaryPoint = shape.nearestBoundaryPoint(to: fix.coordinate)
    explanation.accuracy = fix.accuracy
    explanation.entryMargin = inner
    explanation.exitMargin = outer
    if let candidate {
      explanation.candidateStart = candidate.fix.time
      explanation.deadline = Timestamp(microseconds: candidate.deadline)
    }
    return explanation
  }

  /// The largest accuracy with which the last fix decides a shape whose policy has probabilities, to a relative error of
  /// 1e-6; `nil` if even the smallest one does not decide.
  private func accuracyThatDecides(_ shape: Shape, _ fix: Fix, _ policy: TransitionPolicy, inwards: Bool) -> Double? {
    var fix = fix
    // Beyond the first number all accuracies have the same result; below the second one all positions are exact.
    var high = min(fix.accuracy, 1e9)
    var low = 0.0
    while high > max(low * 1.000_001, 0.001) {
      let middle = low == 0 ? 0.001 : (low * high).squareRoot()
      fix.accuracy = middle
      if policy.isDecisive(inwards: inwards, options.probability(shape, fix)) {
        low = middle
      } else {
        high = middle
      }
    }
    return low == 0 ? nil : low
  }

  /// Explains a monitored line by its distance from the last fix.
  private func explainLine(_ shape: Shape, _ fix: Fix) -> Explanation {
    let measure = shape.measure(fix.coordinate)
    var explanation = Explanation(reason: measure.isInside ? .inside : .outside)
    explanation.boundaryDistance = measure.boundaryDistance
    explanation.nearestBoundaryPoint = shape.nearestBoundaryPoint(to: fix.coordinate)
    explanation.accuracy = fix.accuracy
    explanation.metresToDecide = measure.boundaryDistance
    return explanation
  }

  private func seconds(until microseconds: Int64) -> Double {
    Double(Timestamp(microseconds: microseconds).microseconds(since: Timestamp(microseconds: clock))) / 1e6
  }
}

extension TransitionPolicy {
  /// The largest accuracy with which a fix decides a shape of a size; `nil` if no accuracy does, or if the accuracy has
  /// no effect. This inverts ``marginInwards(size:accuracy:)``, ``marginOutwards(size:accuracy:)`` and
  /// ``isTooCoarse(size:accuracy:)``.
  ///
  /// - Parameter measure: The distances of the fix from the line.
  func accuracyThatDecides(_ observed: Observed, size: Double, _ measure: Shape.Measure) -> Double? {
    guard accuracyFactor > 0 else { return nil }
    let coarse = max(size, Self.alwaysFineEnough)
    let past = measure.boundaryDistance
    // The quotient must not overflow, which a host may trap: the distances here are below 1e8.
    func scaled(_ metres: Double) -> Double { metres / max(accuracyFactor, 1e-280) }
    switch observed {
    case .undetermined:
      return past <= 0 ? coarse : max(coarse, past)
    case .inside:
      return past >= exitMargin(size: size) && past > 0 ? scaled(past) : nil
    case .outside:
      if measure.distance <= measure.line - size / 2 { return coarse }
      return -past >= entryMargin && past <= 0 ? min(coarse, scaled(-past)) : nil
    }
  }
}
