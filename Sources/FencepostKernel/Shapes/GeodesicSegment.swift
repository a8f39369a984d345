/// The shortest geodesic between two points, used as an edge of a shape; its length is at most
/// `GeodesicSegment.longest`.
///
/// For points near the segment, the nearest point of the segment is computed with vectors in space (`ShortSegment`).
/// For points far from the segment, the nearest point is found by an iteration that solves the inverse problem in each
/// step and stays within a bracket. The step is that of Baselga and Martínez-Llario, "Intersection and point-to-line
/// solutions for geodesics on the ellipsoid", Studia Geophysica et Geodaetica 62 (2018), 353–363.
public struct GeodesicSegment: Sendable {
  /// Edges longer than this, in metres, are refused. This maximum is less than π b (b is the polar semi-axis), because
  /// the shortest path between two points is unique only up to the distance π b.
  public static var longest: Double { 19_900_000 }
  /// The search for the nearest point on a long segment first examines positions on the segment with this spacing, in
  /// metres. Between two neighbouring positions, the direction to the given point turns from ahead to behind at most
  /// once.
  static var stretch: Double { 1_000_000 }
  /// Half the length, in metres, of the part of a long segment that is treated as a `ShortSegment`.
  static var neighbourhood: Double { 15_000 }
  /// The Earth's radius used for the step along a segment, in metres. Any mean radius is suitable, because the later
  /// steps of the iteration correct the error.
  static var meanRadius: Double { 6_371_000 }

  public let start: SurfacePoint
  public let end: SurfacePoint
  /// Metres.
  public let length: Double
  /// The solution of the inverse problem between the two ends. For a short segment, `solved` is `nil`, and the path is
  /// computed each time that it is needed.
  private let solved: GeodesicInverse?

  public init(from start: SurfacePoint, to end: SurfacePoint) {
    self.start = start
    self.end = end
    if start.vector.squaredChord(to: end.vector) <= ShortDistance.limit * ShortDistance.limit {
      length = ShortDistance.distance(from: start.vector, to: end.vector)
      solved = nil
    } else {
      let path = start.path(to: end)
      length = path.distance
      solved = path
    }
  }

  /// The direction at the start and the forward direction at the end, in degrees clockwise from north.
  var azimuths: (start: Double, end: Double) {
    let path = solved ?? start.path(to: end)
    return (path.azimuth1, path.azimuth2)
  }

  /// The point at a given length from the start, in metres in 0 … `length`, and the forward azimuth at that point, in
  /// degrees.
  ///
  /// The point is computed from the nearer end of the segment.
  public func point(_ along: Double) -> (place: SurfacePoint, azimuth: Double) {
    if along <= 0 { return (start, azimuths.start) }
    if along >= length { return (end, azimuths.end) }
    let isFirstHalf = along <= length / 2
    let from = isFirstHalf ? start : end
    let solved = GeodesicDirect.solve(
      latitude: from.latitude, longitude: from.longitude, azimuth: isFirstHalf ? azimuths.start : azimuths.end,
      distance: isFirstHalf ? along : along - length)
    return (SurfacePoint(latitude: solved.latitude, longitude: solved.longitude), solved.azimuth)
  }

  /// The point on the segment that is nearest to a given point, with its exact distance.
  public func foot(of point: SurfacePoint) -> SegmentFoot {
    if length <= ShortSegment.limit {
      let segment = ShortSegment(from: start.vector, to: end.vector)
      let foot = segment.foot(of: point.vector)
      if foot.at.squaredChord(to: point.vector) <= ShortDistance.limit * ShortDistance.limit {
        return SegmentFoot(of: point, on: segment, foot, from: 0, ends: self)
      }
    }
    return farFoot(of: point)
  }

  /// The point on the segment that is nearest to `point`, found by solving the inverse problem. This method works for
  /// points at all distances and for segments of all lengths.
  ///
  /// The distance along a geodesic is convex where the derivative M of the reduced length is positive, and hence up to
  /// a quarter of the way around the Earth; beyond that it is concave. A minimum of the distance lies either at an end
  /// of the segment, or where the direction to `point` turns from ahead to behind (Karney 2013, section 3: the second
  /// derivatives of the distance are M / m times squared sines).
  private func farFoot(of point: SurfacePoint) -> SegmentFoot {
    let first = sight(of: point, 0)
    let last = sight(of: point, length)
    var best = first.foot.distance <= last.foot.distance ? first.foot : last.foot
    let stretches = Int((length / GeodesicSegment.stretch).roundedUp)
    var here = first
    for stretch in 1...max(stretches, 1) {
      let there = stretch >= stretches ? last : sight(of: point, length * Double(stretch) / Double(stretches))
      if here.ahead >= 0 && there.ahead <= 0 && here.foot.along < there.foot.along {
        let inner = innerFoot(of: point, between: here, and: there)
        if inner.distance < best.distance { best = inner }
      }
      here = there
    }
    return best
  }

