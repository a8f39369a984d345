import FencepostKernel

/// Which thresholds a fix can reach: the link between the detectors and the index.
///
/// A settled circle outside can only be entered: it is found through the index. All others are in `active`, each
/// with the one threshold at which something may change.
extension MonitorEngine {
  /// The threshold of a circle at which a fix may change something; `nil` for a circle that is undetermined.
  @inline(__always)
  func watch(_ slot: UInt32) -> ActiveCircles.Watch? {
    let circle = table.circle(of: slot)
    let policy = table.policy(of: slot)
    let observed = states[Int(slot)].observed
    guard observed != .undetermined else { return nil }
    if let candidate = candidates.isEmpty ? nil : candidates[slot] {
      guard candidate.isTimed else {  // any fix may confirm it
        return .init(centre: circle.centre, threshold: .infinity, direction: -1, slot: slot)
      }
      return observed == .inside
        ? .init(
          centre: circle.centre, threshold: ChordThreshold.approaching(circle.radius), direction: -1, slot: slot)
        : .init(centre: circle.centre, threshold: ChordThreshold.leaving(circle.radius), direction: 1, slot: slot)
    }
    if observed == .inside {
      let line = circle.radius + policy.exitMargin(radius: circle.radius)
      return .init(centre: circle.centre, threshold: ChordThreshold.leaving(line), direction: 1, slot: slot)
    }
    return .init(
      centre: circle.centre, threshold: entryThreshold(circle, margin: policy.entryMargin), direction: -1, slot: slot)
  }

  /// The chord from which on inwards a fix may enter a circle.
  @inline(__always)
  private func entryThreshold(_ circle: CircleGeometry, margin: Double) -> Double {
    ChordThreshold.approaching(circle.radius - min(margin, circle.radius / 2))
  }

  @inline(__always)
  private func isSettledOutside(_ slot: UInt32) -> Bool {
    let state = states[Int(slot)]
    return state.observed == .outside && state.active == SlotState.none
  }

  /// Brings `active` and the neighbourhood in line with the state of a circle.
  mutating func refreshWatch(_ slot: UInt32) {
    let watch = watch(slot)
    let index = states[Int(slot)].active
    let isActive =
      watch != nil && (states[Int(slot)].observed == .inside || (!candidates.isEmpty && candidates[slot] != nil))
    if isActive, let watch {
      if index == SlotState.none {
        states[Int(slot)].active = active.append(watch)
      } else {
        active.update(index, watch)
      }
    } else if index != SlotState.none {
      states[Int(slot)].active = SlotState.none
      if gatheredRadius > 0 { released.append(slot) }
      if let moved = active.remove(index) { states[Int(moved)].active = index }
    }
    neighbourhood.update(slot, watch)
  }

  /// Collects the circles whose threshold is reached at a position that the neighbourhood does not cover, and in
  /// `near` the settled circles outside that are near but not reached.
  mutating func gatherReached(at position: EarthVector) {
    slotScratch.removeAll(keepingCapacity: true)
    for watch in active.watches where watch.slack(at: position) <= 0 { slotScratch.append(watch.slot) }
    let isJump = neighbourhood.isJump(to: position)
    let centre = isJump ? position : neighbourhood.centreAhead(of: position)
    gather(around: centre, within: isJump ? 0 : neighbourhood.nextRadius)
    let lead = centre.squaredChord(to: position).squareRoot() + 1e-3
    near.removeAll(keepingCapacity: true)
    for hit in gathered where isSettledOutside(hit.id) {
      if Double(hit.slack) > lead {
        near.append(NearThreshold(slack: Double(hit.slack), slot: hit.id))
      } else if entrySlack(hit.id, at: position) <= 0 {
        slotScratch.append(hit.id)
        released.append(hit.id)
      } else {
        near.append(NearThreshold(slack: entrySlack(hit.id, at: centre), slot: hit.id))
      }
    }
  }

  /// How far the device can move before it may enter a circle, metres.
  @inline(__always)
  private func entrySlack(_ slot: UInt32, at position: EarthVector) -> Double {
    let circle = table.circle(of: slot)
    return circle.centre.squaredChord(to: position).squareRoot()
      - entryThreshold(circle, margin: table.entryMargin(of: slot))
  }

  private mutating func gather(around centre: EarthVector, within radius: Double) {
    gathered.removeAll(keepingCapacity: true)
    gatheredRadius = radius
    gatheredCentre = centre
    table.index.collect(near: centre, within: radius, into: &gathered)
  }

