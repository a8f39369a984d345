import FencepostKernel

extension MonitorEngine {
  /// Explains why a condition is in its state, for the present moment; `nil` when no condition has that identifier.
  public func explain(_ identifier: String) -> Explanation? {
    table.slot(of: identifier).map { explain(slot: $0) }
  }

  /// Explains a live slot. See ``explain(_:)``.
  ///
  /// - Complexity: O(1).
  public func explain(slot: UInt32) -> Explanation {
    let flags = currentFlags(of: slot)
    var explanation: Explanation
    if !flags.isDisjoint(with: .unmonitored) {
      explanation = Explanation(reason: .unmonitored)
    } else if flags.suspends {
      explanation = Explanation(reason: .suspended)
    } else {
      switch table.kind(of: slot) {
      case .circularGeographic: explanation = explainCircle(slot)
      case .beaconIdentity: explanation = explainBeacon(slot)
      }
    }
    explanation.observed = tracker.states[Int(slot)].observed.state
    explanation.diagnostics = flags
    if let track = tracker.beaconTracks[slot] {
      if track.lastSighting != .min { explanation.lastSighting = Timestamp(microseconds: track.lastSighting) }
      if track.deadline != .max { explanation.deadline = Timestamp(microseconds: track.deadline) }
    }
    return explanation
  }

  private func explainBeacon(_ slot: UInt32) -> Explanation {
    guard tracker.isScanning else { return Explanation(reason: .scannerOff) }
    var explanation =
      switch tracker.states[Int(slot)].observed {
      case .undetermined: Explanation(reason: .notSeenYet)
      case .inside: Explanation(reason: .seen)
      case .outside: Explanation(reason: .absent)
      }
    if let deadline = tracker.beaconTracks[slot]?.deadline, deadline != .max {
      explanation.secondsToDecide = seconds(until: deadline)
    }
    return explanation
  }

  private func explainCircle(_ slot: UInt32) -> Explanation {
    let state = tracker.states[Int(slot)]
    // While a circle is evaluated, the last fix that it has seen is the monitor's.
    guard let fix = tracker.lastFix, state.observed != .undetermined || state.hasMetCoarseFix else {
      return Explanation(reason: .noFixYet)
    }
    let circle = table.circle(of: slot)
    let policy = table.policy(of: slot)
    let distance = GeodesicInverse.distance(
      latitude1: circle.latitude, longitude1: circle.longitude, latitude2: fix.coordinate.latitude,
      longitude2: fix.coordinate.longitude)
    let inner = policy.marginInwards(radius: circle.radius, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(radius: circle.radius, accuracy: fix.accuracy)
    let isInside = distance <= circle.radius
    let isOtherSide = state.observed != .undetermined && isInside != (state.observed == .inside)
    let candidate = tracker.candidates[slot]

    var explanation: Explanation
    if let needed = accuracyThatDecides(state.observed, circle, policy, distance: distance),
      state.observed == .undetermined || (isOtherSide && fix.accuracy > needed)
    {
      explanation = Explanation(reason: .tooCoarse)
      explanation.accuracyNeeded = needed
    } else if let candidate {
      explanation = Explanation(reason: .dwelling)
      explanation.secondsToDecide = seconds(until: candidate.deadline)
    } else {
      explanation = Explanation(reason: isOtherSide ? .withinMargin : isInside ? .inside : .outside)
      explanation.metresToDecide =
        state.observed == .inside ? circle.radius + outer - distance : distance - (circle.radius - inner)
    }
    explanation.boundaryDistance = distance - circle.radius
    explanation.accuracy = fix.accuracy
    explanation.entryMargin = inner
    explanation.exitMargin = outer
    if let candidate {
      explanation.candidateStart = candidate.fix.time
      explanation.deadline = Timestamp(microseconds: candidate.deadline)
    }
    return explanation
  }

  /// The largest accuracy value with which a fix at a distance decides a circle; `nil` when none would, or when
  /// accuracy plays no part.
  private func accuracyThatDecides(
    _ observed: Observed, _ circle: CircleGeometry, _ policy: TransitionPolicy, distance: Double
  ) -> Double? {
    guard policy.accuracyFactor > 0 else { return nil }
    let coarse = max(circle.radius, 100)
    let past = distance - circle.radius
    switch observed {
    case .undetermined:
      return past <= 0 ? coarse : max(coarse, past)
    case .inside:
      return past >= policy.exitMargin(radius: circle.radius) && past > 0 ? quotient(past, policy.accuracyFactor) : nil
    case .outside:
      if distance <= circle.radius / 2 { return coarse }
      return -past >= policy.entryMargin && past <= 0 ? min(coarse, quotient(-past, policy.accuracyFactor)) : nil
    }
  }

  /// A quotient that does not overflow, which a host may trap: distances are below 1e8.
  private func quotient(_ metres: Double, _ factor: Double) -> Double { metres / max(factor, 1e-280) }

  private func seconds(until microseconds: Int64) -> Double {
    Double(Timestamp(microseconds: microseconds).microseconds(since: Timestamp(microseconds: clock))) / 1e6
  }
}
