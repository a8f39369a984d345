import FencepostKernel

/// Which thresholds a fix can reach: the link between the detectors and the index.
///
/// A settled circle outside can only be entered: it is found through the index. All others are in `active`, each
/// with the one threshold at which something may change.
extension MonitorEngine {
  /// The threshold of a circle at which a fix may change something; `nil` for a circle that is undetermined.
  @inline(__always)
  private func watch(_ slot: UInt32) -> ActiveCircles.Watch? {
    let circle = table.circles[Int(slot)]
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
    return .init(centre: circle.centre, threshold: entryThreshold(circle, policy), direction: -1, slot: slot)
  }

  /// The chord from which on inwards a fix may enter a circle.
  @inline(__always)
  private func entryThreshold(_ circle: CircleGeometry, _ policy: TransitionPolicy) -> Double {
    ChordThreshold.approaching(circle.radius - min(policy.entryMargin, circle.radius / 2))
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
      if let moved = active.remove(index) { states[Int(moved)].active = index }
    }
    neighbourhood.update(slot, watch)
  }

  /// Collects the circles whose threshold is reached at a position that the neighbourhood does not cover.
  mutating func gatherReached(at position: EarthVector) {
    slotScratch.removeAll(keepingCapacity: true)
    gathered.removeAll(keepingCapacity: true)
    for watch in active.watches where watch.slack(at: position) <= 0 { slotScratch.append(watch.slot) }
    table.index.collect(near: position, within: neighbourhood.isJump(to: position) ? 0 : neighbourhood.nextRadius, into: &gathered)
    for slot in gathered where isSettledOutside(slot) {
      let circle = table.circles[Int(slot)]
      let threshold = entryThreshold(circle, table.policy(of: slot))
      if circle.centre.squaredChord(to: position) <= threshold * threshold { slotScratch.append(slot) }
    }
  }

  /// Lists the nearest thresholds around a position, unless the device has just jumped there.
  mutating func rebuildNeighbourhood(at position: EarthVector, _ coordinate: Coordinate) {
    guard !neighbourhood.isJump(to: position) else {
      neighbourhood.reset(at: position)
      return
    }
    var radius = neighbourhood.nextRadius
    var nearest: ContiguousArray<ActiveCircles.Watch> = []
    var slacks: ContiguousArray<Double> = []
    var tries = 0
    while true {
      gathered.removeAll(keepingCapacity: true)
      table.index.collect(near: position, within: radius, into: &gathered)
      nearest.removeAll(keepingCapacity: true)
      for watch in active.watches where watch.slack(at: position) < radius { nearest.append(watch) }
      for slot in gathered where isSettledOutside(slot) {
        if let watch = watch(slot), watch.slack(at: position) < radius { nearest.append(watch) }
      }
      if nearest.count < 8, radius < 100_000, tries < 8 {
        radius = min(100_000, radius * 2.5)
        tries += 1
      } else {
        break
      }
    }
    if nearest.count > Neighbourhood.capacity {
      for watch in nearest { slacks.append(watch.slack(at: position)) }
      radius = max(0, slacks.smallest(Neighbourhood.capacity + 1))
      var kept = 0
      for index in nearest.indices where kept < Neighbourhood.capacity {
        if nearest[index].slack(at: position) < radius {
          nearest.swapAt(index, kept)
          kept += 1
        }
      }
      nearest.removeLast(nearest.count - kept)
      neighbourhood.nextRadius = max(50, radius * 1.1)
    } else {
      neighbourhood.nextRadius = min(100_000, max(50, radius * 1.3))
    }
    neighbourhood.build(at: position, latitude: coordinate.latitude, radius: radius, from: nearest[...])
    drawSafeRegion(at: position, coordinate)
  }

  /// Draws the safe region; there is none while a circle is undetermined, since any fix may decide it.
  mutating func drawSafeRegion(at position: EarthVector, _ coordinate: Coordinate) {
    if undetermined.isEmpty {
      neighbourhood.drawSafeRegion(at: position, coordinate)
    } else {
      neighbourhood.removeSafeRegion()
    }
  }
}

extension ContiguousArray<Double> {
  /// The k-th smallest element, k from 1 to the count; the order of the elements changes.
  ///
  /// Source: C. A. R. Hoare, "Algorithm 65: Find", Communications of the ACM 4 (1961).
  mutating func smallest(_ k: Int) -> Double {
    var low = 0
    var high = count - 1
    let target = k - 1
    while low < high {
      let pivot = self[(low + high) / 2]
      var left = low
      var right = high
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
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
