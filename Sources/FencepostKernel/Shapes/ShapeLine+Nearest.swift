extension ShapeLine {
  /// The nearest point of the line, computed exactly.
  ///
  /// - Parameter isSided: Whether to determine the side if the nearest point of the line is a vertex.
  public func nearest(to point: SurfacePoint, isSided: Bool = true) -> LineFoot {
    guard !isEmpty else { return LineFoot() }
    if let foot = nearestInSpace(to: point.vector, isSided: isSided) { return foot }
    let (first, least) = nearestChord(to: point.vector)
    var best = foot(first, of: point)
    // The chord to every point that is as near along the surface as `best` is shorter than this limit.
    let limit = min(ShapeLine.widened(least), ChordThreshold.approaching(best.distance))
    LineSearch.run(self, at: point.vector, limit: limit) { found, search in
      guard found.edge != first else { return }
      let foot = self.foot(found.edge, of: point)
      guard foot.precedes(best) else { return }
      best = foot
      search.limit = min(search.limit, Float(ChordThreshold.approaching(foot.distance)).nextUp)
    }
    if isSided { best.side = side(of: point, best) }
    return best
  }

  /// Returns on which side of the line a point lies; `best` is the nearest point of the line.
  private func side(of point: SurfacePoint, _ best: LineFoot) -> Double {
    if isRivalled(best, of: point), let side = sideAround(point, best) { return side }
    return nearSide(of: point, best)
  }

  /// Returns on which side of the line a point lies, judged only by the edges that meet at `best`, the nearest point of
  /// the line.
  func nearSide(of point: SurfacePoint, _ best: LineFoot) -> Double {
    if best.vertex >= 0 { return side(of: point, at: best.vertex, best.edge) }
    return needleSide(best, of: point.vector, point) ?? best.side
  }

  /// The nearest point of the line; `nil` if it cannot be computed without trigonometry, because the edges that may be
  /// nearest are too many, too long or too far away.
  func nearestInSpace(to point: EarthVector, isSided: Bool = true) -> LineFoot? {
    guard !isEmpty else { return nil }
    let candidates = LineCandidates(self, near: point)
    guard !candidates.isCrowded, Double(candidates.most) <= ShortDistance.limit else { return nil }
    return nearest(to: point, among: candidates.edges, candidates.count, isSided: isSided)
  }

  /// The nearest point of the line, computed without trigonometry from the given candidate edges.
  func nearest(
    to point: EarthVector, among edges: SIMD8<Int32>, _ count: Int, isSided: Bool
  ) -> LineFoot? {
    var best = LineFoot()
    for index in 0..<count {
      guard let foot = shortFoot(Int(edges[index]), of: point) else { return nil }
      if foot.precedes(best) { best = foot }
    }
    guard isSided else { return best }
    if touchesItself, best.distance > 0 {
      for index in 0..<count {
        let edge = Int(edges[index])
        guard !isPart(edge, of: best), let foot = shortFoot(edge, of: point) else { continue }
        if foot.distance <= best.distance + ShapeLine.rivalry { return nil }
      }
    }
    if best.vertex < 0 {
      if let side = needleSide(best, of: point, nil) { best.side = side }
    } else {
      guard let side = shortSide(of: point, at: best.vertex, best.edge, distance: best.distance) else { return nil }
      best.side = side
    }
    return best
  }

  /// The edge whose chord is nearest to a point in space.
  ///
  /// - Returns: The edge, and an upper bound of the straight distance from the point to the line, in metres.
  func nearestChord(to point: EarthVector) -> (edge: Int, most: Double) {
    var (nearest, most) = (0, Float.infinity)
    LineSearch.run(self, at: point) { found, search in
      let end = found.chord + found.sagitta + search.rounding
      guard end < most else { return }
      (nearest, most) = (found.edge, end)
      search.limit = end
    }
    return (nearest, Double(most.nextUp))
  }

  /// Bounds of the shortest straight distance from a point in space to the line, in metres; infinite if this distance
  /// is longer than a limit.
  public func chordBounds(to point: EarthVector, within limit: Double = .infinity) -> (least: Double, most: Double) {
    var (least, most) = (Float.infinity, Float.infinity)
    LineSearch.run(self, at: point, limit: limit) { found, search in
      let slack = found.sagitta + search.rounding
      least = min(least, found.chord - slack)
      most = min(most, found.chord + slack)
      search.limit = min(search.limit, most)
    }
    return (max(0, Double(least)), Double(most))
  }

  /// A point with a longer chord than `chord` can still be nearer along the surface, but only if its chord is shorter
  /// than this bound. Two chords that span the same geodesic distance can differ in length, because the ellipsoid's
  /// curvature varies: see `DistanceBounds`.
  private static func widened(_ chord: Double) -> Double {
    if chord <= ChordThreshold.near {
      return chord + chord * (chord * chord) * (1.01 * ChordThreshold.bend) + 1e-5
    }
    return chord < 1.1e7 ? chord * 1.01 : .infinity
  }

  func foot(_ edge: Int, of point: SurfacePoint) -> LineFoot {
    if let foot = shortFoot(edge, of: point.vector) { return foot }
    let foot = segment(edge).foot(of: point)
    let vertex = foot.isInner ? -1 : (foot.along == 0 ? edge : edge + 1)
    return LineFoot(
      edge: edge, distance: foot.distance, at: vertex < 0 ? foot.place.vector : vertices[vertex], vertex: vertex,
      side: foot.side)
  }

  /// Returns the point of an edge that is nearest to a point, or `nil` if the edge or the distance is too long for the
  /// series of `ShortSegment`.
  func shortFoot(_ edge: Int, of point: EarthVector) -> LineFoot? {
    let (start, end) = (vertices[edge], vertices[edge + 1])
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
      edge: edge, distance: ShortDistance.distance(from: point, to: foot.at), at: foot.at, vertex: vertex, side: side)
  }
}