  /// Lists the nearest thresholds around a position, or rather a little ahead of it, unless the device has just jumped
  /// there.
  mutating func rebuildNeighbourhood(at position: EarthVector, _ coordinate: Coordinate) {
    defer {
      gatheredRadius = 0
      released.removeAll(keepingCapacity: true)
    }
    guard !neighbourhood.isJump(to: position) else {
      neighbourhood.reset(at: position)
      return
    }
    if gatheredRadius > 0 {
      // What was reached, or was active, and is settled outside now.
      for slot in released where isSettledOutside(slot) {
        near.append(NearThreshold(slack: entrySlack(slot, at: gatheredCentre), slot: slot))
      }
      listActive()
    } else {
      listNear(position, within: neighbourhood.nextRadius)
    }
    var radius = selectNear()
    let lead = gatheredCentre.squaredChord(to: position).squareRoot()
    if radius < 1.25 * lead {  // too crowded to look so far ahead
      listNear(position, within: neighbourhood.nextRadius)
      radius = selectNear()
      neighbourhood.lookLessFarAhead()
    }
    neighbourhood.begin(around: gatheredCentre, for: position, coordinate, radius: radius)
    for candidate in near.prefix(Neighbourhood.capacity) where candidate.slack < radius {
      if let watch = watch(candidate.slot) { neighbourhood.append(watch) }
    }
    neighbourhood.end()
    drawSafeRegion(at: position, coordinate)
  }

  /// Moves the nearest thresholds to the front of `near`, as many as the list holds, after widening the search where
  /// there are few.
  ///
  /// - Returns: The radius within which they are all.
  private mutating func selectNear() -> Double {
    var tries = 0
    while near.count < 8, gatheredRadius < 100_000, tries < 8 {
      listNear(gatheredCentre, within: min(100_000, gatheredRadius * 2.5))
      tries += 1
    }
    guard near.count > Neighbourhood.capacity else {
      neighbourhood.nextRadius = min(100_000, max(50, gatheredRadius * 1.3))
      return gatheredRadius
    }
    let radius = min(gatheredRadius, max(0, near.select(Neighbourhood.capacity + 1).slack))
    neighbourhood.nextRadius = max(50, radius * 1.1)
    return radius
  }

  /// Fills `near` with the thresholds whose slack at a point is less than a radius.
  private mutating func listNear(_ centre: EarthVector, within radius: Double) {
    gather(around: centre, within: radius)
    near.removeAll(keepingCapacity: true)
    for hit in gathered where isSettledOutside(hit.id) {
      near.append(NearThreshold(slack: Double(hit.slack), slot: hit.id))
    }
    listActive()
  }

  private mutating func listActive() {
    for watch in active.watches {
      let slack = watch.slack(at: gatheredCentre)
      if slack < gatheredRadius { near.append(NearThreshold(slack: slack, slot: watch.slot)) }
    }
  }

  /// Draws the safe region; there is none while a circle is undetermined, since any fix may decide it.
  mutating func drawSafeRegion(at position: EarthVector, _ coordinate: Coordinate) {
    guard undetermined.isEmpty else { return neighbourhood.removeSafeRegion() }
    let offset = neighbourhood.offset(of: position)
    neighbourhood.drawSafeRegion(
      at: coordinate, slack: neighbourhood.leastSlack(at: offset), moved: offset.length)
  }

  /// Takes a fix that reaches no threshold of the neighbourhood, without measuring its position exactly.
  ///
  /// - Returns: Whether it did.
  @inline(__always)
  mutating func passes(_ fix: Fix) -> Bool {
    guard neighbourhood.isValid, undetermined.isEmpty, deadlines.earliest > fix.time.microseconds,
      let offset = neighbourhood.offset(of: fix.coordinate)
    else { return false }
    let moved = offset.length + 1e-5
    guard moved < neighbourhood.radius else { return false }
    let slack = neighbourhood.leastSlack(at: offset)
    guard slack > 0 else { return false }
    neighbourhood.drawSafeRegion(at: fix.coordinate, slack: slack, moved: moved)
    return true
  }
}

extension EarthVector {
  @inline(__always)
  var length: Double { (x * x + y * y + z * z).squareRoot() }
}

/// A threshold near the device.
struct NearThreshold: Sendable {
  /// How far the device can move before it is reached, metres; or less.
  var slack: Double
  var slot: UInt32
}

extension ContiguousArray<NearThreshold> {
  /// Moves the k smallest slacks to the front and returns the k-th; k from 1 to the count.
  ///
  /// Source: C. A. R. Hoare, "Algorithm 65: Find", Communications of the ACM 4 (1961).
  mutating func select(_ k: Int) -> NearThreshold {
    var low = 0
    var high = count - 1
    let target = k - 1
    while low < high {
      let pivot = self[(low + high) / 2].slack
      var left = low
      var right = high
      while left <= right {
        while self[left].slack < pivot { left += 1 }
        while pivot < self[right].slack { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if target <= right { high = right } else if target >= left { low = left } else { break }
    }
    return self[target]
  }
}
