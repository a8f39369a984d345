import FencepostKernel

/// Evaluates all shapes that one fix reaches.
extension Tracker {
  /// Applies a fix to the shapes that it reaches, in add order.
  ///
  /// If the fix can confirm only crossings of circles without a dwell, all confirmations have the same deadline, so
  /// their events are in add order. These crossings are then confirmed immediately instead of being collected first.
  mutating func crossReached(
    _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    guard !survey.reached.isEmpty else { return }
    if survey.reached.count > 1 {
      for slot in survey.reached { delivery.told.readAhead(slot) }
      arrangeReached(table, &survey)
    }
    let isImmediate =
      known.candidates.isEmpty && survey.confirmed.isEmpty && survey.lines.isEmpty
      && deadlines.earliest > fix.time.microseconds
      && (table.isOfCircles || survey.reached.allSatisfy { table.isRound($0) })
    var index = 0
    while index < survey.reached.count {
      let slot = survey.reached[index]
      if isImmediate {
        crossCircle(slot, fix, at: position, table, &delivery, &survey)
      } else {
        cross(slot, fix, at: position, table, &survey)
      }
      index += 1
    }
  }

  /// Sorts the reached shapes in add order.
  private func arrangeReached(_ table: ConditionTable, _ survey: inout Survey) {
    survey.keys.clear()
    for slot in survey.reached {
      survey.keys.append(ReachedKey(generation: table.generation(of: slot), slot: slot))
    }
    survey.keys.arrange { $0.generation < $1.generation }
    for index in survey.keys.indices { survey.reached[index] = survey.keys[index].slot }
  }

  /// Applies a fix to a determined circle like ``cross(_:_:at:_:_:)``, if no candidate exists anywhere: opens a
  /// candidate, or confirms a crossing without a dwell.
  @inline(__always)
  private mutating func crossCircle(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) {
    let observed = known.shapes.observed(slot, table)
    guard observed != .undetermined else { return }
    let circle = table.bounds(of: slot)
    let policy = table.policy(of: slot)
    let inner = policy.marginInwards(size: circle.radius, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: circle.radius, accuracy: fix.accuracy)
    let measure = Shape.Measure(
      distance: circle.distance(to: fix.coordinate, at: position, margins: (inner, outer)), line: circle.radius)
    guard measure.isInside != (observed == .inside),
      Self.isDecisive(
        slot, fix, measure, size: circle.radius, margins: (inner, outer), policy, from: observed, table,
        confidence: options.accuracyConfidence)
    else { return }
    let (candidate, dwell) = Self.candidate(
      fix, boundaryDistance: measure.boundaryDistance, policy, from: observed, isOnPath: survey.isOnPath)
    if dwell == 0 {
      confirmCrossing(slot, candidate, date: fix.time.microseconds, table, &delivery, &survey)
    } else {
      open(candidate, slot)
      refreshWatch(slot, table, &survey)
    }
  }
}
