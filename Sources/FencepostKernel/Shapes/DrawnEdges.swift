/// The edges of a line, as they are drawn on the longitude–latitude plane. Each edge is a piece of a planar edge, and a
/// geodesic approximates the piece.
///
/// A geodesic deviates by up to 0.1 m from the piece that it approximates, so two geodesics may cross where their
/// pieces only touch or lie side by side. If two geodesics cross although the planar edges do not, the pieces of these
/// edges are divided until their geodesics no longer cross.
struct DrawnEdges {
  /// The ends of the edges; a point has the same index as the corresponding vertex of the line.
  let points: ContiguousArray<SurfacePoint>

  init(_ chains: [[SeamCancelling.Edge]]) {
    var points = ContiguousArray<SurfacePoint>()
    for chain in chains {
      for edge in chain { points.append(edge.start) }
      points.append(chain[chain.count - 1].end)
    }
    self.points = points
  }

  /// A vector on the map, in metres at the latitude of its origin.
  struct MapVector {
    var east: Double
    var north: Double

    func cross(_ other: MapVector) -> Double { east * other.north - north * other.east }
    func dot(_ other: MapVector) -> Double { east * other.east + north * other.north }
    var length: Double { dot(self).squareRoot() }
  }

  /// The vector on the map from one point to another, the short way around the Earth.
  static func way(from start: SurfacePoint, to end: SurfacePoint, scale: Double) -> MapVector {
    let change = InverseTask.longitudeDifference(from: start.longitude, to: end.longitude)
    let radians = Trigonometry.radiansPerDegree * Ellipsoid.equatorialRadius
    return MapVector(
      east: (change.degrees + change.tail) * radians * scale, north: (end.latitude - start.latitude) * radians)
  }

  /// The vector along an edge from its start, or against the edge from its end.
  func direction(_ edge: Int, fromStart: Bool) -> MapVector {
    let (from, to) = fromStart ? (points[edge], points[edge + 1]) : (points[edge + 1], points[edge])
    return DrawnEdges.way(from: from, to: to, scale: 1)
  }

  /// Whether one end of an edge is a pole, where directions on the map are undefined.
  func isAtPole(_ edge: Int) -> Bool {
    points[edge].latitude.magnitude == 90 || points[edge + 1].latitude.magnitude == 90
  }

  /// The relative position of two edges.
  struct Pair {
    /// For each end of the second edge, `ends` contains its distance to the left of the first edge's line, and its
    /// position along that line, from 0 at the start to 1 at the end. `otherEnds` contains the same two values for each
    /// end of the first edge, relative to the second edge.
    var ends: (Foot, Foot)
    var otherEnds: (Foot, Foot)
    /// Metres.
    var length, otherLength: Double

    struct Foot {
      var offset: Double
      var part: Double

      /// Whether the point is on the edge, between the edge's ends.
      var isOn: Bool { offset.magnitude <= CrossingCheck.tolerance && part > 0 && part < 1 }
    }

    /// Whether the edges certainly cross.
    var cross: Bool {
      let least = min(
        min(ends.0.offset.magnitude, ends.1.offset.magnitude),
        min(otherEnds.0.offset.magnitude, otherEnds.1.offset.magnitude))
      return least > CrossingCheck.tolerance && (ends.0.offset > 0) != (ends.1.offset > 0)
        && (otherEnds.0.offset > 0) != (otherEnds.1.offset > 0)
    }
  }

  func pair(_ edge: Int, _ other: Int) -> Pair {
    let (a, b, c, d) = (points[edge], points[edge + 1], points[other], points[other + 1])
    let scale = Trigonometry.sincosDegrees(a.latitude).cosine
    let along = DrawnEdges.way(from: a, to: b, scale: scale)
    let its = DrawnEdges.way(from: c, to: d, scale: scale)
    func foot(_ point: SurfacePoint, from start: SurfacePoint, _ along: MapVector) -> Pair.Foot {
      let way = DrawnEdges.way(from: start, to: point, scale: scale)
      let square = along.dot(along)
      return Pair.Foot(offset: along.cross(way) / along.length, part: square > 0 ? way.dot(along) / square : 0)
    }
    return Pair(
      ends: (foot(c, from: a, along), foot(d, from: a, along)),
      otherEnds: (foot(a, from: c, its), foot(b, from: c, its)), length: along.length, otherLength: its.length)
  }

