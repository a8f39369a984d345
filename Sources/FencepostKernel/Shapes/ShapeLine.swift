/// The line of a shape: chains of geodesic edges, and the search for the edge that is nearest to a point.
///
/// Chains are open or closed; those of a polygon run so that the polygon lies to their left. Consecutive edges are near
/// each other, so the tree over them is that of their numbers: a ball around each eight, one around each eight of
/// those, and so on; two bytes an edge.
public struct ShapeLine: Sendable {
  /// One after the other, a closed chain with its first vertex again at its end: edge e leads from vertex e to e + 1.
  public private(set) var vertices: ContiguousArray<SurfacePoint> = []
  /// Where each chain starts in `vertices`, ascending; the edge that would end there is none.
  private(set) var starts: ContiguousArray<Int> = []
  private var levels: ContiguousArray<ContiguousArray<Ball>> = []

  /// Edges or balls in one ball.
  static var fanOut: Int { 8 }

  /// - Parameter chains: each with at least two vertices, consecutive ones different.
  public init(chains: [[SurfacePoint]]) {
    for chain in chains {
      starts.append(vertices.count)
      vertices.append(contentsOf: chain)
    }
    var level = ContiguousArray<Ball>()
    for first in stride(from: 0, to: vertices.count, by: ShapeLine.fanOut) {
      level.append(ball(ofEdgesFrom: first))
    }
    levels = [level]
    while level.count > 1 {
      level = ContiguousArray(
        stride(from: 0, to: level.count, by: ShapeLine.fanOut).map { first in
          Ball(around: level[first..<min(first + ShapeLine.fanOut, level.count)])
        })
      levels.append(level)
    }
  }

