extension GeodesicShape {
  /// Bounds of the signed boundary distance D at a point of the surface, in metres, computed mostly without
  /// trigonometry.
  ///
  /// The bounds differ by some millionths of the size of the shape plus the sagitta of its edges: by millimetres for a
  /// district of a town, and by metres for a country.
  ///
  /// - Parameter position: Must be within a micrometre of the surface.
  public func bounds(at position: EarthVector) -> (least: Double, most: Double) {
    // Outside of the bounding cap, return only the distance to the cap: the side of the line is not needed.
    let beyond = boundingCap.centre.squaredChord(to: position).squareRoot() - boundingCap.reach
    if beyond > 1_000 { return (beyond, .infinity) }
    if let bounds = bounds(at: position, LineCandidates(line, near: position)) { return bounds }
    let foot = line.nearest(to: SurfacePoint(position))
    let distance = distance(foot)
    return (distance - 2 * DistanceBounds.doubt, distance + 2 * DistanceBounds.doubt)
  }

  /// Bounds of D, computed without a search from edges that are already known to be near; `nil` if these edges cannot
  /// decide.
  ///
  /// - Returns: The bounds, and the edges that may be nearest to the position.
  public func bounds(at position: EarthVector, among near: inout NearEdges) -> FoundNear? {
    near.look(self, at: position)
  }

  /// Wider bounds of D, computed only from the last answer of ``bounds(at:among:)``; `nil` if this answer cannot decide,
  /// or if a new one is worth its time.
  public func boundsAfterMove(to position: EarthVector, among near: inout NearEdges) -> (least: Double, most: Double)? {
    near.glance(self, at: position)
  }

  @inline(__always)
  func bounds(at position: EarthVector, _ found: NearestEdges) -> FoundNear? {
    var side = -1
    if isPolygon {
      guard found.least > 0, found.most < ShapeLine.farthestPlainSide else { return exactly(at: position, found) }
      side = 0
      for index in 0..<found.count {
        let own = line.plainSide(
          of: position, Int(found.edges[index]), found.parts[index], Double(found.most))
        guard own != 0, own != -side else { return exactly(at: position, found) }
        side = own
      }
    }
    let (least, most) = bounds(found.least, found.most, side)
    return FoundNear(least: least, most: most, edges: found.edges, count: found.count)
  }

  /// Bounds of D if the chords of the nearest edges do not decide the side: computed exactly, if the line is near.
  @inline(never)
  private func exactly(at position: EarthVector, _ found: NearestEdges) -> FoundNear? {
    guard found.count > 0, found.most < 1_000,
      let foot = line.nearest(to: position, among: found.edges, found.count, isSided: true),
      // See `boundaryDistance(of:)`.
      foot.side <= 0 || boundingCap.centre.squaredChord(to: position).squareRoot() <= boundingCap.reach + 1
    else { return nil }
    let exact = distance(foot)
    return FoundNear(
      least: exact - 2 * DistanceBounds.doubt, most: exact + 2 * DistanceBounds.doubt, edges: found.edges,
      count: found.count, exact: exact)
  }

  @inline(__always)
  private func bounds(at position: EarthVector, _ candidates: LineCandidates) -> (least: Double, most: Double)? {
    let side = isPolygon ? line.plainSide(of: position, candidates) : -1
    return side == 0 ? nil : bounds(candidates.least, candidates.most, side)
  }

  /// Bounds of the signed distance D, derived from bounds of the distance to the nearest chord and from the side of the
  /// line.
  @inline(__always)
  private func bounds(_ leastChord: Float, _ mostChord: Float, _ side: Int) -> (least: Double, most: Double) {
    bounds(max(0, Double(leastChord)), Double(mostChord), side)
  }

  @inline(__always)
  func bounds(_ least: Double, _ mostChord: Double, _ side: Int) -> (least: Double, most: Double) {
    let most = GeodesicShape.most(ofChord: mostChord)
    return side > 0 ? (-most - offset, -least - offset) : (least - offset, most - offset)
  }

  /// Bounds of the distance |D| of a point of the surface from the boundary, in metres, computed without trigonometry
  /// up to 200 km; `nil` if the distance is certainly more than a limit.
  ///
  /// The side of the line is determined only for a polygon with a buffer: without a buffer the boundary is the line
  /// itself, and |D| does not depend on the side.
  ///
  /// - Parameter position: Must be within a micrometre of the surface.
  public func slackBounds(at position: EarthVector, limit: Double) -> (least: Double, most: Double)? {
    let doubt = DistanceBounds.doubt
    if isPolygon, offset != 0,
      boundingCap.centre.squaredChord(to: position).squareRoot() <= boundingCap.reach + 1
    {
      let (least, most) = bounds(at: position)
      guard least <= limit + doubt, most >= -limit - doubt else { return nil }
      return (max(least - doubt, -most - doubt, 0), max(most, -least) + doubt)
    }
    // Every point that may be inside a polygon with a buffer was handled above, so |D| follows from the distance to the
    // line and the offset, without the side.
    let farthest = limit < .infinity ? ChordThreshold.approaching(limit + offset) : .infinity
    let chord = line.chordBounds(to: position, within: farthest)
    guard chord.most < .infinity else { return nil }
    let (least, most) = (chord.least - doubt, GeodesicShape.most(ofChord: chord.most))
    return (max(least - offset, offset - most, 0), max(most - offset, offset - least))
  }

