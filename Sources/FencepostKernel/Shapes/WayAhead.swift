/// The first place where a short path reaches the requested side of a polygon's boundary (the inside or the outside),
/// as far as the edges near the path determine it.
public enum WayAhead {
  /// The start of the path is already on the requested side.
  case passed
  /// The path does not reach the requested side.
  case clear
  /// The path reaches the requested side when it crosses this edge, unless the path ends just before the edge.
  case crossing(EdgeCrossing)
  /// Between these two fractions of the path, the edges do not decide whether the path reaches the requested side,
  /// because it is near a corner or near several edges, or because it is nearly parallel to an edge. Before the first
  /// fraction, the path does not reach the requested side.
  case unknown(from: Double, to: Double)

  fileprivate static var undecided: WayAhead { .unknown(from: 0, to: 1) }
}

/// An edge that a short path crosses from one side to the other. Near the crossing, the path is close to no other edge,
/// and the signed distance from the edge changes monotonically along the path.
public struct EdgeCrossing {
  private let segment: ShortSegment
  /// The fraction of the path at which the path crosses the chord of the edge.
  public let share: Double
  /// The amount by which the distance from the edge changes along the whole path, in metres; positive.
  public let advance: Double

  fileprivate init(_ segment: ShortSegment, share: Double, advance: Double) {
    (self.segment, self.share, self.advance) = (segment, share, advance)
  }

  /// Returns the signed distance from the edge to a position near the crossing, in metres, exact to 15 nm. The distance
  /// is negative to the left of the edge, that is, inside the polygon. Returns `nil` if the nearest point of the edge
  /// is one of its ends.
  public func distance(at position: EarthVector) -> Double? {
    let foot = segment.foot(of: position)
    guard foot.isInner else { return nil }
    let left = foot.at.scaled.cross(segment.tangent(foot.along))
    let distance = ShortDistance.distance(from: position, to: foot.at)
    return (position - foot.at).dot(left) > 0 ? -distance : distance
  }
}

extension GeodesicShape {
  /// If the computed distance from the boundary is greater than this, in metres, the computed side is certainly right.
  private static var certainty: Double { 1e-7 }
  /// An upper bound of the errors of positions on the plane, in metres. The errors are caused by rounding, and by the
  /// height of a path above its chord.
  private static var planeError: Double { 1e-5 }
  /// ``WayAhead/crossing(_:)`` is returned only if the sine of the angle between path and edge is greater than this.
  private static var leastSine: Double { 0.1 }
  /// ``WayAhead/crossing(_:)`` is returned only for edges shorter than this, in metres.
  private static var longestCrossed: Double { 20_000 }

  /// Finds the first place where a short path reaches the inside or the outside of a polygon without a buffer.
  ///
  /// All positions are projected onto the horizontal plane at the start of the path. A *band* surrounds the projected
  /// chord of each edge. The distance from the chord to the border of the band is the sum of the sagitta of the edge,
  /// the sagitta of the path, and all errors. A projection never increases a distance, so a path does not touch an edge
  /// if the projected chord of the path does not enter the band of the edge. If a path passes through only one band,
  /// between the ends of the edge and at a sufficient angle, the path crosses the edge exactly once.
  ///
  /// - Parameters:
  ///   - start: The start of the path, on the surface of the ellipsoid.
  ///   - end: The end of the path, on the surface, at most 300 m from `start`. The path is the geodesic from `start` to
  ///     `end`.
  ///   - sagitta: An upper bound of the distance between the path and its chord, in metres.
  ///   - inwards: True if the requested side is the inside, false if it is the outside.
  public func wayAhead(
    from start: EarthVector, to end: EarthVector, sagitta: Double, inwards: Bool
  ) -> WayAhead {
    let way = end - start
    let length = way.length
    guard isPolygon, offset == 0, length > 1e-4, length < 1_000 else { return .undecided }
    let reach = length + sagitta + 1
    var near = NearWay()
    LineSearch.run(line, at: start, limit: reach) { near.take($0, &$1) }
    guard !near.isCrowded, let isInside = isSurelyInside(start, near, reach) else { return .undecided }
    if isInside == inwards { return .passed }
    guard near.count > 0 else { return .clear }
    var bands = Bands(start, way, sagitta + GeodesicShape.planeError)
    for index in 0..<near.count {
      guard bands.add(line, Int(near.edges[index])) else { return .undecided }
    }
    return bands.firstCrossing(line, inwards: inwards)
  }

