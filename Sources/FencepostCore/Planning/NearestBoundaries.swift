import FencepostKernel

/// A condition, and the distance of a position from its line or from the line of a circle that stands in for it.
struct RankedBoundary: Sendable {
  /// Metres; infinite for a circle that covers the whole Earth and therefore has no line.
  var slack: Double
  /// For a circle, the circle itself; for another shape, its stand-in or its bounding circle.
  var circle: Circle
  var slot: UInt32
  var isInside: Bool
}

extension MonitorEngine {
  /// The monitored conditions whose lines are nearest to a position, ranked by slack, then radius, then identifier.
  /// Conditions that are inactive at the clock are left out.
  ///
  /// The index gives lower bounds of the slack: a device enters a shape no earlier than its bounding circle, and leaves
  /// a shape only from within that circle. By the triangle inequality of geodesics, neither happens before the device
  /// has moved by the slack.
  ///
  /// - Complexity: O(log conditions), plus the shapes whose bounding circles contain the position.
  func nearestBoundaries(_ count: Int, to coordinate: Coordinate, _ position: EarthVector) -> [RankedBoundary] {
    rankBoundaries(count, position) { slot, limit in
      let measured = table.shape(of: slot).slack(at: coordinate, position, limit: limit)
      return measured.map {
        // Within the shape of a band, each fix may enter or leave the band.
        ($0.isInside && table.band(of: slot) != nil ? 0 : $0.slack, table.bounds(of: slot), $0.isInside)
      }
    }
  }

  /// The circles that a back end can watch from a position, ranked in the same way by the distances from their own
  /// lines.
  ///
  /// - Returns: The ranked circles; and the smallest distance in metres from the line of a condition for which no
  ///   circle can stand in here, infinite unless it is less than the slack of the last ranked circle.
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

  /// - Parameter measure: Returns the slack, circle and side for a slot; `nil` if the slack exceeds the limit, or if
  ///   the slot is not ranked.
  private func rankBoundaries(
    _ count: Int, _ position: EarthVector,
    _ measure: (UInt32, Double) -> (slack: Double, circle: Circle, isInside: Bool)?
  ) -> [RankedBoundary] {
    guard count > 0 else { return [] }
    var nearest = BinaryHeap<RankedBoundary>()  // the last in rank first
    var limit = Double.infinity
    table.index.visitNearest(to: position) { slot, _ in
      guard !table.isOverLimit(slot), !isLeftOut(slot), let (slack, circle, isInside) = measure(slot, limit) else {
        return limit
      }
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

  /// Whether a condition is inactive at the clock, so that no fix can cause an event of it until it starts.
  @inline(__always)
  private func isLeftOut(_ slot: UInt32) -> Bool { tracker.hasTimed && tracker.isInactive(slot) }

  private func ranks(_ one: RankedBoundary, before other: RankedBoundary) -> Bool {
    if one.slack != other.slack { return one.slack < other.slack }
    if one.circle.radius != other.circle.radius { return one.circle.radius < other.circle.radius }
    return table.identifiers.withBytes(of: one.slot) { first in
      table.identifiers.withBytes(of: other.slot) { first.lexicographicallyPrecedes($0) }
    }
  }
}
