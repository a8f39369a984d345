/// The few edges of a line that may be nearest to a point, found in single precision.
struct LineCandidates {
  /// The numbers of `count` edges, and the position of the nearest point on each chord.
  var edges = SIMD8<Int32>()
  var parts = SIMD8<Float>()
  private var leasts = SIMD8<Float>(repeating: .infinity)
  private(set) var count = 0
  /// Lower and upper bounds of the distance to the nearest chord, in metres.
  private(set) var least = Float.infinity
  private(set) var most = Float.infinity
  /// Whether there are more candidate edges than `edges` can contain.
  private(set) var isCrowded = false

  /// - Parameter point: A point near the surface.
  @inline(__always)
  init(_ line: ShapeLine, near point: EarthVector) {
    LineSearch.run(line, at: point) { take($0, &$1) }
    if !isCrowded { drop(beyond: LineCandidates.widened(most)) }
  }

  @inline(__always)
  private mutating func take(_ found: LineSearch.Found, _ search: inout LineSearch) {
    let slack = found.sagitta + search.rounding
    let near = found.chord - slack
    if near < least { least = near }
    if found.chord + slack < most {
      most = found.chord + slack
      search.limit = LineCandidates.widened(most)
    }
    if count == 8 { drop(beyond: search.limit) }
    append(found.edge, found.part, near)
  }

  @inline(__always)
  mutating func append(_ edge: Int, _ part: Float, _ near: Float) {
    if count == 8 {
      isCrowded = true
    } else {
      edges[count] = Int32(truncatingIfNeeded: edge)
      parts[count] = part
      leasts[count] = near
      count &+= 1
    }
  }

  /// Of two points, the one with the longer chord can be nearer along the surface. If the shorter chord is `most` and
  /// at most 20 km, the longer chord is at most this bound; see `ShapeLine.nearest(to:)`.
  static func widened(_ most: Float) -> Float { most + most * 0x1p-20 + 1e-3 }

  private mutating func drop(beyond limit: Float) {
    var kept = 0
    for index in 0..<count where leasts[index] <= limit {
      (edges[kept], parts[kept], leasts[kept]) = (edges[index], parts[index], leasts[index])
      kept &+= 1
    }
    count = kept
  }
}

extension ShapeLine {
  /// If the distance from a point to the line is longer than this, in metres, the point's side is always computed
  /// exactly.
  static var farthestPlainSide: Float { 20_000 }

  /// The side of the line on which a point lies, if the nearest chords decide it: 1 for left, −1 for right, 0 if the
  /// exact solution is needed.
  @inline(__always)
  func plainSide(of point: EarthVector, _ candidates: LineCandidates) -> Int {
    guard !candidates.isCrowded, candidates.count > 0, candidates.least > 0,
      candidates.most < ShapeLine.farthestPlainSide
    else { return 0 }
    var side = 0
    for index in 0..<candidates.count {
      let own = plainSide(of: point, Int(candidates.edges[index]), candidates.parts[index], Double(candidates.most))
      if own == 0 || own == -side { return 0 }
      side = own
    }
    return side
  }

  /// Returns on which side of the line a point lies, judged by one edge near the point: 1 for left, −1 for right, 0 if
  /// the exact solution is needed. This function and its callees are inlined into the caller, because passing a line
  /// would copy it.
  @inline(__always)
  func plainSide(of point: EarthVector, _ edge: Int, _ part: Float, _ distance: Double) -> Int {
    guard let own = offset(of: point, from: edge) else { return 0 }
    if part > 0 && part < 1 {
      // The point is so far to the side of the edge that the Earth's curvature does not matter.
      return own.magnitude > 0.5 * distance ? (own > 0 ? 1 : -1) : 0
    }
    let (arriving, leaving) = part <= 0 ? (preceding(edge), edge) : (edge, following(edge))
    guard arriving >= 0, leaving >= 0, !touchesItself,
      let other = offset(of: point, from: part <= 0 ? arriving : leaving)
    else { return 0 }
    guard min(own.magnitude, other.magnitude) > 1e-3 + 1e-4 * distance else { return 0 }
    if own > 0 && other > 0 { return 1 }
    if own < 0 && other < 0 { return -1 }
    // The point is to the left of one edge and to the right of the other. The point is outside if the corner turns
    // left, and inside if the corner turns right.
    let turn = chord(arriving).along.cross(chord(leaving).along).dot(vertices[leaving])
    return turn > 0 ? -1 : 1
  }

  /// How far a point is to the left of the great circle of a short edge, in metres.
  @inline(__always)
  private func offset(of point: EarthVector, from edge: Int) -> Double? {
    let start = vertices[edge]
    let along = vertices[edge &+ 1] - start
    guard along.dot(along) < ShortSegment.limit * ShortSegment.limit else { return nil }
    let left = start.scaled.cross(along)
    return left.dot(point - start) / left.length
  }

  /// The edge that starts where a given edge ends, in the same chain; −1 at the end of an open chain.
  @inline(__always)
  func following(_ edge: Int) -> Int { isEdge(edge &+ 1) ? edge &+ 1 : startOfChain(endingWith: edge) }

  private func startOfChain(endingWith edge: Int) -> Int {
    let start = starts[max(chains(startingBy: edge) - 1, 0)]
    return vertices[start] == vertices[edge &+ 1] ? start : -1
  }

  /// The number of chains that start at a vertex or before it.
  @inline(never)
  private func chains(startingBy vertex: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= vertex { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The edge that ends where a given edge starts, in the same chain; −1 at the start of an open chain.
  @inline(__always)
  func preceding(_ edge: Int) -> Int {
    edge > 0 && isEdge(edge &- 1) ? edge &- 1 : endOfChain(startingWith: edge)
  }

  private func endOfChain(startingWith edge: Int) -> Int {
    let next = chains(startingBy: edge)
    let last = (next < starts.count ? starts[next] : vertices.count) &- 2
    return vertices[last &+ 1] == vertices[edge] ? last : -1
  }
}
