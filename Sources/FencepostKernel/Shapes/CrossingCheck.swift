/// Finds edges that cross or overlap, exact to a micrometre.
///
/// Edges that overlap by at most `tolerance` only touch. Where edges meet, whether at a common vertex or where a vertex
/// of one edge lies on another edge, they may touch but not change sides. Around such a place, edges that leave and
/// edges that arrive must alternate, because each edge has the polygon to its left.
struct CrossingCheck {
  /// Metres.
  static var tolerance: Double { 1e-6 }

  private let line: ShapeLine
  private let places: ContiguousArray<ShapeDefect.Place>
  /// Ends of edges that lie on another edge, between the ends of that edge; each comes with the number of the other
  /// edge.
  private var touches: [(vertex: Int, edge: Int)] = []
  /// Vertices that coincide within the tolerance.
  private var meetings: [(Int, Int)] = []
  /// The edges as they are drawn on the map, if the map decides what crosses.
  private let drawn: DrawnEdges?
  /// Edges whose geodesics cross although the edges do not cross on the map.
  private(set) var divisible: [(Int, Int)] = []
  /// Whether edges meet anywhere except at a vertex that two neighbouring edges share.
  private(set) var touchesItself = false
  /// A place where two rings touch without crossing but cannot both have the polygon to their left. This is a defect;
  /// it is reported unless a more specific defect is found.
  private(set) var suspect: ShapeDefect?

  /// - Parameters:
  ///   - line: Chains of edges that have the polygon to their left.
  ///   - places: For each edge of the line, its place in the definition.
  ///   - drawn: The edges as they are drawn on the map, if the map decides what crosses; `nil` if the geodesics decide.
  @discardableResult
  static func run(
    _ line: ShapeLine, _ places: ContiguousArray<ShapeDefect.Place>, drawn: DrawnEdges? = nil
  ) throws(ShapeDefect) -> CrossingCheck {
    var check = CrossingCheck(line: line, places: places, drawn: drawn)
    try check.lookAtPairs()
    try check.lookAtVertices()
    return check
  }

  private init(line: ShapeLine, places: ContiguousArray<ShapeDefect.Place>, drawn: DrawnEdges?) {
    self.line = line
    self.places = places
    self.drawn = drawn
  }

  private mutating func lookAtPairs() throws(ShapeDefect) {
    let line = line
    if let pairs = try line.nearPairsByPieces(within: 2 * CrossingCheck.tolerance) {
      for (one, other) in pairs { try look(one, other) }
      return
    }
    try line.forEachNearPair(within: 2 * CrossingCheck.tolerance) { (one, other) throws(ShapeDefect) in
      try look(one, other)
    }
  }

  private mutating func look(_ one: Int, _ other: Int) throws(ShapeDefect) {
    if meetWidely(one, other) { return }
    let tolerance = CrossingCheck.tolerance
    let (first, second) = (line.segment(one), line.segment(other))
    // Pairs each end of an edge with the nearest point on the other edge.
    let ends = [
      (one, first.start, other, second.foot(of: first.start)), (one + 1, first.end, other, second.foot(of: first.end)),
      (other, second.start, one, first.foot(of: second.start)),
      (other + 1, second.end, one, first.foot(of: second.end)),
    ]
    let near = ends.filter { $0.3.distance <= tolerance }
    // If two of the four ends touch the other edge, at different places, the two edges overlap between these places.
    for (index, end) in near.enumerated() {
      for another in near[(index + 1)...]
      where end.1.vector.squaredChord(to: another.1.vector) > 4 * tolerance * tolerance {
        throw defect(.overlap, one, other, at: end.1)
      }
    }
    if near.isEmpty {
      if crosses(first, second) && crosses(second, first) {
        let place = crossing(of: first, second)
        // If one edge has an end that is antipodal to an end of the other edge, that end lies on the other edge's
        // extended geodesic, just as both poles lie on every meridian. Such an end is on neither side of the other
        // edge. Edges with antipodal ends can seem to cross at a place where they are far apart.
        if second.foot(of: place).distance < 1 {
          if let drawn, mayBeDivided(one, other), !drawn.pair(one, other).cross {
            divisible.append((one, other))
          } else {
            throw defect(.crossing, one, other, at: place)
          }
        }
      }
      return
    }
    if line.following(one) != other, line.following(other) != one { touchesItself = true }
    // If the ends of two edges coincide, two vertices meet; this does not count as a touch.
    for end in near {
      let length = (end.2 == one ? first : second).length
      if end.3.along > tolerance && end.3.along < length - tolerance {
        touches.append((end.0, end.2))
      } else {
        meetings.append((end.0, end.3.along <= tolerance ? end.2 : end.2 + 1))
      }
    }
  }

