/// Checks that holes lie within their outer rings, and that holes and parts do not overlap.
///
/// The rings do not cross, so the position of a single point of a ring decides for the whole ring.
struct RingNesting {
  private let rings: [GivenRing]
  private let lines: ContiguousArray<ShapeLine>
  /// For each ring, the number of the outer ring of its part.
  private var outers: ContiguousArray<Int> = []
  /// The extents of the rings; `nil` if all pairs of rings must be examined.
  private let extents: RingExtents?
  /// The number of times that the side of a ring was determined, as a measure of the work.
  private(set) var sides = 0

  /// - Parameters:
  ///   - rings: The rings of one part after the other; in each part, the outer ring comes first. The polygon lies to
  ///     the left of every ring.
  ///   - byPairs: Whether all pairs of rings must be examined because extents cannot decide. All pairs must be examined
  ///     in two cases: a ring may bound the larger of its two areas; or edges that cancelled each other may cross other
  ///     edges, because the check for crossings does not see cancelled edges.
  @discardableResult
  static func check(_ rings: [GivenRing], byPairs: Bool = false) throws(ShapeDefect) -> RingNesting? {
    guard rings.count > 1 else { return nil }
    var nesting = RingNesting(rings, byPairs)
    let holes = rings.indices.filter { nesting.outers[$0] != $0 }
    for hole in holes { try nesting.lookAround(hole) }
    for hole in holes { try nesting.lookAtHole(hole) }
    for ring in rings.indices where nesting.outers[ring] == ring { try nesting.lookAtPart(ring) }
    return nesting
  }

  private init(_ rings: [GivenRing], _ byPairs: Bool) {
    self.rings = rings
    lines = ContiguousArray(rings.map { ShapeLine(chains: [$0.points + [$0.points[0]]]) })
    for ring in rings.indices {
      let isFirst = ring == 0 || rings[ring].part != rings[ring - 1].part
      outers.append(isFirst ? ring : outers[ring - 1])
    }
    extents = byPairs ? nil : RingExtents(lines)
  }

  /// The outer ring must enclose the hole.
  private mutating func lookAround(_ hole: Int) throws(ShapeDefect) {
    let outer = outers[hole]
    if isLeft(hole, of: outer) == false || (extents == nil && isLeft(outer, of: hole) == false) { throw outside(hole) }
  }

  /// No hole may be within another hole.
  private mutating func lookAtHole(_ hole: Int) throws(ShapeDefect) {
    let outer = outers[hole]
    var around = -1
    let examine = { (other: Int, nesting: inout RingNesting) in
      let isWithin =
        nesting.outers[other] == outer && other != outer && nesting.isLeft(hole, of: other) == false
      if isWithin { around = max(around, other) }
      return isWithin
    }
    if let extents {
      extents.forEachEnclosing(hole) { examine($0, &self) }
    } else {
      for other in holes(of: outer) where other != hole && mayMeet(hole, other) { _ = examine(other, &self) }
    }
    if around >= 0 { throw overlap(.holesOverlap, hole, around) }
  }

  /// Checks that an outer ring is not within another part: it must not be within that part's outer ring, unless it is
  /// in one of that part's holes.
  ///
  /// The innermost of the rings that enclose the given outer ring decides: if this innermost ring is a hole, the outer
  /// ring is outside the hole's part, as required. As soon as one ring is known to enclose the outer ring, larger rings
  /// do not need to be examined.
  private mutating func lookAtPart(_ outer: Int) throws(ShapeDefect) {
    guard let extents else {
      for other in rings.indices where outers[other] == other && other != outer && mayMeet(outer, other) {
        var isWithin = isLeft(outer, of: other) == true
        for hole in holes(of: other) where isWithin { isWithin = isLeft(outer, of: hole) == true }
        if isWithin { throw overlap(.partsOverlap, outer, other) }
      }
      return
    }
    var around: [Int] = []
    var aroundOuter = -1
    extents.forEachEnclosing(outer) { other in
      let side = isLeft(outer, of: other)
      if outers[other] == outer {
        // `other` is a hole of `outer`, so `outer` must not lie inside `other`.
        if side == false { aroundOuter = other }
        return false
      }
      // If a part fills a hole, its outer ring coincides with the ring of the hole, and is on neither side of it.
      let encloses = other == outers[other] ? side == true : side != true
      if encloses { around.append(other) }
      return encloses
    }
    if aroundOuter >= 0 { throw outside(aroundOuter) }
    for other in around.arranged() where outers[other] == other {
      if !around.contains(where: { outers[$0] == other && $0 != other }) { throw overlap(.partsOverlap, outer, other) }
    }
  }

  private func holes(of outer: Int) -> Range<Int> {
    var end = outer + 1
    while end < rings.count, outers[end] == outer { end += 1 }
    return outer + 1..<end
  }

  private func outside(_ hole: Int) -> ShapeDefect {
    ShapeDefect(.holeOutside, rings[hole].place(0), at: rings[hole].points[0])
  }

  /// Returns the defect of two rings; its position is on the later of the two rings.
  private func overlap(_ reason: ShapeDefect.Reason, _ one: Int, _ other: Int) -> ShapeDefect {
    let (first, last) = (min(one, other), max(one, other))
    return ShapeDefect(
      reason, rings[last].place(0), meets: rings[first].place(0), at: rings[last].points[0])
  }

  private func mayMeet(_ ring: Int, _ other: Int) -> Bool {
    let (a, b) = (lines[ring].bounds, lines[other].bounds)
    return (a.centre - b.centre).length <= a.reach + b.reach
  }

  /// Whether one ring lies to the left of another; `nil` if all examined points lie on the other ring.
  private mutating func isLeft(_ ring: Int, of other: Int) -> Bool? {
    sides += 1
    for (start, end) in rings[ring].pairs(isRing: true) {
      let (first, last) = (rings[ring].points[start], rings[ring].points[end])
      var foot = lines[other].nearest(to: first)
      if foot.distance > 2 * CrossingCheck.tolerance { return foot.side > 0 }
      foot = lines[other].nearest(to: RingNesting.middle(first, last))
      if foot.distance > 2 * CrossingCheck.tolerance { return foot.side > 0 }
    }
    return nil
  }

  private static func middle(_ start: SurfacePoint, _ end: SurfacePoint) -> SurfacePoint {
    let segment = GeodesicSegment(from: start, to: end)
    return segment.point(segment.length / 2).place
  }
}