  /// A point on the segment, with the direction from there to the given point.
  private struct Sight {
    var foot: SegmentFoot
    /// The cosine of the angle between the direction to the point and the direction of the segment: positive if the
    /// point is ahead.
    var ahead: Double
  }

  private func sight(of point: SurfacePoint, _ along: Double) -> Sight {
    let (place, azimuth) = self.point(along)
    let path = point.path(to: place)
    let turn = Trigonometry.sincosDegrees(path.azimuth2 - azimuth)
    let isInner = along > 0 && along < length
    // The geodesic from the point arrives with azimuth 2, so the direction back to the point is the opposite of azimuth
    // 2.
    let foot = SegmentFoot(
      distance: path.distance, along: along, place: place, isInner: isInner, side: isInner ? turn.sine : 0)
    return Sight(foot: foot, ahead: path.distance == 0 ? 0 : -turn.cosine)
  }

  private func innerFoot(of point: SurfacePoint, between before: Sight, and behind: Sight) -> SegmentFoot {
    var (low, high) = (before.foot.along, behind.foot.along)
    var current = before.foot.distance <= behind.foot.distance ? before : behind
    var best = current.foot
    for turn in 0..<150 {
      let here = current.foot.along
      if current.foot.distance <= ShortDistance.limit { return nearFoot(of: point, around: here) }
      if current.foot.distance < best.distance { best = current.foot }
      if current.ahead > 0 { low = max(low, here) } else { high = min(high, here) }
      // Solves the right-angled spherical triangle with a given hypotenuse and angle.
      let angle = Trigonometry.sincos(current.foot.distance / GeodesicSegment.meanRadius)
      let step =
        GeodesicSegment.meanRadius * Trigonometry.atan2(angle.sine * current.ahead, angle.cosine.magnitude)
      var next = here + step
      // The distance can decrease by at most the slope times the length of the interval.
      let gain = current.ahead.magnitude * (high - low)
      if high - low < 1e-3 || ((next - here).magnitude < 1e-3 && gain < 5e-9) { break }
      // About a quarter of the way around the Earth the distance hardly changes along the segment, and the step
      // computed on a sphere is unreliable.
      if turn % 3 == 2 || !(next > low && next < high) { next = low + (high - low) / 2 }
      current = sight(of: point, next)
    }
    // Return the point found last, because its direction is the most accurate. If an earlier point is nearer by more
    // than the rounding error, return the nearest point instead.
    return current.foot.distance <= best.distance + 5e-9 ? current.foot : best
  }

  /// Finds the nearest point with vectors in space, starting from a position on the segment that is within 20 km of
  /// `point`.
  private func nearFoot(of point: SurfacePoint, around along: Double) -> SegmentFoot {
    var middle = along
    while true {
      let low = max(middle - GeodesicSegment.neighbourhood, 0)
      let high = min(middle + GeodesicSegment.neighbourhood, length)
      let segment = ShortSegment(from: self.point(low).place.vector, to: self.point(high).place.vector)
      let foot = segment.foot(of: point.vector)
      let isCut = !foot.isInner && (foot.along == 0 ? low > 0 : high < length)
      if !isCut { return SegmentFoot(of: point, on: segment, foot, from: low, ends: self) }
      middle = foot.along == 0 ? low : high
    }
  }
}

/// The point on a segment that is nearest to a given point.
public struct SegmentFoot: Sendable {
  /// The geodesic distance to the point, in metres.
  public var distance: Double
  /// The distance along the segment from its start to the nearest point, in metres.
  public var along: Double
  /// The point on the segment that is nearest to the given point.
  public var place: SurfacePoint
  /// Whether the nearest point is between the ends of the segment, and is not one of the ends.
  public var isInner: Bool
  /// Positive if the point is to the left of the segment, negative if it is to the right. `side` is 0 if the given
  /// point is on the segment, or if the nearest point is an end of the segment.
  public var side: Double

  init(distance: Double, along: Double, place: SurfacePoint, isInner: Bool, side: Double) {
    self.distance = distance
    self.along = along
    self.place = place
    self.isInner = isInner
    self.side = side
  }

  /// Converts the nearest point on a short segment, which is a part of the segment `ends`; `offset` is the position in
  /// `ends` at which the short segment starts.
  init(
    of point: SurfacePoint, on segment: ShortSegment, _ foot: (along: Double, at: EarthVector, isInner: Bool),
    from offset: Double, ends: GeodesicSegment
  ) {
    let left = foot.at.scaled.cross(segment.tangent(foot.along))
    let isEnd = !foot.isInner
    self.init(
      distance: ShortDistance.distance(from: point.vector, to: foot.at), along: offset + foot.along,
      place: SurfacePoint(foot.at), isInner: foot.isInner,
      side: isEnd ? 0 : (point.vector - foot.at).dot(left) / left.length)
    if isEnd { place = foot.along == 0 ? ends.start : ends.end }
  }
}
