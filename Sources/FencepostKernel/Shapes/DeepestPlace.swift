/// The point inside a polygon that is farthest from the polygon's boundary: the centre of the largest inscribed circle.
///
/// The largest inscribed circle touches the line from the left, along an edge or at a corner that points inwards. The
/// circle is found by a branch-and-bound search over all points of the boundary and over all directions at its corners.
/// If an edge limits the radii of the circles at two contacts, the larger of these two radii is also a limit for every
/// circle between the two contacts: among the touching circles of one radius, those that meet a convex set form one
/// interval. The amount of work grows with the number of edges, but not with the length of thin parts.
struct DeepestPlace {
  /// The relative error that the search allows: no point is deeper than the found point by more than this fraction. The
  /// rest of the permitted 1 % covers the difference between the ellipsoid and a sphere.
  static var tolerance: Double { 0.006 }
  /// Edges are processed in pieces of at most this length, in metres; within a piece, the Earth is treated as a sphere,
  /// and geodesics are treated as great circles.
  static var longestEdge: Double { 200_000 }
  /// The amount of work after which a search ends: opening a node of the tree counts 1, and a circle counts 8. If the
  /// search ends before this limit, the depth of the found point is at most 1 % less than the greatest depth. If this
  /// limit ends the search, the depth of the found point may be more than 1 % less than the greatest depth.
  static func budget(vertices: Int) -> Int { 8_000_000 + 40 * vertices }
  /// A search tries at least this many circles, spread over the line, before its budget can end it.
  private static var spread: Int { 200 }
  /// The radius of the largest circle that is searched for, in metres; an inward buffer cannot be larger.
  static var largest: Double { 8_000_000 }

  private let line: ShapeLine
  /// The line, divided into short pieces.
  private let pieces: ShapeLine
  private let buffer: Double
  private var depth = -Double.infinity
  private var place: SurfacePoint
  /// The priority queue of `stretches`; it holds their indices, because a `Stretch` is too large to move.
  private var queue = BinaryHeap<Rank>()
  private var stretches: ContiguousArray<Stretch> = []
  /// R tan(r/R), where r is the radius of the largest circle that is searched for.
  private let largestTangent: Double
  /// The last corner whose contacts were added to the search, between the edges `edge` and `next`; `stop` is the
  /// largest circle at the last contact of this corner.
  private var carried: (edge: Int, next: Int, stop: Stop)?
  /// For each vertex of `pieces` at which more than two edges meet, the numbers of all vertices at the same position.
  private let crowded: [Int: [Int]]
  /// The edge that stopped the last circle; the same edge often stops the next circle too.
  private var lastBlocker = -1
  /// The number of tree nodes opened and the number of circles grown, as measures of the work.
  private var opened = 0
  private var grown = 0
  /// The amount of work after which the search ends.
  private let budget: Int
  /// The search ends as soon as it reaches this depth, which an earlier search found.
  private let known: Double
  /// The first edge whose contacts have not been searched.
  private var nextEdge = 0
  /// The number of times that the search may still divide a `Stretch`. The initial number is larger than the number of
  /// divisions that any line needs. If no more divisions are allowed, the deepest point is only a little deeper than
  /// the point found so far.
  private var left: Int

  /// All contacts between two given contacts, along an edge or around a corner.
  private struct Stretch {
    var edge: Int
    /// True if all contacts are at the end of the edge, in different directions; false if they lie along the edge.
    var isCorner: Bool
    var from, to: Double
    /// The largest circle at the first contact, and the largest circle at the last contact.
    var first, last: Stop
    /// An upper bound, in metres, of the radii of the circles at all contacts from `first` to `last`.
    var bound: Double
  }

  /// The position of a `Stretch` in the queue: the stretch with the largest `bound` comes first.
  private struct Rank {
    var bound: Double
    var edge: Int
    var from: Double
    var number: Int

    @inline(__always)
    func precedes(_ other: Rank) -> Bool {
      bound != other.bound ? bound > other.bound : (edge, from) < (other.edge, other.from)
    }
  }

  /// The largest circle at a contact: `tangent` is an upper bound of R tan(r/R) for its radius r, and `blocker` is the
  /// edge that limits the radius.
  private struct Stop {
    var contact: InscribedCircle.Contact
    var tangent: Double
    var blocker: Int
  }

