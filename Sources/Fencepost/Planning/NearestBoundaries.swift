import FencepostKernel

/// A circle with the distance of a position to its line.
struct RankedCircle: Sendable {
  /// |distance to the centre − radius|, metres; infinite for a circle without a line, which holds the whole Earth.
  var slack: Double
  var radius: Double
  var slot: UInt32
  var isInside: Bool
}

extension MonitorEngine {
  /// The monitored circles whose lines are nearest to a position: by slack, then radius, then identifier.
  ///
  /// The index bounds a slack from below: a circle is entered or left no sooner than its chord threshold is reached,
  /// and by the triangle inequality of geodesics no sooner than after |d − r|.
  ///
  /// - Complexity: O(log conditions) and the circles that hold the position.
  func nearestBoundaries(_ count: Int, to coordinate: Coordinate, _ position: EarthVector) -> [RankedCircle] {
    guard count > 0 else { return [] }
    var nearest: ContiguousArray<RankedCircle> = []  // a heap, the last in rank first
    var limit = Double.infinity
    table.index.visitNearest(to: position) { slot, _ in
      guard !table.isOverLimit(slot) else { return limit }
      let shape = table.shape(of: slot)
      guard let (slack, isInside) = shape.slack(at: coordinate, position, limit: limit) else { return limit }
      let found = RankedCircle(slack: slack, radius: shape.bounds.radius, slot: slot, isInside: isInside)
      if nearest.count < count {
        nearest.append(found)
        raiseLast(&nearest)
      } else if ranks(found, before: nearest[0]) {
        nearest[0] = found
        sinkFirst(&nearest)
      }
      if nearest.count == count { limit = nearest[0].slack }
      return limit
    }
    return nearest.sorted { ranks($0, before: $1) }
  }

  private func ranks(_ one: RankedCircle, before other: RankedCircle) -> Bool {
    if one.slack != other.slack { return one.slack < other.slack }
    if one.radius != other.radius { return one.radius < other.radius }
    return table.identifiers.withBytes(of: one.slot) { first in
      table.identifiers.withBytes(of: other.slot) { first.lexicographicallyPrecedes($0) }
    }
  }

  private func raiseLast(_ heap: inout ContiguousArray<RankedCircle>) {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard ranks(heap[parent], before: heap[child]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private func sinkFirst(_ heap: inout ContiguousArray<RankedCircle>) {
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, ranks(heap[child], before: heap[child + 1]) { child += 1 }
      guard ranks(heap[parent], before: heap[child]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