  /// Whether two edges share only a vertex, from which they diverge; this is true of nearly all pairs.
  private func meetWidely(_ one: Int, _ other: Int) -> Bool {
    let (start, end) = (line.vertices[one], line.vertices[one + 1])
    let (otherStart, otherEnd) = (line.vertices[other], line.vertices[other + 1])
    if start == otherStart { return leadApart(end - start, otherEnd - start, from: start) }
    if start == otherEnd { return leadApart(end - start, otherStart - start, from: start) }
    if end == otherStart { return leadApart(start - end, otherEnd - end, from: end) }
    if end == otherEnd { return leadApart(start - end, otherStart - end, from: end) }
    return false
  }

  /// Whether two edges shorter than 3 000 km leave a vertex in directions that certainly differ.
  ///
  /// Geodesics that start at a common point diverge. Let s be the length of an edge and R the radius of the Earth. The
  /// azimuth of an edge differs from that of the normal section through its chord by (e²/12) (s/R)² cos² φ sin 2α to
  /// leading order, and thus by at most 0.0006 (s/R)²; the bound used here is three times the sum of these values for
  /// both edges.
  private func leadApart(_ a: EarthVector, _ b: EarthVector, from tip: EarthVector) -> Bool {
    let (sizeA, sizeB) = (a.length, b.length)
    let (longer, shorter) = (max(sizeA, sizeB), min(sizeA, sizeB))
    guard longer < 3e6, shorter > 1e-3 else { return false }
    // The direction of a chord differs from that of its geodesic by less than 0.5° if the edge is shorter than 100 km,
    // and by less than 4.5° if the edge is shorter than 1000 km.
    let alike = longer < 1e5 ? 0.999 : 0.9
    if longer < 1e6, a.dot(b) < alike * sizeA * sizeB { return true }
    let up = tip.scaled
    let sine = a.cross(b).dot(up).magnitude / (sizeA * sizeB * up.length)
    let part = longer / Ellipsoid.smallestRadiusOfCurvature
    return sine > 0.004 * part * part && shorter * sine > 100 * CrossingCheck.tolerance
  }

  /// Whether the two ends of a segment are on different sides of the geodesic through another segment.
  private func crosses(_ segment: GeodesicSegment, _ other: GeodesicSegment) -> Bool {
    isLeft(segment.start, of: other) != isLeft(segment.end, of: other)
  }

  /// The point where one segment crosses another.
  private func crossing(of segment: GeodesicSegment, _ other: GeodesicSegment) -> SurfacePoint {
    let startsLeft = isLeft(segment.start, of: other)
    var (low, high) = (0.0, segment.length)
    while high - low > 1e-3 {
      let middle = low + (high - low) / 2
      if isLeft(segment.point(middle).place, of: other) == startsLeft { low = middle } else { high = middle }
    }
    return segment.point(low).place
  }

  /// The side of the segment on which a point lies; for a point beyond an end, the side relative to the segment's
  /// direction at that end.
  private func isLeft(_ point: SurfacePoint, of segment: GeodesicSegment) -> Bool {
    let foot = segment.foot(of: point)
    if foot.isInner { return foot.side > 0 }
    let (from, azimuth) =
      foot.along == 0 ? (segment.start, segment.azimuths.start) : (segment.end, segment.azimuths.end)
    return Trigonometry.sincosDegrees(from.path(to: point).azimuth1 - azimuth).sine < 0
  }

