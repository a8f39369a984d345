/// An edge of a shape's line, or the part of a long edge near a path: the curves at a fixed distance from the edge and
/// from its ends. Near the path, each level D = const of the shape consists of pieces of these curves.
public struct LevelPart: Sendable {
  /// Roots are accepted up to this distance beyond the ends of the part, in metres, because the direction of a short
  /// edge is known less exactly than its ends.
  private static var tolerance: Double { 1e-3 }
  /// The length, in metres, of the part of a long edge that is examined on each side of a path.
  fileprivate static var leastPart: Double { 5_000 }

  private let segment: ShortSegment

  fileprivate init(_ segment: ShortSegment) { self.segment = segment }

  public var start: EarthVector { segment.start }
  public var end: EarthVector { segment.end }

  /// The signed distance of a position from the extended edge, in metres, positive on the left; and whether the foot of
  /// the position is between the ends of the edge.
  ///
  /// - Parameter isOnLine: Whether only distances near 0 matter.
  public func side(of position: EarthVector, isOnLine: Bool) -> (side: Double, isBeside: Bool) {
    let along = segment.along(nearest: position)
    let foot = segment.point(along)
    let left = foot.scaled.cross(segment.tangent(along))
    let apart = (position - foot).dot(left) / left.length
    let isBeside = along > -Self.tolerance && along < segment.length + Self.tolerance
    if isOnLine { return (apart, isBeside) }
    let distance = LevelPart.distance(position, foot)
    return (apart < 0 ? -distance : distance, isBeside)
  }

  /// The geodesic distance between two positions.
  public static func distance(_ position: EarthVector, _ other: EarthVector) -> Double {
    guard position.squaredChord(to: other) > ShortDistance.limit * ShortDistance.limit else {
      return ShortDistance.distance(from: position, to: other)
    }
    return SurfacePoint(position).path(to: SurfacePoint(other)).distance
  }
}

extension GeodesicShape {
  /// The greatest distance between a level and the line for which ``levelParts(at:around:within:into:)`` is exact, in
  /// metres.
  private static var farthestLevel: Double { 20_000 }

  /// The distance between the line and the places where D has a value, in metres; `nil` if it is too large for
  /// ``levelParts(at:around:within:into:)``.
  public func distanceFromLine(ofLevel level: Double) -> Double? {
    let distance = (level + offset).magnitude
    return distance <= GeodesicShape.farthestLevel ? distance : nil
  }

  /// Appends the edges near which a path may reach a level, within a distance of a position.
  ///
  /// - Parameters:
  ///   - distance: The distance between the level and the line.
  ///   - reach: At most 1 km, in metres.
  public func levelParts(
    at distance: Double, around middle: EarthVector, within reach: Double, into parts: inout [LevelPart]
  ) {
    for edge in LineSearch.edges(of: line, at: middle, limit: distance + reach + 1) {
      if let part = part(edge, near: middle, reach) { parts.append(part) }
    }
  }

  /// Calls are not inlined, because a closure that captures a line copies it.
  @inline(never)
  private func part(_ edge: Int, near middle: EarthVector, _ reach: Double) -> LevelPart? {
    let (start, end) = (line.vertices[edge], line.vertices[edge + 1])
    if start.squaredChord(to: end) <= ShortSegment.limit * ShortSegment.limit {
      return LevelPart(ShortSegment(from: start, to: end))
    }
    let whole = line.segment(edge)
    let foot = whole.foot(of: SurfacePoint(middle)).along
    let around = max(4 * reach, LevelPart.leastPart)
    let (first, last) = (max(foot - around, 0), min(foot + around, whole.length))
    return LevelPart(ShortSegment(from: whole.point(first).place.vector, to: whole.point(last).place.vector))
  }
}
