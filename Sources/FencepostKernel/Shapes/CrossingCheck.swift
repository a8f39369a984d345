/// Finds edges that cross or lie upon each other, exactly to a micrometre.
///
/// What is no deeper than `tolerance` is contact. Where edges meet, whether in a common vertex or in a vertex of one on the
/// other, they may touch but not change sides: around the place, edges that leave and edges that arrive must alternate,
/// since each has the polygon to its left.
struct CrossingCheck {
  /// Metres.
  static var tolerance: Double { 1e-6 }

  private let line: ShapeLine
  private let places: ContiguousArray<ShapeDefect.Place>
  /// Ends of edges that meet other edges within their length, with the edge that is met.
  private var touches: [(vertex: Int, edge: Int)] = []
  /// Whether edges meet elsewhere than one after the other.
  private var touchesItself = false

  /// - Parameters:
  ///   - line: chains that run with the polygon to their left.
  ///   - places: of each edge of the line, where it was given.
  /// - Returns: whether edges touch elsewhere than one after the other in a chain.
  @discardableResult
  static func run(_ line: ShapeLine, _ places: ContiguousArray<ShapeDefect.Place>) throws(ShapeDefect) -> Bool {
    var check = CrossingCheck(line: line, places: places)
    try check.lookAtPairs()
    try check.lookAtVertices()
    return check.touchesItself
  }

  private init(line: ShapeLine, places: ContiguousArray<ShapeDefect.Place>) {
    self.line = line
    self.places = places
  }

  private mutating func lookAtPairs() throws(ShapeDefect) {
    let line = line
    try line.forEachNearPair(within: 2 * CrossingCheck.tolerance) { (one, other) throws(ShapeDefect) in
      try look(one, other)
    }
  }

  private mutating func look(_ one: Int, _ other: Int) throws(ShapeDefect) {
    if meetWidely(one, other) { return }
    let tolerance = CrossingCheck.tolerance
    let (first, second) = (line.segment(one), line.segment(other))
    // Each end, and where it is nearest to the other edge.
    let ends = [
      (one, first.start, other, second.foot(of: first.start)), (one + 1, first.end, other, second.foot(of: first.end)),
      (other, second.start, one, first.foot(of: second.start)),
      (other + 1, second.end, one, first.foot(of: second.end)),
    ]
    let near = ends.filter { $0.3.distance <= tolerance }
    // Two ends that touch at different places: what is between them is shared.
    for (index, end) in near.enumerated() {
      for another in near[(index + 1)...]
      where end.1.vector.squaredChord(to: another.1.vector) > 4 * tolerance * tolerance {
        throw defect(.overlap, one, other, at: end.1)
      }
    }
    if near.isEmpty {
      if crosses(first, second) && crosses(second, first) {
        throw defect(.crossing, one, other, at: ends.min { $0.3.distance < $1.3.distance }!.3.place)
      }
      return
    }
    if line.following(one) != other, line.following(other) != one { touchesItself = true }
    // In an end of the other edge they meet as vertices do.
    for end in near
    where end.3.along > tolerance && end.3.along < (end.2 == one ? first : second).length - tolerance {
      touches.append((end.0, end.2))
    }
  }

  /// Whether two edges only have a vertex in common, from which they lead apart: what nearly all pairs are.
  private func meetWidely(_ one: Int, _ other: Int) -> Bool {
    let vertices = line.vertices
    for (tip, from) in [(one, one + 1), (one + 1, one)] {
      for (otherTip, otherFrom) in [(other, other + 1), (other + 1, other)]
      where vertices[tip] == vertices[otherTip] {
        let a = vertices[from] - vertices[tip]
        let b = vertices[otherFrom] - vertices[otherTip]
        let (sizeA, sizeB) = (a.length, b.length)
        // Chords of edges below 100 km leave their geodesics by less than 0.5°, below 1 000 km by 4.5°.
        let alike = max(sizeA, sizeB) < 1e5 ? 0.999 : 0.9
        return sizeA < 1e6 && sizeB < 1e6 && min(sizeA, sizeB) > 1e-3 && a.dot(b) < alike * sizeA * sizeB
      }
    }
    return false
  }

