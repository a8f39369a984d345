extension ShapeLine {
  /// The signed distance, in metres, of a point whose nearest place on the line is a vertex: positive if the point lies
  /// to the left of the edges that meet at that vertex.
  ///
  /// To find the side, the direction to the point is turned clockwise until it meets an edge. If this edge starts at
  /// the vertex, the point is to the left of the edge; if this edge ends at the vertex, the point is to its right. No
  /// edge is nearer to the point than the vertex is, so no edge is within 90° of the direction to the point, and
  /// rounding does not matter.
  func side(of point: SurfacePoint, at vertex: Int, _ edge: Int) -> Double {
    let corner = place(vertex)
    let way = corner.path(to: point)
    guard way.distance > 0 else { return 0 }
    var (least, isLeft) = (Double.infinity, false)
    forEachEdge(at: vertex, edge) { edge, leaves in
      let segment = self.segment(edge)
      let (end, azimuth) =
        leaves ? (segment.start, segment.azimuths.start) : (segment.end, segment.azimuths.end + 180)
      // At a pole, the azimuth of the edge and the azimuth of the line to the point may be measured from different
      // meridians.
      let turned = azimuth - way.azimuth1 + (corner.longitude - end.longitude) * poleTurn(corner)
      let clockwise = turned.remainder(dividingBy: 360)
      let angle = clockwise < 0 ? clockwise + 360 : clockwise
      if angle < least { (least, isLeft) = (angle, leaves) }
    }
    return isLeft ? way.distance : -way.distance
  }

  /// Computes the same signed distance in space, for a point within `ShortDistance.limit`; `nil` if an edge at the
  /// vertex is too long for this computation.
  func shortSide(of point: EarthVector, at vertex: Int, _ edge: Int, distance: Double) -> Double? {
    let corner = vertices[vertex]
    let normal = corner.scaled / corner.scaled.length
    let way = point - corner
    guard distance > 0 else { return 0 }
    // The horizontal direction to the right for a viewer who faces the point.
    let right = way.cross(normal)
    var (least, isLeft, isShort) = (Double.infinity, false, true)
    forEachEdge(at: vertex, edge) { edge, leaves in
      let (from, to) = leaves ? (edge, edge + 1) : (edge + 1, edge)
      guard vertices[from].squaredChord(to: vertices[to]) <= ShortSegment.limit * ShortSegment.limit
      else {
        isShort = false
        return
      }
      let tangent = ShortSegment(from: vertices[from], to: vertices[to]).tangent(0)
      let turned = Trigonometry.atan2Degrees(tangent.dot(right), tangent.dot(way))
      let angle = turned < 0 ? turned + 360 : turned
      if angle < least { (least, isLeft) = (angle, leaves) }
    }
    guard isShort else { return nil }
    return isLeft ? distance : -distance
  }

  /// The side of a point whose foot lies between the ends of an edge, next to a needle: a place where the line turns
  /// back by almost half a turn. The edges on both sides of a needle's tip are equally near to the point, within the
  /// accuracy of a distance, but give opposite sides. The direction in which the line turns at the tip therefore
  /// decides the side. A point next to a needle of the polygon is outside; a point next to a needle that is cut out of
  /// the polygon is inside.
  ///
  /// - Parameter place: The point in degrees, or `nil` to compute the nearest points of the edges in space.
  /// - Returns: The side, with the distance as its magnitude; `nil` if there is no needle, so that the edge alone
  ///   decides.
  func needleSide(_ foot: LineFoot, of point: EarthVector, _ place: SurfacePoint?) -> Double? {
    for (arriving, leaving) in [(preceding(foot.edge), foot.edge), (foot.edge, following(foot.edge))]
    where arriving >= 0 && leaving >= 0 {
      let (before, after) = (chord(arriving).along, chord(leaving).along)
      let other = arriving == foot.edge ? leaving : arriving
      let cosine = before.dot(after)
      guard cosine < 0, cosine * cosine > 0.99 * before.dot(before) * after.dot(after),
        let beside = besideNeedle(other, point, place), beside.isInner, beside.side * foot.side < 0,
        (beside.distance - foot.distance).magnitude < 3e-8
      else { continue }
      // Chords are exact enough to detect a needle, but not to find in which direction the line turns at the tip.
      // Chords dip below the surface by angles that grow with their lengths (1e-3 at 10 km), but the angle at a tip may
      // be as small as 1e-9.
      guard let arrival = direction(arriving, from: leaving), let departure = direction(leaving, from: leaving) else {
        continue
      }
      // Both direction vectors point away from the vertex where the two edges meet.
      let turn = departure.cross(arrival).dot(vertices[leaving].scaled)
      return turn > 0 ? -foot.distance : foot.distance
    }
    return nil
  }

  /// The unit tangent, in space, of the geodesic that leads from one end of an edge along the edge.
  ///
  /// - Parameter leaving: The edge that starts at the same vertex.
  /// - Returns: `nil` for an edge without a length.
  private func direction(_ edge: Int, from leaving: Int) -> EarthVector? {
    let (near, far) = edge == leaving ? (edge, edge + 1) : (edge + 1, edge)
    guard vertices[near] != vertices[far] else { return nil }
    if vertices[near].squaredChord(to: vertices[far]) <= ShortSegment.limit * ShortSegment.limit {
      return ShortSegment(from: vertices[near], to: vertices[far]).tangent(0)
    }
    let start = place(near)
    let azimuth = Trigonometry.sincosDegrees(start.path(to: place(far)).azimuth1)
    let latitude = Trigonometry.sincosDegrees(start.latitude)
    let longitude = Trigonometry.sincosDegrees(start.longitude)
    // `north` and `east` are unit vectors at the start point. If the start point is a pole, the azimuth and both
    // vectors are defined by the longitude of the start point.
    let north = EarthVector(
      x: -latitude.sine * longitude.cosine, y: -latitude.sine * longitude.sine, z: latitude.cosine)
    let east = EarthVector(x: -longitude.sine, y: longitude.cosine, z: 0)
    return north * azimuth.cosine + east * azimuth.sine
  }

  /// This is a separate function because a closure that captures a line copies it.
  @inline(never)
  private func besideNeedle(_ edge: Int, _ point: EarthVector, _ place: SurfacePoint?) -> LineFoot? {
    if let place { foot(edge, of: place) } else { shortFoot(edge, of: point) }
  }

  /// Calls `body` with each edge that has an end exactly at a given vertex; the second argument is true if the edge
  /// starts there.
  ///
  /// - Parameter edge: An edge that starts or ends at the vertex.
  private func forEachEdge(at vertex: Int, _ edge: Int, _ body: (_ edge: Int, _ leaves: Bool) -> Void) {
    let other = touchesItself ? -1 : (vertex == edge ? preceding(edge) : following(edge))
    if other >= 0 {
      body(edge, vertex == edge)
      body(other, vertex != edge)
      return
    }
    let corner = vertices[vertex]
    for edge in LineSearch.edges(of: self, at: corner, limit: DistanceBounds.doubt) {
      if vertices[edge] == corner { body(edge, true) }
      if vertices[edge + 1] == corner { body(edge, false) }
    }
  }

  /// For a vertex at a pole: by how many degrees a direction's azimuth changes for each degree by which the vertex's
  /// longitude is increased (1 or −1). For any other vertex, the result is 0.
  private func poleTurn(_ vertex: SurfacePoint) -> Double {
    vertex.latitude == 90 ? 1 : (vertex.latitude == -90 ? -1 : 0)
  }
}