  /// The directions of the edges around each place where more than two edges meet.
  private mutating func lookAtVertices() throws(ShapeDefect) {
    // Sorting puts the vertices at one place next to each other. The sort compares coordinates, so the order is the
    // same on every machine.
    let vertices = line.vertices
    let order = line.vertexOrder
    var touched = [Int: [Int]]()
    for touch in touches { touched[touch.vertex, default: []].append(touch.edge) }
    // Vertices whose places are nearly but not exactly the same are examined together.
    var joined = Clusters()
    for (one, other) in meetings where vertices[one] != vertices[other] { joined.join(one, other) }
    var together = [Int: [Int]]()
    var first = 0
    while first < order.count {
      var last = first + 1
      while last < order.count, vertices[order[last]] == vertices[order[first]] { last += 1 }
      // Two vertex numbers at the same place are either the start and the end of a closed chain, or the end of one
      // chain and the start of another.
      let group = order[first..<last]
      let isPlain = !line.isCrowded(group)
      if let near = group.first(where: joined.contains) {
        for vertex in group where joined.contains(vertex) { joined.join(near, vertex) }
        together[joined.root(of: near), default: []] += group
      } else if !isPlain || (!touched.isEmpty && group.contains { touched[$0] != nil }) {
        touchesItself = true
        let members = Array(group)
        try lookAround(members, CrossingCheck.edges(passing: members, touched))
      }
      first = last
    }
    // A later group may have joined two earlier groups.
    var clusters = [Int: [Int]]()
    for (root, group) in together { clusters[joined.root(of: root), default: []] += group }
    for root in clusters.keys.arranged() {
      let group = (clusters[root] ?? []).arranged()
      touchesItself = true
      try lookAround(group, CrossingCheck.edges(passing: group, touched))
    }
  }

  /// The edges that a vertex touches somewhere between their ends.
  @inline(never)
  private static func edges(passing group: [Int], _ touched: [Int: [Int]]) -> [Int] {
    var edges: [Int] = []
    for vertex in group { if let found = touched[vertex] { edges += found } }
    return edges
  }

  /// A direction in which an edge leads away from a place. A passage contains the number of the edge that leaves the
  /// place; if the passage is within an edge, it contains the complement of that edge's number.
  private struct Direction {
    var azimuth: Double
    var leaves: Bool
    var edge: Int
    var passage: Int?
  }

  private mutating func lookAround(_ group: [Int], _ passing: [Int]) throws(ShapeDefect) {
    let centre = line.place(group[0])
    let members = Set(group)
    var directions: [Direction] = []
    // The direction of each edge is measured at the edge's own vertex. An edge between two vertices at this place has
    // length 0 and therefore no direction.
    for vertex in group {
      if line.isEdge(vertex), !members.contains(vertex + 1) {
        directions.append(
          Direction(
            azimuth: azimuth(from: line.place(vertex), to: line.place(vertex + 1)), leaves: true, edge: vertex,
            passage: vertex))
      }
      if vertex > 0, line.isEdge(vertex - 1), !members.contains(vertex - 1) {
        var next = line.following(vertex - 1)
        while next >= 0, members.contains(next), members.contains(next + 1) { next = line.following(next) }
        directions.append(
          Direction(
            azimuth: azimuth(from: line.place(vertex), to: line.place(vertex - 1)), leaves: false, edge: vertex - 1,
            passage: next < 0 ? nil : next))
      }
    }
    for edge in Set(passing).arranged() {
      for (end, leaves) in [(edge + 1, true), (edge, false)] {
        directions.append(
          Direction(
            azimuth: azimuth(from: centre, to: line.place(end)), leaves: leaves, edge: edge, passage: ~edge))
      }
    }
    guard directions.count > 2 else { return }
    directions.arrange { ($0.azimuth, $0.edge) < ($1.azimuth, $1.edge) }
    let isInOrder = directions.indices.allSatisfy {
      directions[$0].leaves != directions[($0 + 1) % directions.count].leaves
    }
    if isInOrder { return }
    if let drawn, decideOnTheMap(directions, drawn) { return }
    let areInterleaved = CrossingCheck.interleave(directions)
    for (index, one) in directions.enumerated() {
      let next = directions[(index + 1) % directions.count]
      guard one.leaves == next.leaves else { continue }
      let found = defect(.crossing, one.edge, next.edge, at: centre)
      // Rings that touch without changing sides are nested wrongly: `RingNesting` reports the specific defect.
      if places[one.edge].isInRing(of: places[next.edge]) || areInterleaved { throw found }
      suspect = suspect ?? found
    }
  }