  /// Returns whether a position is inside; `nil` if the position is so near to the boundary that rounding errors may
  /// change the answer.
  @inline(__always)
  private func isSurelyInside(_ position: EarthVector, _ near: NearWay, _ reach: Double) -> Bool? {
    let limit = LineCandidates.widened(near.most)
    guard near.count > 0, Double(limit) < reach else { return isSurely(bounds(at: position)) }
    guard let nearest = near.nearest(within: limit) else { return nil }
    if let found = bounds(at: position, nearest) {
      let isExact = !found.exact.isNaN
      if let answer = isSurely(isExact ? (found.exact, found.exact) : (found.least, found.most)) { return answer }
      if isExact { return nil }
    }
    guard Double(limit) < ShortDistance.limit,
      let foot = line.nearest(to: position, among: nearest.edges, nearest.count, isSided: true)
    else { return nil }
    let exact = distance(foot)
    return isSurely((exact, exact))
  }

  @inline(__always)
  private func isSurely(_ bounds: (least: Double, most: Double)) -> Bool? {
    if bounds.least > GeodesicShape.certainty { return false }
    return bounds.most < -GeodesicShape.certainty ? true : nil
  }

  /// The edges that a path may touch.
  private struct NearWay {
    var edges = SIMD32<Int32>()
    private var parts = SIMD32<Float>()
    private var leasts = SIMD32<Float>()
    private(set) var count = 0
    private var least = Float.infinity
    private(set) var most = Float.infinity
    private(set) var isCrowded = false

    @inline(__always)
    mutating func take(_ found: LineSearch.Found, _ search: inout LineSearch) {
      guard count < 32 else {
        isCrowded = true
        search.limit = -.infinity
        return
      }
      let slack = found.sagitta + search.rounding
      edges[count] = Int32(truncatingIfNeeded: found.edge)
      (parts[count], leasts[count]) = (found.part, found.chord - slack)
      least = min(least, found.chord - slack)
      most = min(most, found.chord + slack)
      count &+= 1
    }

    /// Returns the edges that may be nearest to the start of the path; `nil` if there are more than eight such edges.
    func nearest(within limit: Float) -> NearestEdges? {
      var nearest = NearestEdges(least: least, most: most)
      for index in 0..<count where leasts[index] <= limit {
        guard nearest.count < 8 else { return nil }
        nearest.append(edges[index], parts[index])
      }
      return nearest
    }
  }

  /// The parts of a path that are within the bands of edges.
  private struct Bands {
    private let start, way, up: EarthVector
    private let rise: Double
    private let width: Double
    private var edges = SIMD8<Int32>()
    /// The fractions of the path at which the path enters and leaves each band.
    private var begins = SIMD8<Double>(repeating: .infinity)
    private var ends = SIMD8<Double>(repeating: .infinity)
    /// For each edge, the distance to the left of the edge at the start of the path, and the change of this distance
    /// along the path, in metres. Both are 0 if the path may miss the edge, or may cross the edge near a corner.
    private var offsets = SIMD8<Double>()
    private var turns = SIMD8<Double>()
    private var count = 0

    init(_ start: EarthVector, _ way: EarthVector, _ width: Double) {
      (self.start, self.way, self.width) = (start, way, width)
      let normal = start.scaled
      up = normal / normal.length
      rise = way.dot(up)
    }