  /// - Parameters:
  ///   - known: The depth that an earlier search found. The search ends as soon as it reaches the depth `known`, and
  ///     exceeds its budget if that is necessary to reach this depth.
  ///   - budget: The maximum amount of work; `nil` selects the usual maximum.
  /// - Returns: The deepest point that was found, its depth (the negative of the signed distance D, above 0), the
  ///   number of tree nodes that were opened, and whether the search ended because of its budget; `nil` if the buffered
  ///   polygon is empty.
  static func find(
    _ line: ShapeLine, buffer: Double, known: Double? = nil, budget: Int? = nil
  ) -> (place: SurfacePoint, depth: Double, opened: Int, isCutShort: Bool)? {
    var search = DeepestPlace(line, buffer, known, budget)
    let isCutShort = search.run()
    if isCutShort, !search.isDeepEnough, known != nil {
      // An earlier version, whose search had no budget, may have found the depth `known`; repeat the search without a
      // budget.
      search = DeepestPlace(line, buffer, known, .max)
      _ = search.run()
    }
    let depth = search.depth + buffer
    return depth > 0 ? (search.place, depth, search.opened, isCutShort) : nil
  }

  private init(_ line: ShapeLine, _ buffer: Double, _ known: Double?, _ budget: Int?) {
    self.line = line
    self.buffer = buffer
    self.known = known ?? .infinity
    self.budget = budget ?? DeepestPlace.budget(vertices: line.vertices.count)
    pieces = line.cut(DeepestPlace.longestEdge)
    crowded = line.touchesItself ? pieces.crowdedVertices : [:]
    left = 200 * pieces.vertices.count + 10_000
    place = line.place(0)
    // Search for a little more depth than requested, so that the depth found is at least the requested depth. If the
    // buffer is wider than the requested depth, every place inside is deep enough.
    largestTangent = InscribedCircle.tangent(
      ofRadius: max(1, min(GeodesicShape.greatestDepth * 1.01 - buffer, DeepestPlace.largest)))
  }

  /// - Returns: Whether the search ended because of its budget.
  private mutating func run() -> Bool {
    // Try a few good places first, so that the search can drop smaller circles early.
    tryMiddle()
    tryPlaces(12)
    search()
    guard isSpent else { return false }
    if !isDeepEnough { tryPlaces(DeepestPlace.spread) }
    return true
  }

  /// Grows circles that touch the line at the middles of edges; these edges are spread over the line.
  private mutating func tryPlaces(_ places: Int) {
    let count = pieces.vertices.count - 1
    for edge in stride(from: 0, to: count, by: max(1, count / places)) where pieces.isEdge(edge) {
      _ = stop(edge, isCorner: false, at: 0.5)
    }
  }

  private mutating func search() {
    let count = pieces.vertices.count - 1
    while nextEdge < count {
      if isDeepEnough || isSpent { return }
      if pieces.isEdge(nextEdge) { begin(nextEdge) }
      nextEdge += 1
    }
    while let next = queue.first, next.bound > worthwhile, !isDeepEnough, !isSpent, left > 0 {
      queue.removeFirst { $0.precedes($1) }
      left -= 1
      let stretch = stretches[next.number]
      let middle = stretch.from + (stretch.to - stretch.from) / 2
      guard middle > stretch.from, middle < stretch.to else { continue }
      let hints = (stretch.first.blocker, stretch.last.blocker)
      let stop = stop(
        stretch.edge, to: stretch.first.contact.other, isCorner: stretch.isCorner, at: middle, hints)
      var (first, second) = (stretch, stretch)
      (first.to, first.last, second.from, second.first) = (middle, stop, middle, stop)
      insert(first)
      insert(second)
    }
  }

  private var isSpent: Bool { opened + 8 * grown > budget }

  /// Tries the mean of the vertices, which is deep inside a round shape.
  private mutating func tryMiddle() {
    let sum = line.vertices.reduce(EarthVector(x: 0, y: 0, z: 0)) { $0 + $1 }
    let middle = sum / Double(max(line.vertices.count, 1))
    if middle.length > 1e6 { look(at: middle.onSurface) }
  }

  /// Records the point if it is deeper than every point tried before.
  private mutating func look(at vector: EarthVector) {
    let (latitude, longitude) = vector.position
    let centre = SurfacePoint(latitude: latitude, longitude: GivenRing.reduced(longitude))
    let foot = line.nearest(to: centre)
    if foot.side > 0, foot.distance > depth { (depth, place) = (foot.distance, centre) }
  }

  private var isDeepEnough: Bool { depth + buffer >= min(GeodesicShape.greatestDepth, known) }

  /// The smallest radius worth searching for, in metres.
  private var worthwhile: Double {
    let found = depth + buffer
    return found > 0 ? depth + found * DeepestPlace.tolerance : max(-buffer, depth, 0)
  }

