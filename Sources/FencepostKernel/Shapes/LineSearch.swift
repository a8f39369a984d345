/// A walk over the edges of a line that may come within `limit` of a point.
///
/// The walk processes eight edges at once, in single precision, relative to the middle of the line. The results are
/// accurate to `rounding`; because chords give lower bounds of distances, the walk may examine unnecessary edges but
/// never misses an edge.
struct LineSearch {
  /// An upper bound of the error of a distance, in metres.
  let rounding: Float
  /// The largest chord of interest, in metres; the search reduces it whenever it finds a nearer edge.
  var limit = Float.infinity

  /// The square of a chord, multiplied by this factor, is the sagitta of the chord, as in `ShapeLine.sagitta`, rounded
  /// up.
  @inline(__always)
  private static var bend: Float { Float(1.02 / (8 * Ellipsoid.smallestRadiusOfCurvature)) }

  private let x, y, z: Float
  private let place: SIMD4<Float>
  private let count: Int
  private let stride: Int
  private let corners: UnsafeRawPointer
  /// `nil` if the line is a single chain.
  private let edgeBits: UnsafePointer<UInt8>?
  private let balls: UnsafePointer<ShapeLine.Ball>
  private let levels: ShapeLine.Levels

  /// An edge that may be within the limit.
  struct Found {
    var edge: Int
    /// The distance from the point to the edge's chord, and the largest distance of the edge from its chord, in metres.
    var chord: Float
    var sagitta: Float
    /// The position of the nearest point on the chord, from 0 at the chord's start to 1 at its end.
    var part: Float
  }

  /// Walks over the edges of a line, roughly in order of increasing distance from the point.
  ///
  /// - Parameter look: Receives each edge within the limit, and the search, whose `limit` it may reduce.
  @inline(__always)
  static func run(
    _ line: ShapeLine, at point: EarthVector, limit: Double = .infinity,
    _ look: (_ found: Found, _ search: inout LineSearch) -> Void
  ) {
    use(line, at: point) { search, top in
      search.limit = Float(limit).nextUp
      search.visit(top, 0, look)
    }
  }

  /// The edges that may be within `limit` metres of a point, roughly in order of increasing distance.
  ///
  /// Use this function where its allocation is unimportant: the library contains it once, but it contains a copy of
  /// `run` for each call.
  @inline(never)
  static func edges(of line: ShapeLine, at point: EarthVector, limit: Double) -> ContiguousArray<Int> {
    var edges: ContiguousArray<Int> = []
    run(line, at: point, limit: limit) { found, _ in edges.append(found.edge) }
    return edges
  }

  /// - Parameter body: Receives a search and the number of the highest level.
  @inline(__always)
  static func use(_ line: ShapeLine, at point: EarthVector, _ body: (_ search: inout LineSearch, _ top: Int) -> Void) {
    let top = line.levels.count &- 2
    guard top >= 0, !line.vertices.isEmpty else { return }
    line.corners.withUnsafeBufferPointer { corners in
      line.withEdgeBits { edgeBits in
        line.balls.withUnsafeBufferPointer { balls in
          guard let corners = corners.baseAddress, let balls = balls.baseAddress else { return }
          var search = LineSearch(line, point, corners, edgeBits, balls)
          body(&search, top)
        }
      }
    }
  }

  @inline(__always)
  private init(
    _ line: ShapeLine, _ point: EarthVector, _ corners: UnsafePointer<Float>, _ edgeBits: UnsafePointer<UInt8>?,
    _ balls: UnsafePointer<ShapeLine.Ball>
  ) {
    let apart = point - line.origin
    (x, y, z) = (Float(apart.x), Float(apart.y), Float(apart.z))
    place = SIMD4(x, y, z, 0)
    count = line.vertices.count
    stride = line.stride
    self.corners = UnsafeRawPointer(corners)
    self.edgeBits = edgeBits
    self.balls = balls
    levels = line.levels
    let reach = line.balls[line.balls.count &- 1].reach
    // The margin is 16 times the rounding error of the greatest length that can occur.
    rounding = (x.magnitude + y.magnitude + z.magnitude + reach) * 0x1p-20
  }

  private mutating func visit(_ level: Int, _ index: Int, _ look: (Found, inout LineSearch) -> Void) {
    let first = index &* ShapeLine.fanOut
    if level == 0 { return scan(first, look) }
    let (gaps, children) = gaps(level, index)
    // Visit the nearest child first, because its result reduces the limit for the other children.
    let nearest = gaps.leastIndex
    if gaps[nearest] <= limit { visit(level &- 1, first &+ nearest, look) }
    for child in 0..<children where child != nearest && gaps[child] <= limit {
      visit(level &- 1, first &+ child, look)
    }
  }

  /// A lower bound of the distance from the point to the surface of a ball; negative if the point may be inside the
  /// ball.
  @inline(__always)
  func gap(_ ball: Int) -> Float {
    balls[ball].distance(to: place) - balls[ball].reach - rounding
  }

  /// Lower bounds of the distances from the point to the balls inside the given ball, and the number of these inner
  /// balls.
  @inline(__always)
  func gaps(_ level: Int, _ index: Int) -> (SIMD8<Float>, count: Int) {
    let first = index &* ShapeLine.fanOut
    let start = levels[level &- 1]
    let count = min(ShapeLine.fanOut, levels[level] &- start &- first)
    var gaps = SIMD8<Float>(repeating: .infinity)
    for child in 0..<count { gaps[child] = gap(start &+ first &+ child) }
    return (gaps, count)
  }

  @inline(__always)
  private func row(_ axis: Int, _ first: Int) -> SIMD8<Float> {
    corners.loadUnaligned(fromByteOffset: 4 &* (axis &* stride &+ first), as: SIMD8<Float>.self)
  }

  @inline(__always)
  func bits(_ group: Int) -> UInt8 { edgeBits?[group] ?? ShapeLine.edgeBits(group, count) }

  /// Examines eight edges at once.
  @inline(__always)
  private mutating func scan(_ first: Int, _ look: (Found, inout LineSearch) -> Void) {
    let (chord, sagitta, part) = chords(first)
    let least = chord - sagitta - rounding
    var bits = Int(bits(first / ShapeLine.fanOut))
    while bits != 0 {
      let lane = bits.trailingZeroBitCount
      bits &= bits &- 1
      guard least[lane] <= limit else { continue }
      look(Found(edge: first &+ lane, chord: chord[lane], sagitta: sagitta[lane], part: part[lane]), &self)
    }
  }

  @inline(__always)
  func chords(_ first: Int) -> (chord: SIMD8<Float>, sagitta: SIMD8<Float>, part: SIMD8<Float>) {
    let (ax, ay, az) = (row(0, first), row(1, first), row(2, first))
    let (dx, dy, dz) = (row(0, first &+ 1) - ax, row(1, first &+ 1) - ay, row(2, first &+ 1) - az)
    let (px, py, pz) = (x - ax, y - ay, z - az)
    let square = dx * dx + dy * dy + dz * dz
    let part = ((px * dx + py * dy + pz * dz) / square.atLeast(1e-20)).atLeast(0).atMost(1)
    let (qx, qy, qz) = (px - part * dx, py - part * dy, pz - part * dz)
    let chord = (qx * qx + qy * qy + qz * qz).squareRoot()
    var sagitta = square * LineSearch.bend + 1e-7
    sagitta.replace(with: square * (2.5 * LineSearch.bend), where: square .> 1e12)
    return (chord, sagitta, part)
  }
}
