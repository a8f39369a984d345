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
      for slot in survey.reached { delivery.readAhead(slot) }
      arrangeReached(table, &survey)
    }
    let isImmediate =
      known.candidates.isEmpty && survey.confirmed.isEmpty && survey.lines.isEmpty
      && deadlines.earliest > fix.time.microseconds && !table.policies.hasBands
      && (table.isOfCircles || survey.reached.allSatisfy { table.isRound($0) })
    var index = 0
    var pairs = FarPairs()
    while index < survey.reached.count {
      let slot = survey.reached[index]
      if isImmediate {
        let distance = pairs.distance(survey.reached, index, fix.coordinate, at: position, table)
        crossCircle(slot, fix, at: position, distance: distance, table, &delivery, &survey)
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
  ///
  /// - Parameter distance: The distance from the centre, in metres; NaN if it is not known.
  @inline(__always)
  private mutating func crossCircle(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, distance: Double, _ table: ConditionTable,
    _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    let observed = known.shapes.observed(slot, table)
    guard observed != .undetermined else { return }
    let circle = table.bounds(of: slot)
    let policy = table.policy(of: slot)
    let inner = policy.marginInwards(size: circle.radius, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: circle.radius, accuracy: fix.accuracy)
    var distance = distance
    if distance.isNaN { distance = circle.distance(to: fix.coordinate, at: position, margins: (inner, outer)) }
    let measure = Shape.Measure(distance: distance, line: circle.radius)
    guard measure.isInside != (observed == .inside),
      Self.isBeyondMargin(fix, measure, size: circle.radius, margins: (inner, outer), policy, from: observed)
    else { return }
    var probability = Float.nan
    if policy.hasProbability {
      guard
        let decisive = Self.decisiveProbability(slot, fix, measure, table, error(of: fix), reachOfMetre)
      else { return }
      probability = decisive
    }
    var (candidate, dwell) = Self.candidate(
      fix, boundaryDistance: measure.boundaryDistance, policy, from: observed, isOnPath: survey.isOnPath)
    candidate.probability = probability
    if dwell == 0 {
      confirmCrossing(slot, candidate, date: fix.time.microseconds, table, &delivery, &survey)
    } else {
      open(candidate, slot)
      refreshWatch(slot, table, &survey)
    }
  }
}

/// Computes the distances of a position from the far centres of circles, two at a time. A device that jumps leaves such
/// circles together. The distances from near centres take hardly any time.
private struct FarPairs {
  private var place: GeodesicInverse.Place?
  /// The index of the next circle whose distance is not computed yet, and the distance of the circle before it.
  private var next = 0
  private var distance = Double.nan

  /// The distance from the centre of `circles[index]`, in metres; NaN if the centre is near or has no partner. Call the
  /// function once for each index, in ascending order.
  @inline(__always)
  mutating func distance(
    _ circles: ContiguousArray<UInt32>, _ index: Int, _ coordinate: Coordinate, at position: EarthVector,
    _ table: ConditionTable
  ) -> Double {
    if index &+ 1 < next { return .nan }
    if index &+ 1 == next { return distance }
    let one = table.bounds(of: circles[index])
    return one.isFar(from: position) ? pair(one, circles, index, coordinate, at: position, table) : .nan
  }

  /// Finds the next far circle after `circles[index]`, and computes the distances from both centres.
  private mutating func pair(
    _ one: Circle, _ circles: ContiguousArray<UInt32>, _ index: Int, _ coordinate: Coordinate,
    at position: EarthVector, _ table: ConditionTable
  ) -> Double {
    next = index &+ 1
    distance = .nan
    while next < circles.count {
      let two = table.bounds(of: circles[next])
      next &+= 1
      guard two.isFar(from: position) else { continue }
      let target = place ?? GeodesicInverse.Place(latitude: coordinate.latitude, longitude: coordinate.longitude)
      place = target
      let distances = GeodesicInverse.distances(
        latitudes: SIMD2(one.latitude, two.latitude), longitudes: SIMD2(one.longitude, two.longitude), to: target)
      distance = distances[1]
      return distances[0]
    }
    return .nan
  }
}