  /// Adds to the search all contacts along an edge. If the corner at the end of the edge points inwards, adds the
  /// contacts around this corner too.
  private mutating func begin(_ edge: Int) {
    let (before, after) = (pieces.preceding(edge), next(edge))
    let first: Stop
    if let carried, carried.edge == before, carried.next == edge {
      // The corner before this edge ended with a contact at the start of this edge; reuse this contact.
      first = Stop(
        contact: pieces.contact(on: edge, 0), tangent: carried.stop.tangent, blocker: carried.stop.blocker)
    } else if before >= 0, !pieces.pointsInwards(after: before, edge) {
      first = Stop(contact: pieces.contact(on: edge, 0), tangent: 0, blocker: before)
    } else {
      first = stop(edge, isCorner: false, at: 0, (after, lastBlocker))
    }
    let turnsRight = after >= 0 && pieces.pointsInwards(after: edge, after)
    let last =
      after >= 0 && !turnsRight
      ? Stop(contact: pieces.contact(on: edge, 1), tangent: 0, blocker: after)
      : stop(edge, isCorner: false, at: 1, (before, lastBlocker))
    insert(Stretch(edge: edge, isCorner: false, from: 0, to: 1, first: first, last: last, bound: .infinity))
    carried = nil
    if turnsRight {
      var around = last
      around.contact.other = after
      let end = stop(edge, to: after, isCorner: true, at: 1, (last.blocker, pieces.following(after)))
      insert(Stretch(edge: edge, isCorner: true, from: 0, to: 1, first: around, last: end, bound: .infinity))
      carried = (edge, after, end)
    }
  }

  /// Returns the edge that follows a given edge on the boundary of the same part of the polygon. Where rings touch, the
  /// result is not the next edge of the ring, but the first edge reached when turning clockwise from the reverse of the
  /// given edge's direction.
  ///
  /// With the next edge of the ring instead, circles around the corner could grow out of the polygon.
  @inline(never)
  private func next(_ edge: Int) -> Int {
    let following = pieces.following(edge)
    guard following >= 0, let group = crowded[edge + 1] else { return following }
    let place = pieces.vertices[edge + 1]
    let back = pieces.vertices[edge] - place
    let right = back.cross(place.scaled / place.scaled.length)
    var (least, next) = (Double.infinity, following)
    for vertex in group {
      for other in [vertex, vertex - 1] where other >= 0 && other != edge && pieces.isEdge(other) {
        let way = pieces.vertices[other == vertex ? vertex + 1 : other] - place
        let turned = Trigonometry.atan2(way.dot(right), way.dot(back))
        let angle = turned < 0 ? turned + 2 * Double.pi : turned
        if angle < least { (least, next) = (angle, other == vertex ? other : following) }
      }
    }
    return next
  }

  private mutating func insert(_ stretch: Stretch) {
    var stretch = stretch
    // Two edges limit the circles at the ends of the stretch; both edges also limit every circle between these ends.
    let byFirst = max(stretch.first.tangent, tangent(stretch.last.contact, stretch.first.blocker))
    stretch.bound = min(stretch.bound, InscribedCircle.radius(ofTangent: byFirst))
    guard stretch.bound > worthwhile else { return }
    let byLast = max(stretch.last.tangent, tangent(stretch.first.contact, stretch.last.blocker))
    stretch.bound = min(stretch.bound, InscribedCircle.radius(ofTangent: byLast))
    guard stretch.bound > worthwhile else { return }
    let rank = Rank(bound: stretch.bound, edge: stretch.edge, from: stretch.from, number: stretches.count)
    stretches.append(stretch)
    queue.insert(rank) { $0.precedes($1) }
  }

  private func tangent(_ contact: InscribedCircle.Contact, _ blocker: Int) -> Double {
    blocker < 0 || contact.isOn(blocker)
      ? .infinity : InscribedCircle.tangent(at: contact, stoppedBy: blocker, of: pieces)
  }

  /// Grows a circle, and records it if it is the deepest so far.
  private mutating func stop(
    _ edge: Int, to next: Int = -1, isCorner: Bool, at part: Double, _ hints: (Int, Int)? = nil
  ) -> Stop {
    let contact = isCorner ? pieces.contact(aroundEndOf: edge, to: next, part) : pieces.contact(on: edge, part)
    let enough = min(InscribedCircle.tangent(ofRadius: worthwhile), largestTangent)
    let circle = InscribedCircle.largest(
      at: contact, in: pieces, from: largestTangent, enough: enough,
      hints: hints.map { ($0.0, $0.1, lastBlocker) } ?? (lastBlocker, -1, -1))
    opened += circle.opened
    grown += 1
    lastBlocker = circle.blocker
    if circle.tangent > enough { look(at: circle.centre) }
    return Stop(contact: contact, tangent: circle.tangent, blocker: circle.blocker)
  }
}

