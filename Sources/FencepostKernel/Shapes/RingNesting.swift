/// Checks that holes lie within their outer rings, and that holes and parts do not overlap.
///
/// The rings do not cross, so the position of one point of a ring decides for the whole ring.
enum RingNesting {
  static func check(_ rings: [GivenRing]) throws(ShapeDefect) {
    guard rings.count > 1 else { return }
    let lines = rings.map { ShapeLine(chains: [$0.points + [$0.points[0]]]) }
    var first = 0
    var outers: [Int] = []
    while first < rings.count {
      var last = first + 1
      while last < rings.count, rings[last].part == rings[first].part { last += 1 }
      for hole in first + 1..<max(last, first + 1) {
        // The outer ring must be around the hole, and the polygon around the hole within it.
        if isLeft(hole, of: first, rings, lines) == false || isLeft(first, of: hole, rings, lines) == false {
          throw ShapeDefect(.holeOutside, rings[hole].place(0), at: rings[hole].points[0])
        }
        for other in first + 1..<hole
        where mayMeet(lines[hole], lines[other])
          && (isLeft(hole, of: other, rings, lines) == false || isLeft(other, of: hole, rings, lines) == false)
        {
          throw ShapeDefect(
            .holesOverlap, rings[hole].place(0), meets: rings[other].place(0),
            at: rings[hole].points[0])
        }
      }
      outers.append(first)
      first = last
    }
    for (index, outer) in outers.enumerated() {
      for other in outers[..<index]
      where mayMeet(lines[outer], lines[other])
        && (isWithin(outer, other, rings, lines) || isWithin(other, outer, rings, lines))
      {
        throw ShapeDefect(
          .partsOverlap, rings[outer].place(0), meets: rings[other].place(0),
          at: rings[outer].points[0])
      }
    }
  }

  private static func mayMeet(_ line: ShapeLine, _ other: ShapeLine) -> Bool {
    let (a, b) = (line.bounds, other.bounds)
    return (a.centre - b.centre).length <= a.reach + b.reach
  }

  /// Whether an outer ring lies within the part of another: in its ring, and in none of its holes.
  private static func isWithin(_ outer: Int, _ other: Int, _ rings: [GivenRing], _ lines: [ShapeLine]) -> Bool {
    guard isLeft(outer, of: other, rings, lines) == true else { return false }
    var hole = other + 1
    while hole < rings.count, rings[hole].part == rings[other].part {
      // A part that fills the hole has all of its line in common with it.
      if isLeft(outer, of: hole, rings, lines) != true { return false }
      hole += 1
    }
    return true
  }

  /// Whether a ring lies to the left of another; `nil` if all examined points lie on the other ring.
  private static func isLeft(_ ring: Int, of other: Int, _ rings: [GivenRing], _ lines: [ShapeLine]) -> Bool? {
    for (start, end) in rings[ring].pairs(isRing: true) {
      for point in [rings[ring].points[start], middle(rings[ring].points[start], rings[ring].points[end])] {
        let foot = lines[other].nearest(to: point)
        if foot.distance > 2 * CrossingCheck.tolerance { return foot.side > 0 }
      }
    }
    return nil
  }

  private static func middle(_ start: SurfacePoint, _ end: SurfacePoint) -> SurfacePoint {
    let segment = GeodesicSegment(from: start, to: end)
    return segment.point(segment.length / 2).place
  }
}
