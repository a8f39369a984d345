import FencepostKernel

/// A condition with the distance of a position to its line, or to that of a circle that stands for it.
struct RankedBoundary: Sendable {
  /// Metres; infinite for a circle without a line, which holds the whole Earth.
  var slack: Double
  /// The circle itself; of another shape what stands for it, or holds it.
  var circle: Circle
  var slot: UInt32
  var isInside: Bool
}

extension MonitorEngine {
  /// The monitored conditions whose lines are nearest to a position: by slack, then radius, then identifier.
  ///
  /// The index bounds a slack from below: a shape is entered no sooner than the circle that holds it, and left only from
  /// within; by the triangle inequality of geodesics, not before the device has moved by the slack.
  ///
  /// - Complexity: O(log conditions) and the shapes whose circles hold the position.
  func nearestBoundaries(_ count: Int, to coordinate: Coordinate, _ position: EarthVector) -> [RankedBoundary] {
    rankBoundaries(count, position) { slot, limit in
      let measured = table.shape(of: slot).slack(at: coordinate, position, limit: limit)
      return measured.map { ($0.slack, table.bounds(of: slot), $0.isInside) }
    }
  }

  /// The circles that a back end can be given for a position, ranked in the same way by the distances to their own lines.
  ///
  /// - Returns: Also the least distance to the line of a condition that no circle stands for here, metres, where it is less
  ///   than that of the last one ranked; else infinite.
  func nearestArmed(
    _ count: Int, to coordinate: Coordinate, _ position: EarthVector
  ) -> (ranked: [RankedBoundary], unarmed: Double) {
    var unarmed = Double.infinity
    let ranked = rankBoundaries(count, position) { slot, limit in
      let shape = table.shape(of: slot)
      guard let circle = shape.armed(at: coordinate, position) else {
        let measured = shape.slack(at: coordinate, position, limit: min(limit, unarmed))
        if let measured { unarmed = min(unarmed, measured.slack) }
        return nil
      }
      return circle.slack(at: coordinate, position, limit: limit).map { ($0.slack, circle, $0.isInside) }
    }
    return (ranked, unarmed)
  }

  /// - Parameter measure: gives slack, circle and side of a slot; `nil` when the slack is more than a limit, or there is
  ///   nothing to rank.
  private func rankBoundaries(
    _ count: Int, _ position: EarthVector,
    _ measure: (UInt32, Double) -> (slack: Double, circle: Circle, isInside: Bool)?
  ) -> [RankedBoundary] {
    guard count > 0 else { return [] }
    var nearest = BinaryHeap<RankedBoundary>()  // the last in rank first
    var limit = Double.infinity
    table.index.visitNearest(to: position) { slot, _ in
      guard !table.isOverLimit(slot), let (slack, circle, isInside) = measure(slot, limit) else { return limit }
      let found = RankedBoundary(slack: slack, circle: circle, slot: slot, isInside: isInside)
      if nearest.count < count {
        nearest.insert(found) { ranks($1, before: $0) }
      } else if let last = nearest.first, ranks(found, before: last) {
        nearest.replaceFirst(with: found) { ranks($1, before: $0) }
      }
      if nearest.count == count, let last = nearest.first { limit = last.slack }
      return limit
    }
    return nearest.elements.arranged { ranks($0, before: $1) }
  }

  private func ranks(_ one: RankedBoundary, before other: RankedBoundary) -> Bool {
    if one.slack != other.slack { return one.slack < other.slack }
    if one.circle.radius != other.circle.radius { return one.circle.radius < other.circle.radius }
    return table.identifiers.withBytes(of: one.slot) { first in
      table.identifiers.withBytes(of: other.slot) { first.lexicographicallyPrecedes($0) }
    }
  }
}