  /// Whether the ends of a segment are on different sides of the geodesic through another.
  private func crosses(_ segment: GeodesicSegment, _ other: GeodesicSegment) -> Bool {
    isLeft(segment.start, of: other) != isLeft(segment.end, of: other)
  }

  /// The side of the whole geodesic; beside the segment that of its nearest place.
  private func isLeft(_ point: SurfacePoint, of segment: GeodesicSegment) -> Bool {
    let foot = segment.foot(of: point)
    if foot.isInner { return foot.side > 0 }
    let (from, azimuth) =
      foot.along == 0 ? (segment.start, segment.azimuths.start) : (segment.end, segment.azimuths.end)
    return Trigonometry.sincosDegrees(from.path(to: point).azimuth1 - azimuth).sine < 0
  }

  /// Directions around each place where more than two edges meet.
  private mutating func lookAtVertices() throws(ShapeDefect) {
    // Ends at the same place, by sorting: the order is that of the numbers, the same on every machine.
    let vertices = line.vertices
    let order = vertices.indices.sorted { a, b in
      let (p, q) = (vertices[a], vertices[b])
      return p.x != q.x ? p.x < q.x : (p.y, p.z, a) < (q.y, q.z, b)
    }
    let touched = Set(touches.map(\.vertex))
    var first = 0
    while first < order.count {
      var last = first + 1
      while last < order.count, vertices[order[last]] == vertices[order[first]] { last += 1 }
      // Two numbers are the start and the end of one closed chain, or one chain goes on where another ends.
      let isPlain = last - first == 1 || (last - first == 2 && !isCrowded(order[first], order[last - 1]))
      if !isPlain || (!touched.isEmpty && order[first..<last].contains(where: touched.contains)) {
        touchesItself = true
        let group = Array(order[first..<last])
        try lookAround(group, touches.filter { group.contains($0.vertex) }.map(\.edge))
      }
      first = last
    }
  }

  /// Whether two numbers of one vertex have more than two edges.
  private func isCrowded(_ one: Int, _ other: Int) -> Bool {
    let ends = [one, other].reduce(0) { sum, vertex in
      sum + (line.isEdge(vertex) ? 1 : 0) + (vertex > 0 && line.isEdge(vertex - 1) ? 1 : 0)
    }
    return ends > 2
  }

  private func lookAround(_ group: [Int], _ passing: [Int]) throws(ShapeDefect) {
    let centre = line.place(group[0])
    var directions: [(azimuth: Double, leaves: Bool, edge: Int)] = []
    for vertex in group {
      if line.isEdge(vertex) {
        directions.append((azimuth(from: centre, to: line.place(vertex + 1)), true, vertex))
      }
      if vertex > 0, line.isEdge(vertex - 1) {
        directions.append((azimuth(from: centre, to: line.place(vertex - 1)), false, vertex - 1))
      }
    }
    for edge in Set(passing).sorted() {
      directions.append((azimuth(from: centre, to: line.place(edge + 1)), true, edge))
      directions.append((azimuth(from: centre, to: line.place(edge)), false, edge))
    }
    guard directions.count > 2 else { return }
    directions.sort { ($0.azimuth, $0.edge) < ($1.azimuth, $1.edge) }
    for (index, one) in directions.enumerated() {
      let next = directions[(index + 1) % directions.count]
      if one.leaves == next.leaves {
        throw defect(.crossing, one.edge, next.edge, at: centre)
      }
    }
  }

  /// The lesser of the two places as they were given comes first.
  private func defect(
    _ reason: ShapeDefect.Reason, _ one: Int, _ other: Int, at point: SurfacePoint
  ) -> ShapeDefect {
    let (a, b) = (places[one], places[other])
    let isFirst = (a.part, a.ring, a.edge) <= (b.part, b.ring, b.edge)
    return ShapeDefect(reason, isFirst ? a : b, meets: isFirst ? b : a, at: point)
  }

  private func azimuth(from centre: SurfacePoint, to point: SurfacePoint) -> Double {
    centre.path(to: point).azimuth1
  }
}