extension InscribedCircle {
  static func tangent(ofRadius radius: Double) -> Double {
    let small = min(radius, 1e4)
    if radius < 1e4 { return small * (1 + small * small / (3 * earthRadius * earthRadius)) }
    let angle = Trigonometry.sincos(min(radius, DeepestPlace.largest) / earthRadius)
    return earthRadius * angle.sine / angle.cosine
  }
}

extension ShapeLine {
  /// Returns this line with extra points on edges longer than `length`, and without vertices that are within a
  /// micrometre of the previous vertex, because an edge that short has no direction.
  func cut(_ length: Double) -> ShapeLine {
    let isLong = { (edge: Int) in
      isEdge(edge) && vertices[edge].squaredChord(to: vertices[edge + 1]) > length * length
    }
    let areOne = { (first: Int, second: Int) in vertices[first].squaredChord(to: vertices[second]) < 1e-12 }
    guard vertices.indices.contains(where: { isLong($0) || (isEdge($0) && areOne($0, $0 + 1)) }) else { return self }
    var chains: [[SurfacePoint]] = []
    for number in starts.indices {
      let (start, end) = (starts[number], number + 1 < starts.count ? starts[number + 1] : vertices.count)
      // Pairs of a vertex and the edge that leads to it.
      var kept = [(vertex: start, edge: start)]
      for index in start + 1..<max(end, start + 1) where !areOne(kept[kept.count - 1].vertex, index) {
        kept.append((index, index - 1))
      }
      // Keep the last vertex of a chain, because it may also be the first vertex.
      if kept.count > 1 { kept[kept.count - 1].vertex = end - 1 }
      // If fewer than four vertices would remain, keep all vertices of the chain: no ring has fewer than four.
      if kept.count < 4 { kept = (start..<end).map { ($0, max($0 - 1, start)) } }
      var chain: [SurfacePoint] = [place(start)]
      for (vertex, edge) in kept.dropFirst() {
        if isLong(edge) {
          let segment = segment(edge)
          let pieces = Int((segment.length / length).roundedUp)
          for piece in 1..<max(pieces, 1) {
            chain.append(segment.point(segment.length * Double(piece) / Double(pieces)).place)
          }
        }
        chain.append(place(vertex))
      }
      if chain.count > 1 { chains.append(chain) }
    }
    return ShapeLine(chains: chains)
  }

  /// The contact of a circle that touches an edge from the left.
  func contact(on edge: Int, _ part: Double) -> InscribedCircle.Contact {
    let (start, end) = (vertices[edge], vertices[edge + 1])
    let along = end - start
    var place = part <= 0 ? start : (part >= 1 ? end : start + along * part)
    if part > 0, part < 1 {
      let normal = place.scaled
      let sagitta = along.dot(along) * (part * (1 - part)) / (2 * InscribedCircle.earthRadius)
      place = place + normal * (sagitta / normal.length)
    }
    let left = place.scaled.cross(along)
    return InscribedCircle.Contact(place: place, inwards: left / left.length, edge: edge)
  }

  /// The contact of a circle that touches the line at the end of an edge, where the line turns right. For `part` from 0
  /// to 1, the contact's direction turns from the left of the edge to the left of the next edge.
  func contact(aroundEndOf edge: Int, to next: Int, _ part: Double) -> InscribedCircle.Contact {
    let place = vertices[edge + 1]
    let up = place.scaled / place.scaled.length
    let (first, last) = (left(of: edge, at: place), left(of: next, at: place))
    let turn = Trigonometry.atan2(first.cross(last).dot(up) * -1, first.dot(last))
    let angle = Trigonometry.sincos(turn * part)
    let inwards = first * angle.cosine + first.cross(up) * angle.sine
    return InscribedCircle.Contact(
      place: place, inwards: inwards / inwards.length, edge: edge, other: next)
  }

  /// Whether the line turns right from one edge to the next.
  func pointsInwards(after edge: Int, _ next: Int) -> Bool {
    let (before, after) = (vertices[edge + 1] - vertices[edge], vertices[next + 1] - vertices[next])
    let turn = before.cross(after).dot(vertices[edge + 1].scaled)
    return turn < -1e-9 * (before.dot(before) * after.dot(after)).squareRoot() * Ellipsoid.polarRadius
  }

  private func left(of edge: Int, at place: EarthVector) -> EarthVector {
    let left = place.scaled.cross(vertices[edge + 1] - vertices[edge])
    return left / left.length
  }
}
