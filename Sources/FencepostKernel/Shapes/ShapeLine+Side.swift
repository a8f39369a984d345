extension ShapeLine {
  /// Whether a point whose nearest place is a vertex lies to the left of the edges that meet there.
  ///
  /// Turned clockwise from the direction to the point, the first edge met says it: what leaves the vertex has its left
  /// on this side, what arrives its right. The point is not nearer to any edge than to the vertex, so no edge is within
  /// 90° of its direction and nothing here is a matter of rounding.
  func side(of point: SurfacePoint, at vertex: Int) -> Double {
    let corner = vertices[vertex]
    let way = corner.path(to: point)
    guard way.distance > 0 else { return 0 }
    var (least, isLeft) = (Double.infinity, false)
    forEachEdge(at: corner.vector) { edge, leaves in
      let segment = self.segment(edge)
      let (end, azimuth) =
        leaves ? (segment.start, segment.azimuths.start) : (segment.end, segment.azimuths.end + 180)
      // The frames of equal places may differ at a pole: each longitude has its own.
      let turned = azimuth - way.azimuth1 + (corner.longitude - end.longitude) * poleTurn(corner)
      let clockwise = turned.remainder(dividingBy: 360)
      let angle = clockwise < 0 ? clockwise + 360 : clockwise
      if angle < least { (least, isLeft) = (angle, leaves) }
    }
    return isLeft ? way.distance : -way.distance
  }

  /// The same in space, for a point within `ShortDistance.limit`; `nil` when an edge there is too long for that.
  func shortSide(of point: EarthVector, at vertex: Int, distance: Double) -> Double? {
    let corner = vertices[vertex].vector
    let normal = corner.scaled / corner.scaled.length
    let way = point - corner
    guard distance > 0 else { return 0 }
    // Clockwise from the direction to the point: its right.
    let right = way.cross(normal)
    var (least, isLeft, isShort) = (Double.infinity, false, true)
    forEachEdge(at: corner) { edge, leaves in
      let (from, to) = leaves ? (edge, edge + 1) : (edge + 1, edge)
      guard vertices[from].vector.squaredChord(to: vertices[to].vector) <= ShortSegment.limit * ShortSegment.limit
      else {
        isShort = false
        return
      }
      let tangent = ShortSegment(from: vertices[from].vector, to: vertices[to].vector).tangent(0)
      let turned = Trigonometry.atan2Degrees(tangent.dot(right), tangent.dot(way))
      let angle = turned < 0 ? turned + 360 : turned
      if angle < least { (least, isLeft) = (angle, leaves) }
    }
    guard isShort else { return nil }
    return isLeft ? distance : -distance
  }

  /// Calls with each edge that has an end at a place, exactly, and whether it leaves there.
  private func forEachEdge(at corner: EarthVector, _ body: (_ edge: Int, _ leaves: Bool) -> Void) {
    var search = LineSearch(self, at: corner)
    search.limit = 1e-6
    search.forEach { edge, _, _, _ in
      if vertices[edge].vector == corner { body(edge, true) }
      if vertices[edge + 1].vector == corner { body(edge, false) }
    }
  }

  /// By how much the azimuth of one direction changes with the longitude that a pole is given.
  private func poleTurn(_ vertex: SurfacePoint) -> Double {
    vertex.latitude == 90 ? 1 : (vertex.latitude == -90 ? -1 : 0)
  }
}