  /// True if the edges around a place alternately arrive and leave when drawn on the map, although their geodesics do
  /// not. If the edges alternate as drawn on the map, this function also records which edges to divide.
  private mutating func decideOnTheMap(_ directions: [Direction], _ drawn: DrawnEdges) -> Bool {
    if directions.contains(where: { drawn.isAtPole($0.edge) }) { return false }
    let passing = directions.filter { ($0.passage ?? 0) < 0 && $0.leaves }
    if !passing.isEmpty {
      // If an edge passes through this place without a vertex, the edge first gets a vertex here.
      let before = divisible.count
      for one in passing {
        for other in directions where other.edge != one.edge && mayBeDivided(one.edge, other.edge) {
          divisible.append((one.edge, other.edge))
        }
      }
      return divisible.count > before
    }
    var around = directions
    for index in around.indices {
      let way = drawn.direction(directions[index].edge, fromStart: directions[index].leaves)
      around[index].azimuth = Trigonometry.atan2Degrees(way.east, way.north)
    }
    around.arrange { ($0.azimuth, $0.edge) < ($1.azimuth, $1.edge) }
    guard around.indices.allSatisfy({ around[$0].leaves != around[($0 + 1) % around.count].leaves }) else {
      return false
    }
    for (index, one) in directions.enumerated() {
      let next = directions[(index + 1) % directions.count]
      if one.leaves == next.leaves { divisible.append((one.edge, next.edge)) }
    }
    return true
  }

  private func mayBeDivided(_ one: Int, _ other: Int) -> Bool {
    guard let drawn, !drawn.isAtPole(one), !drawn.isAtPole(other) else { return false }
    return max(line.chord(one).along.length, line.chord(other).along.length) > EdgeDivision.shortest
  }

  /// True if two passages through a place cross each other there, that is, if the ends of each passage are on different
  /// sides of the other.
  private static func interleave(_ directions: [Direction]) -> Bool {
    var counts = [Int: Int]()
    for direction in directions {
      // Where a seam was cancelled, a chain of edges may be open. The end of an open chain has no passage through this
      // place.
      guard let passage = direction.passage else { return true }
      counts[passage, default: 0] += 1
    }
    guard counts.values.allSatisfy({ $0 == 2 }) else { return true }
    // If passages do not interleave, they are nested like brackets: the passage that begins last ends first.
    var open: [Int] = []
    for direction in directions {
      let passage = direction.passage ?? 0
      if open.last == passage {
        open.removeLast()
      } else if counts[passage] == 2 {
        open.append(passage)
        counts[passage] = 1
      } else {
        return true
      }
    }
    return false
  }

  /// Reports the place of the edge that comes first in the definition, and the place of the other edge as `meets`.
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

extension ShapeLine {
  /// The numbers of the vertices, sorted by coordinates, so that the vertices of one place are consecutive; the order
  /// is the same on every machine.
  @inline(never)
  var vertexOrder: [Int] {
    vertices.indices.arranged { a, b in
      let (p, q) = (vertices[a], vertices[b])
      return p.x != q.x ? p.x < q.x : (p.y, p.z, a) < (q.y, q.z, b)
    }
  }

  /// Whether more than two edges meet at a place. A place is identified by the indices of the vertices that lie there.
  @inline(never)
  fileprivate func isCrowded(_ group: ArraySlice<Int>) -> Bool {
    // Two vertices at one place need not join more than two edges: they may be the start and the end of a closed chain,
    // or the end of one chain and the start of another.
    guard group.count > 1 else { return false }
    var ends = 0
    for vertex in group { ends += (isEdge(vertex) ? 1 : 0) + (vertex > 0 && isEdge(vertex - 1) ? 1 : 0) }
    return group.count > 2 || ends > 2
  }

  /// The vertices where more than two edges meet, each with the numbers of all vertices at its place.
  @inline(never)
  var crowdedVertices: [Int: [Int]] {
    let order = vertexOrder
    var crowded = [Int: [Int]]()
    var first = 0
    while first < order.count {
      var last = first + 1
      while last < order.count, vertices[order[last]] == vertices[order[first]] { last += 1 }
      if isCrowded(order[first..<last]) {
        for vertex in order[first..<last] { crowded[vertex] = Array(order[first..<last]) }
      }
      first = last
    }
    return crowded
  }
}

/// A partition of numbers into groups (Galler and Fischer, "An improved equivalence algorithm", Communications of the
/// ACM 7, 1964).
private struct Clusters {
  private var parents = [Int: Int]()

  func contains(_ number: Int) -> Bool { parents[number] != nil }

  func root(of number: Int) -> Int {
    var root = number
    while let parent = parents[root], parent != root { root = parent }
    return root
  }

  mutating func join(_ one: Int, _ other: Int) {
    for number in [one, other] where parents[number] == nil { parents[number] = number }
    let (a, b) = (root(of: one), root(of: other))
    parents[max(a, b)] = min(a, b)
  }
}