  /// A point on an edge: on the map, it lies on the straight line between the edge's ends.
  func point(_ edge: Int, at part: Double) -> SurfacePoint {
    let (start, end) = (points[edge], points[edge + 1])
    let change = InverseTask.longitudeDifference(from: start.longitude, to: end.longitude)
    return SurfacePoint(
      latitude: start.latitude + (end.latitude - start.latitude) * part,
      longitude: GivenRing.reduced(start.longitude + (change.degrees + change.tail) * part))
  }
}

/// Divides pieces of planar edges whose geodesics cross although the pieces themselves do not cross.
struct EdgeDivision {
  /// Pieces shorter than this length, in metres, are not divided.
  static var shortest: Double { 1e-3 }
  /// A piece is divided at the point opposite an end of another piece, but only if this point is farther than this
  /// fraction of the piece's length from each end of the piece.
  private static var nearest: Double { 1.0 / 16 }

  /// A point at which a piece is divided; `part` is its position along the piece, from 0 to 1.
  private struct Cut {
    var part: Double
    var point: SurfacePoint
  }

  private let drawn: DrawnEdges
  private var cuts = [SeamCancelling.Pair: [Cut]]()

  /// - Parameter pairs: The pairs of edges to divide, from `CrossingCheck.divisible`.
  init(_ drawn: DrawnEdges, _ pairs: [(Int, Int)]) {
    self.drawn = drawn
    for (one, other) in pairs { divide(one, other) }
  }

  private mutating func divide(_ one: Int, _ other: Int) {
    let pair = drawn.pair(one, other)
    let feet = [
      (one, pair.ends.0, other), (one, pair.ends.1, other + 1), (other, pair.otherEnds.0, one),
      (other, pair.otherEnds.1, one + 1),
    ]
    // A vertex that lies on an edge becomes a vertex of that edge.
    let touching = feet.filter { $0.1.isOn }
    for (edge, foot, vertex) in touching { cut(edge, foot.part, drawn.points[vertex]) }
    if !touching.isEmpty { return }
    // Cut each long edge opposite the ends of the other edge, so that both geodesics deviate in the same way. If no
    // point is opposite an end, cut the long edges in the middle.
    let isLong = (pair.length > Self.shortest, pair.otherLength > Self.shortest)
    var isCut = false
    for (edge, foot, _) in feet
    where (edge == one ? isLong.0 : isLong.1) && foot.part > Self.nearest && foot.part < 1 - Self.nearest {
      cut(edge, foot.part, drawn.point(edge, at: foot.part))
      isCut = true
    }
    guard !isCut else { return }
    if isLong.0 { cut(one, 0.5, drawn.point(one, at: 0.5)) }
    if isLong.1 { cut(other, 0.5, drawn.point(other, at: 0.5)) }
  }

  private mutating func cut(_ edge: Int, _ part: Double, _ point: SurfacePoint) {
    let (start, end) = (drawn.points[edge], drawn.points[edge + 1])
    guard !point.isOne(with: start), !point.isOne(with: end) else { return }
    cuts[SeamCancelling.Pair(start, end), default: []].append(Cut(part: part, point: point))
  }

  /// Inserts the points of division into the rings.
  ///
  /// - Parameter room: The number of points that are still allowed; it is reduced by the number of points added.
  /// - Returns: Whether any ring got an additional point.
  func apply(to rings: inout [GivenRing], room: inout Int) -> Bool {
    guard !cuts.isEmpty else { return false }
    let before = room
    for index in rings.indices {
      rings[index].insert(&room) { start, end in
        if let cuts = cuts[SeamCancelling.Pair(start, end)] { return EdgeDivision.points(cuts) }
        // If the cuts are stored for the opposite direction of the edge, return their points in reverse order.
        return cuts[SeamCancelling.Pair(end, start)].map { EdgeDivision.points($0).reversed() } ?? []
      }
    }
    return room < before
  }

  /// Returns the points of division in order from the start of the edge, without duplicates.
  private static func points(_ cuts: [Cut]) -> [SurfacePoint] {
    var points: [SurfacePoint] = []
    for cut in cuts.arranged(by: { $0.part < $1.part }) {
      if let last = points.last, last.isOne(with: cut.point) { continue }
      points.append(cut.point)
    }
    return points
  }
}
