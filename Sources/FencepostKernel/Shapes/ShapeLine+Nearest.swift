extension ShapeLine {
  /// The nearest place of the line, exactly.
  ///
  /// - Parameter isSided: whether the side is asked for where the nearest place is a vertex.
  public func nearest(to point: SurfacePoint, isSided: Bool = true) -> LineFoot {
    var best = LineFoot()
    guard !isEmpty else { return best }
    let (first, least) = nearestChord(to: point.vector)
    best = foot(first, of: point)
    // What may be as near along the surface has a chord below this.
    var search = LineSearch(self, at: point.vector)
    search.limit = min(ShapeLine.widened(least), ChordThreshold.approaching(best.distance))
    search.forEach { edge, _, _, limit in
      guard edge != first else { return }
      let foot = self.foot(edge, of: point)
      guard foot.distance < best.distance || (foot.distance == best.distance && edge < best.edge) else { return }
      best = foot
      limit = min(limit, ChordThreshold.approaching(foot.distance))
    }
    if isSided, best.vertex >= 0 { best.side = side(of: point, at: best.vertex) }
    return best
  }

  /// The nearest place of the line when it can be had without trigonometry: when all edges that may be nearest are short
  /// and near; else `nil`. The same numbers as those of `nearest(to:)`.
  func nearestInSpace(to point: EarthVector, isSided: Bool = true) -> LineFoot? {
    guard !isEmpty else { return nil }
    let (first, least) = nearestChord(to: point)
    guard least <= ShortDistance.limit, var best = shortFoot(first, of: point) else { return nil }
    var search = LineSearch(self, at: point)
    search.limit = min(ShapeLine.widened(least), ChordThreshold.approaching(best.distance))
    var isShort = true
    search.forEach { edge, _, _, limit in
      guard edge != first, isShort else { return }
      guard let foot = self.shortFoot(edge, of: point) else {
        isShort = false
        limit = -.infinity
        return
      }
      guard foot.distance < best.distance || (foot.distance == best.distance && edge < best.edge) else { return }
      best = foot
      limit = min(limit, ChordThreshold.approaching(foot.distance))
    }
    guard isShort else { return nil }
    if isSided, best.vertex >= 0 {
      guard let side = shortSide(of: point, at: best.vertex, distance: best.distance) else { return nil }
      best.side = side
    }
    return best
  }

  /// Bounds of the chord from a point of space to the line, metres, and the edge whose chord is nearest.
  ///
  /// - Returns: the edge, and a length that the least chord does not exceed.
  func nearestChord(to point: EarthVector) -> (edge: Int, most: Double) {
    var (nearest, most) = (0, Double.infinity)
    var search = LineSearch(self, at: point)
    search.forEach { edge, chord, sagitta, limit in
      guard chord + sagitta < most else { return }
      (nearest, most) = (edge, chord + sagitta)
      limit = most
    }
    return (nearest, most)
  }

  /// Bounds of the shortest straight way from a point of space to the line, metres.
  public func chordBounds(to point: EarthVector) -> (least: Double, most: Double) {
    var (least, most) = (Double.infinity, Double.infinity)
    var search = LineSearch(self, at: point)
    search.forEach { _, chord, sagitta, limit in
      least = min(least, chord - sagitta)
      most = min(most, chord + sagitta)
      limit = most
    }
    return (max(0, least - 1e-6), most + 1e-6)
  }

  /// What may have a chord longer than `chord` and yet be nearer along the surface has a chord below this: chords of one
  /// distance differ by the ellipsoid's curvatures, `DistanceBounds`.
  private static func widened(_ chord: Double) -> Double {
    if chord <= ChordThreshold.near {
      return chord + chord * (chord * chord) * (1.01 * ChordThreshold.bend) + 1e-5
    }
    return chord < 1.1e7 ? chord * 1.01 : .infinity
  }

  private func foot(_ edge: Int, of point: SurfacePoint) -> LineFoot {
    if let foot = shortFoot(edge, of: point.vector) { return foot }
    let foot = segment(edge).foot(of: point)
    let vertex = foot.isInner ? -1 : (foot.along == 0 ? edge : edge + 1)
    return LineFoot(
      edge: edge, distance: foot.distance, at: foot.place.vector, given: foot.place, vertex: vertex, side: foot.side)
  }

  /// `nil` for edges and distances that the series of `ShortSegment` do not reach.
  private func shortFoot(_ edge: Int, of point: EarthVector) -> LineFoot? {
    let (start, end) = (vertices[edge].vector, vertices[edge + 1].vector)
    guard start.squaredChord(to: end) <= ShortSegment.limit * ShortSegment.limit else { return nil }
    let segment = ShortSegment(from: start, to: end)
    let foot = segment.foot(of: point)
    guard foot.at.squaredChord(to: point) <= ShortDistance.limit * ShortDistance.limit else { return nil }
    let vertex = foot.isInner ? -1 : (foot.along == 0 ? edge : edge + 1)
    var side = 0.0
    if foot.isInner {
      let left = foot.at.scaled.cross(segment.tangent(foot.along))
      side = (point - foot.at).dot(left) / left.length
    }
    return LineFoot(
      edge: edge, distance: ShortDistance.distance(from: point, to: foot.at), at: foot.at,
      given: vertex < 0 ? nil : vertices[vertex], vertex: vertex, side: side)
  }

  /// Calls with each pair of edges that may come within a tolerance of each other, the lesser number first.
  func forEachNearPair(within tolerance: Double, _ body: (Int, Int) throws(ShapeDefect) -> Void) throws(ShapeDefect) {
    if !isEmpty { try join(levels.count - 2, 0, 0, tolerance, body) }
  }

  private func join(
    _ level: Int, _ one: Int, _ other: Int, _ tolerance: Double,
    _ body: (Int, Int) throws(ShapeDefect) -> Void
  ) throws(ShapeDefect) {
    let fan = ShapeLine.fanOut
    let limit = level == 0 ? vertices.count - 1 : levels[level] - levels[level - 1]
    for first in one * fan..<min(one * fan + fan, limit) {
      for second in max(other * fan, one == other ? first : 0)..<min(other * fan + fan, limit) {
        if level == 0 {
          guard first != second, isEdge(first), isEdge(second) else { continue }
          let apart = chord(first).distance(to: chord(second))
          if apart <= sagitta(first) + sagitta(second) + tolerance { try body(first, second) }
        } else {
          let (a, b) = (balls[levels[level - 1] + first], balls[levels[level - 1] + second])
          let reach = (Double(a.reach) + Double(b.reach)) * (1 + 0x1p-22) + tolerance
          if first == second || (a.centre - b.centre).length <= reach {
            try join(level - 1, first, second, tolerance, body)
          }
        }
      }
    }
  }
}