    /// - Returns: False if the path enters the band of the edge, but eight edges have already been added.
    mutating func add(_ line: ShapeLine, _ edge: Int) -> Bool {
      let corner = line.vertices[edge]
      let along = line.vertices[edge &+ 1] - corner
      let apart = start - corner
      let climb = along.dot(up)
      let square = max(along.dot(along) - climb * climb, 1e-12)
      let length = square.squareRoot()
      let band = line.sagitta(edge) + width
      let (across, turn) = (up.dot(along.cross(apart)) / length, up.dot(along.cross(way)) / length)
      let ahead = (along.dot(apart) - climb * apart.dot(up)) / length
      let forth = (along.dot(way) - climb * rise) / length
      let (left, right) = Bands.shares(across, turn, -band, band)
      let (first, last) = Bands.shares(ahead, forth, -band, length + band)
      let (begin, end) = (max(left, first), min(right, last))
      guard begin <= end, begin <= 1, end >= 0 else { return true }
      guard count < 8 else { return false }
      edges[count] = Int32(truncatingIfNeeded: edge)
      (begins[count], ends[count]) = (begin, end)
      let speed = (way.dot(way) - rise * rise).squareRoot()
      if turn.magnitude > GeodesicShape.leastSine * speed, length < GeodesicShape.longestCrossed {
        // Throughout the band, the path must be between the two corners of the edge.
        let (low, high) = (ahead + forth * left, ahead + forth * right)
        if min(low, high) > 2 * band, max(low, high) < length - 2 * band {
          (offsets[count], turns[count]) = (across, turn)
        }
      }
      count &+= 1
      return true
    }

    /// Returns the range of fractions for which `value + fraction * change` is between two limits.
    private static func shares(
      _ value: Double, _ change: Double, _ low: Double, _ high: Double
    ) -> (first: Double, last: Double) {
      guard change.magnitude > 1e-9 else {
        // The change is much smaller than the width of a band, so the value is treated as constant.
        return value > low - 1e-9 && value < high + 1e-9 ? (-.infinity, .infinity) : (.infinity, -.infinity)
      }
      let (one, other) = ((low - value) / change, (high - value) / change)
      return (min(one, other), max(one, other))
    }

    mutating func firstCrossing(_ line: ShapeLine, inwards: Bool) -> WayAhead {
      while true {
        var first = 0
        for index in 1..<8 where begins[index] < begins[first] { first = index }
        let begin = begins[first]
        guard begin < .infinity else { return .clear }
        let (end, isAlone) = endOfCluster(first)
        let turn = turns[first]
        guard turn != 0, isAlone else { return .unknown(from: max(0, begin), to: min(1, end)) }
        if (turn > 0) == inwards {
          let edge = Int(edges[first])
          let crossing = EdgeCrossing(
            ShortSegment(from: line.vertices[edge], to: line.vertices[edge &+ 1]),
            share: max(0, min(1, -offsets[first] / turn)), advance: turn.magnitude)
          // If the path starts in the band, the start may already be past this edge, and another edge may be between
          // the two.
          guard begin <= 0 else { return .crossing(crossing) }
          guard let distance = crossing.distance(at: start), distance.magnitude > GeodesicShape.certainty else {
            return .unknown(from: 0, to: min(1, end))
          }
          if (distance > 0) == inwards { return .crossing(crossing) }
        } else if begin > 0 {
          return .unknown(from: begin, to: min(1, end))
        }
        // The path starts in the band of this edge and moves away from the edge, so it does not cross the edge.
        begins[first] = .infinity
      }
    }

    /// Returns the fraction at which the path has left a band and every other band that it enters before that fraction;
    /// and whether the path enters no other band before that fraction.
    private func endOfCluster(_ first: Int) -> (end: Double, isAlone: Bool) {
      var end = ends[first]
      var (members, before) = (1, 0)
      while members > before {
        before = members
        members = 0
        for index in 0..<count where begins[index] <= end {
          members &+= 1
          end = max(end, ends[index])
        }
      }
      return (end, members == 1)
    }
  }
}