  /// A straight-line distance, in metres: a point in space that moves by less than this distance certainly reaches no
  /// surface point whose boundary distance is `level`. The result is 0 if the boundary distance at the given point may
  /// already be equal to `level`.
  ///
  /// - Parameters:
  ///   - position: Usually near the surface, but may be anywhere. If the position is above or below the surface, its
  ///     height is subtracted from the result.
  ///   - level: A boundary distance in metres; a surface point with this distance is searched for.
  public func clearance(from position: EarthVector, to level: Double) -> Double {
    guard position.length > 1 else { return 0 }
    let below = position.onSurface
    let bounds = bounds(at: below)
    let gap = max(bounds.least - level, level - bounds.most)
    guard gap > 0 else { return 0 }
    // Two points that are at least `gap` apart along a geodesic are at least `ChordThreshold.leaving(gap)` apart in a
    // straight line.
    return max(0, ChordThreshold.leaving(min(gap, 3e7)) - (below - position).length - DistanceBounds.doubt)
  }

  /// The boundary point (D = 0) that is nearest to a position. If the position lies on the line of a corridor or of a
  /// buffered polygon, several boundary points are equally near; the result is one of these points, in a direction
  /// perpendicular to the line.
  ///
  /// If the shape has a buffer, the boundary is searched along the geodesic through the given point and the point of
  /// the line that is nearest to it. At an inner corner, the point found in this way may lie within the buffer of a
  /// different edge.
  ///
  /// - Returns: `nil` if the point found for a shape with a buffer is not on the boundary.
  public func nearestBoundaryPoint(of point: SurfacePoint) -> SurfacePoint? {
    let foot = line.nearest(to: point, isSided: isPolygon)
    guard offset != 0 else { return foot.place }
    let place = foot.place
    let isInside = isPolygon && foot.side > 0
    var outwards: Double
    var directions: [Double] = [0]
    if foot.distance > DistanceBounds.doubt {
      outwards = place.path(to: point).azimuth1 + (isInside ? 180 : 0)
    } else {
      // The point is on the line, so the outward direction is to the right of the edge.
      let segment = line.segment(foot.edge)
      outwards = segment.length > 0 ? segment.point(segment.foot(of: place).along).azimuth + 90 : 0
      if !isPolygon { directions.append(180) }
    }
    for turn in directions {
      let end = GeodesicDirect.solve(
        latitude: place.latitude, longitude: place.longitude, azimuth: outwards + turn, distance: offset)
      let found = SurfacePoint(latitude: end.latitude, longitude: end.longitude)
      if boundaryDistance(of: found).magnitude < GeodesicShape.onTheBoundary { return found }
    }
    return nil
  }

  /// A point is on the boundary if its computed |D| is less than this value, in metres.
  static var onTheBoundary: Double { 1e-6 }

  /// A circle that contains the shape; its radius is in metres. A circle with a radius of half a meridian contains the
  /// Earth.
  public var boundingCircle: (centre: SurfacePoint, radius: Double) {
    guard boundingCap.centre.length > 1e6 else {
      return (SurfacePoint(latitude: 0, longitude: 0), DistanceBounds.largestDistance)
    }
    let middle = boundingCap.centre.onSurface
    let place = SurfacePoint(middle)
    let chord = boundingCap.reach + (middle - boundingCap.centre).length + 1e-3
    return (place, min(GeodesicShape.most(ofChord: chord), DistanceBounds.largestDistance))
  }

  /// The largest distance along the surface, in metres, between two points whose chord is at most the given chord.
  @inlinable
  public static func most(ofChord chord: Double) -> Double {
    if chord <= ChordThreshold.near {
      return chord + chord * chord * chord * (1.02 * ChordThreshold.bend) + DistanceBounds.doubt
    }
    // With the chord c and the smallest radius of curvature R, no geodesic's arc is longer than s = 2 R arcsin(c / 2R).
    let sine = chord / (2 * Ellipsoid.smallestRadiusOfCurvature)
    guard sine < 0.99 else { return DistanceBounds.largestDistance }
    let arc = Trigonometry.atan2(sine, (1 - sine * sine).squareRoot())
    return 2 * Ellipsoid.smallestRadiusOfCurvature * arc * (1 + 1e-9)
  }
}

/// Bounds of a signed boundary distance, in metres, and the edges that may be nearest.
public struct FoundNear: Sendable {
  public var least: Double
  public var most: Double
  var edges: SIMD8<Int32>
  var count: Int
  /// The signed boundary distance, if it had to be computed exactly; otherwise NaN.
  var exact = Double.nan

  /// The bounds for a point that is up to `distance` away.
  @inline(__always)
  func widened(by distance: Double) -> FoundNear {
    FoundNear(least: least - distance, most: most + distance, edges: edges, count: count)
  }
}