  /// Whether a number is that of an edge, and not of what lies between two chains.
  func isEdge(_ edge: Int) -> Bool {
    guard edge + 1 < vertices.count else { return false }
    // Chains are few; most shapes have one.
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= edge + 1 { low = middle + 1 } else { high = middle }
    }
    return low == 0 || starts[low - 1] != edge + 1
  }

  /// A ball that holds the line; what lies within a ring on its smaller side is in it too.
  var bounds: (centre: EarthVector, reach: Double) {
    guard let ball = levels.last?.first else { return (EarthVector(x: 0, y: 0, z: 0), -.infinity) }
    return (ball.centre, Double(ball.reach))
  }

  public func segment(_ edge: Int) -> GeodesicSegment {
    GeodesicSegment(from: vertices[edge], to: vertices[edge + 1])
  }

  private func ball(ofEdgesFrom first: Int) -> Ball {
    let last = min(first + ShapeLine.fanOut, vertices.count - 1)
    var (low, high) = (vertices[first].vector, vertices[first].vector)
    for index in first...last {
      let vector = vertices[index].vector
      low = EarthVector(x: min(low.x, vector.x), y: min(low.y, vector.y), z: min(low.z, vector.z))
      high = EarthVector(x: max(high.x, vector.x), y: max(high.y, vector.y), z: max(high.z, vector.z))
    }
    let centre = (low + high) * 0.5
    var reach = 0.0
    for index in first...last { reach = max(reach, (vertices[index].vector - centre).length) }
    var sagitta = 0.0
    for edge in first..<last where isEdge(edge) { sagitta = max(sagitta, self.sagitta(edge)) }
    return Ball(centre: centre, reach: reach + sagitta)
  }

  /// How far an edge is from its chord at most: that of an arc of its length bent as no geodesic is bent more.
  private func sagitta(_ edge: Int) -> Double {
    let square = vertices[edge].vector.squaredChord(to: vertices[edge + 1].vector)
    // The arc is longer than its chord by at most π/2.
    let bend = square > 1e12 ? 2.4674012 : 1.01
    return square * bend / (8 * Ellipsoid.smallestRadiusOfCurvature) + 1e-8
  }

  /// An edge that may be the nearest, and a lower bound of the chord to it.
  private struct Candidate {
    var edge: Int
    var chord: Double
  }

  /// Distance, place and side of the nearest place of the line.
  ///
  /// - Returns: `side` positive when the point is to the left of the line, which is inside of a polygon; 0 on it, and
  ///   without meaning beside an open chain.
  public func nearest(to point: SurfacePoint) -> LineFoot {
    var candidates = self.candidates(near: point.vector)
    candidates.sort { $0.chord < $1.chord }
    var best = LineFoot(edge: -1, foot: nil)
    var limit = Double.infinity
    for candidate in candidates where candidate.chord <= limit {
      let foot = segment(candidate.edge).foot(of: point)
      if foot.distance < best.distance {
        best = LineFoot(edge: candidate.edge, foot: foot)
        limit = ChordThreshold.approaching(foot.distance)
      }
    }
    if best.isInner { return best }
    // Every edge that meets there is as near, and therefore among the candidates.
    let meeting = candidates.lazy.map(\.edge).filter {
      vertices[$0].vector == best.place.vector || vertices[$0 + 1].vector == best.place.vector
    }
    best.side = side(of: point, at: best.place, among: Array(meeting))
    return best
  }

  /// Calls with each pair of edges that may come within a tolerance of each other, the lesser number first.
  func forEachNearPair(within tolerance: Double, _ body: (Int, Int) throws(ShapeDefect) -> Void) throws(ShapeDefect) {
    guard let top = levels.indices.last, !levels[0].isEmpty else { return }
    try join(top, 0, 0, tolerance, body)
  }

  private func join(
    _ level: Int, _ one: Int, _ other: Int, _ tolerance: Double,
    _ body: (Int, Int) throws(ShapeDefect) -> Void
  ) throws(ShapeDefect) {
    let fan = ShapeLine.fanOut
    let limit = level == 0 ? vertices.count - 1 : levels[level - 1].count
    for first in one * fan..<min(one * fan + fan, limit) {
      for second in max(other * fan, one == other ? first : 0)..<min(other * fan + fan, limit) {
        if level == 0 {
          guard first != second, isEdge(first), isEdge(second) else { continue }
          let apart = Chord(vertices[first].vector, vertices[first + 1].vector)
            .distance(to: Chord(vertices[second].vector, vertices[second + 1].vector))
          if apart <= sagitta(first) + sagitta(second) + tolerance { try body(first, second) }
        } else {
          let (a, b) = (levels[level - 1][first], levels[level - 1][second])
          let reach = Double(a.reach) + Double(b.reach) + tolerance
          if first == second || (a.centre - b.centre).length <= reach {
            try join(level - 1, first, second, tolerance, body)
          }
        }
      }
    }
  }

  /// A length that no way from a point to the line is shorter than, metres along the chord: cheap, never negative.
  public func clearance(from vector: EarthVector) -> Double {
    max(0, candidates(near: vector).reduce(.infinity) { min($0, $1.chord) } - 1e-6)
  }

  /// Whether a point whose nearest place is a vertex lies to the left of the edges that meet there.
  ///
  /// Turned clockwise from the direction to the point, the first edge met says it: what leaves the vertex has its left
  /// on this side, what arrives its right. The point is not nearer to any edge than to the vertex, so no edge is within
  /// 90° of its direction and nothing here is a matter of rounding.
  private func side(of point: SurfacePoint, at vertex: SurfacePoint, among edges: [Int]) -> Double {
    let way = vertex.path(to: point)
    guard way.distance > 0 else { return 0 }
    var (least, isLeft) = (Double.infinity, false)
    for edge in edges {
      let segment = self.segment(edge)
      for (end, azimuth, leaves) in [
        (segment.start, segment.azimuths.start, true), (segment.end, segment.azimuths.end + 180, false),
      ] where end.vector == vertex.vector {
        // The frames of equal places may differ at a pole: each longitude has its own.
        let turned = (azimuth - way.azimuth1 + (vertex.longitude - end.longitude) * poleTurn(vertex))
        let clockwise = turned.remainder(dividingBy: 360)
        let angle = clockwise < 0 ? clockwise + 360 : clockwise
        if angle < least { (least, isLeft) = (angle, leaves) }
      }
    }
    return isLeft ? way.distance : -way.distance
  }

  /// By how much the azimuth of one direction changes with the longitude that a pole is given.
  private func poleTurn(_ vertex: SurfacePoint) -> Double {
    vertex.latitude == 90 ? 1 : (vertex.latitude == -90 ? -1 : 0)
  }

  /// The edges that may be nearest to a point.
  private func candidates(near point: EarthVector) -> [Candidate] {
    var found: [Candidate] = []
    var least = Double.infinity
    var limit = Double.infinity
    func visit(_ level: Int, _ index: Int) {
      if level < 0 {
        guard isEdge(index) else { return }
        let chord = Chord(vertices[index].vector, vertices[index + 1].vector).distance(to: point)
        let sagitta = self.sagitta(index)
        if chord - sagitta <= limit {
          found.append(Candidate(edge: index, chord: chord - sagitta))
          if chord + sagitta < least {
            least = chord + sagitta
            limit = ShapeLine.widened(least)
          }
        }
        return
      }
      let first = index * ShapeLine.fanOut
      if level == 0 {
        for edge in first..<min(first + ShapeLine.fanOut, vertices.count - 1) { visit(-1, edge) }
        return
      }
      // Nearer balls first: the limit falls sooner.
      let below = levels[level - 1]
      let children = (first..<min(first + ShapeLine.fanOut, below.count))
        .map { ($0, below[$0].distance(to: point)) }.sorted { $0.1 < $1.1 }
      for (child, distance) in children where distance <= limit { visit(level - 1, child) }
    }
    if !levels.isEmpty && !levels[0].isEmpty { visit(levels.count - 1, 0) }
    return found.filter { $0.chord <= limit }
  }

  /// What may have a chord longer than `chord` and yet be nearer along the surface has a chord below this: chords of one
  /// distance differ by the ellipsoid's curvatures, `DistanceBounds`.
  private static func widened(_ chord: Double) -> Double {
    if chord <= ChordThreshold.near {
      return chord + chord * (chord * chord) * (1.01 * ChordThreshold.bend) + 1e-5
    }
    return chord < 1.1e7 ? chord * 1.01 : .infinity
  }

  /// A ball in space, in single precision, rounded outwards.
  private struct Ball: Sendable {
    var x, y, z, reach: Float

    init(centre: EarthVector, reach: Double) {
      (x, y, z) = (Float(centre.x), Float(centre.y), Float(centre.z))
      self.reach = Float(reach + 1).nextUp
    }

    init(around balls: ContiguousArray<Ball>.SubSequence) {
      var centre = EarthVector(x: 0, y: 0, z: 0)
      for ball in balls { centre = centre + ball.centre }
      centre = centre / Double(balls.count)
      let reach = balls.reduce(0) { max($0, ($1.centre - centre).length + Double($1.reach)) }
      self.init(centre: centre, reach: reach)
    }

    var centre: EarthVector { EarthVector(x: Double(x), y: Double(y), z: Double(z)) }

    func distance(to point: EarthVector) -> Double { (point - centre).length - Double(reach) }
  }
}

/// The place of a line that is nearest to a point.
public struct LineFoot: Sendable {
  /// Number of the edge it is on.
  public var edge: Int
  /// Geodesic distance of the point, metres; infinite when there is no edge.
  public var distance: Double
  /// Where it is.
  public var place: SurfacePoint
  /// Whether it is between the ends of the edge.
  public var isInner: Bool
  /// Positive when the point is to the left of the line, negative to the right, 0 on it.
  public var side: Double

  init(edge: Int, foot: SegmentFoot?) {
    self.edge = edge
    distance = foot?.distance ?? .infinity
    place = foot?.place ?? SurfacePoint(latitude: 0, longitude: 0)
    isInner = foot?.isInner ?? true
    side = foot?.side ?? 0
  }
}
