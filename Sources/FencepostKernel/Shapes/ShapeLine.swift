/// The line of a shape: chains of geodesic edges, and a tree over these edges for finding the nearest edge.
///
/// Chains are open or closed; the polygon lies to the left of its chains. Consecutive edges are near each other, so
/// the tree follows the numbers of the edges: there is one ball around every eight edges, one ball around every eight
/// of those balls, and so on. A vertex takes 38 bytes. These bytes hold the vertex's vector, a copy of the vector in
/// single precision (relative to the middle of the line) for the search, and the vertex's share of the tree.
public struct ShapeLine: Sendable {
  /// The vertices of all chains, one chain after the other; edge e leads from vertex e to vertex e + 1. A closed chain
  /// repeats its first vertex at its end. A chain that consists of a single position lists this position twice.
  public private(set) var vertices: ContiguousArray<EarthVector> = []
  /// The index in `vertices` at which each chain starts, in ascending order. A chain's first vertex is the start of an
  /// edge, but never the end of one.
  private(set) var starts: ContiguousArray<Int> = []
  /// The tree: balls around edges, then balls around those balls, up to a single ball that contains everything.
  private(set) var balls: ContiguousArray<Ball> = []
  private(set) var levels = Levels()
  /// True if edges of the line meet anywhere except at the common vertex of two consecutive edges of a chain. If the
  /// line touches itself, the vertex that is nearest to a point does not alone decide on which side of the line the
  /// point is.
  let touchesItself: Bool
  /// The x coordinates of all vertices relative to `origin`, then all y coordinates, then all z coordinates. The last
  /// value is repeated at the end of the array, so that the last group of eight vertices can be read as a whole.
  private(set) var corners: ContiguousArray<Float> = []
  /// One byte for every eight vertex numbers: a bit is set if an edge starts at the vertex with this number. The list
  /// is empty if the line is a single chain, because then an edge starts at every vertex except the last.
  private var edgeBits: ContiguousArray<UInt8> = []
  /// The origin of the coordinates in `balls` and `corners`.
  let origin: EarthVector
  /// The value of `starts` for a single chain, shared by most lines.
  private static let oneChain: ContiguousArray<Int> = [0]

  /// The maximum number of edges, or of smaller balls, in a ball of the tree.
  static var fanOut: Int { 8 }

  /// - Parameters:
  ///   - chains: Each chain has at least two vertices, and consecutive vertices differ.
  ///   - touchesItself: The value of the property `touchesItself`; `true` if it is unknown.
  public init(chains: [[SurfacePoint]], touchesItself: Bool = true) {
    let count = chains.reduce(0) { $0 + $1.count }
    vertices.reserveCapacity(count)
    starts.reserveCapacity(chains.count)
    for chain in chains {
      starts.append(vertices.count)
      for point in chain { vertices.append(point.vector) }
    }
    if starts == ShapeLine.oneChain { starts = ShapeLine.oneChain }
    self.touchesItself = touchesItself
    origin = ShapeLine.middle(vertices[...])
    addCorners()
    addLevels()
  }

  /// Copies a line, with another value of `touchesItself`.
  init(_ line: ShapeLine, touchesItself: Bool) {
    vertices = line.vertices
    starts = line.starts
    balls = line.balls
    levels = line.levels
    corners = line.corners
    edgeBits = line.edgeBits
    origin = line.origin
    self.touchesItself = touchesItself
  }

  /// Eights of numbers.
  var groupCount: Int { (vertices.count + ShapeLine.fanOut - 1) / ShapeLine.fanOut }

  /// The number of values in `corners` for each coordinate. If the last group of eight extends beyond the last vertex,
  /// the values beyond it belong to no edge.
  var stride: Int { vertices.count }

  private mutating func addCorners() {
    guard let last = vertices.last else { return }
    let count = vertices.count
    // Groups are always read as a whole, so the array must reach to the end of the last group.
    let size = 2 * count + groupCount * ShapeLine.fanOut + 1
    corners = ContiguousArray(unsafeUninitializedCapacity: size) { rows, initialized in
      for index in 0..<count {
        let apart = vertices[index] - origin
        rows.initializeElement(at: index, to: Float(apart.x))
        rows.initializeElement(at: count + index, to: Float(apart.y))
        rows.initializeElement(at: 2 * count + index, to: Float(apart.z))
      }
      for index in 3 * count..<size { rows.initializeElement(at: index, to: Float((last - origin).z)) }
      initialized = size
    }
    guard starts.count > 1 else { return }
    edgeBits = ContiguousArray(repeating: 0, count: groupCount)
    for edge in 0..<vertices.count - 1 { edgeBits[edge / 8] |= 1 << (edge % 8) }
    for start in starts where start > 0 { edgeBits[(start - 1) / 8] &= ~(1 << ((start - 1) % 8)) }
  }

  /// One bit for each vertex of a group of eight: a bit is set if an edge starts at the vertex.
  @inline(__always)
  func edgeBits(_ group: Int) -> UInt8 {
    edgeBits.isEmpty ? ShapeLine.edgeBits(group, vertices.count) : edgeBits[group]
  }

  /// The value of `edgeBits(_:)` for a line with a single chain.
  @inline(__always)
  static func edgeBits(_ group: Int, _ count: Int) -> UInt8 {
    let edges = count &- 1 &- group &* fanOut
    return edges >= fanOut ? 0xff : UInt8(truncatingIfNeeded: (1 &<< edges) &- 1)
  }

  /// Calls `body` with the array `edgeBits`, or with `nil` if the line is a single chain.
  @inline(__always)
  func withEdgeBits<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
    edgeBits.isEmpty ? body(nil) : edgeBits.withUnsafeBufferPointer { body($0.baseAddress) }
  }

  private mutating func addLevels() {
    let fan = ShapeLine.fanOut
    var (count, sum) = (vertices.count, 0)
    repeat {
      count = (count + fan - 1) / fan
      sum += count
    } while count > 1
    balls.reserveCapacity(sum)
    for first in Swift.stride(from: 0, to: vertices.count, by: fan) { balls.append(ball(ofEdgesFrom: first)) }
    levels.append(balls.count)
    while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
      let below = levels[levels.count - 2]..<levels[levels.count - 1]
      for first in Swift.stride(from: below.lowerBound, to: below.upperBound, by: fan) {
        balls.append(Ball(around: balls[first..<min(first + fan, below.upperBound)]))
      }
      levels.append(balls.count)
    }
  }

  /// Whether an edge has this number. An edge has the number of the vertex at which it starts, so the number of a
  /// chain's last vertex belongs to no edge.
  @inline(__always)
  func isEdge(_ edge: Int) -> Bool {
    edge &+ 1 < vertices.count && (edgeBits.isEmpty || edgeBits[edge / 8] & (1 << (edge % 8)) != 0)
  }

  /// Whether the line has no edges.
  public var isEmpty: Bool { vertices.isEmpty }

  /// A ball that contains the whole line; `reach` is its radius in metres.
  public var bounds: (centre: EarthVector, reach: Double) {
    guard let ball = balls.last else { return (EarthVector(x: 0, y: 0, z: 0), -.infinity) }
    return (ball.centre + origin, Double(ball.reach) * 1.000_001)
  }

  /// Bytes of memory.
  public var byteCount: Int {
    vertices.capacity * MemoryLayout<EarthVector>.stride + balls.capacity * MemoryLayout<Ball>.stride
      + (starts == ShapeLine.oneChain ? 0 : starts.capacity * MemoryLayout<Int>.stride + 32)
      + corners.capacity * MemoryLayout<Float>.stride + (edgeBits.isEmpty ? 0 : edgeBits.capacity + 32) + 3 * 32
  }

  /// A vertex as a `SurfacePoint`: both its vector and its latitude and longitude, accurate to a nanometre.
  func place(_ vertex: Int) -> SurfacePoint { SurfacePoint(vertices[vertex]) }

  public func segment(_ edge: Int) -> GeodesicSegment {
    GeodesicSegment(from: place(edge), to: place(edge + 1))
  }

  /// The straight line between the ends of an edge.
  @inline(__always)
  func chord(_ edge: Int) -> Chord { Chord(vertices[edge], vertices[edge &+ 1]) }

  /// The largest distance between an edge and its chord. The result is an upper bound: it is computed for an arc of the
  /// same length with the greatest curvature that a geodesic can have.
  @inline(__always)
  func sagitta(_ edge: Int) -> Double {
    let square = vertices[edge].squaredChord(to: vertices[edge &+ 1])
    // The arc is longer than its chord by a factor of at most π/2.
    let bend = square > 1e12 ? 2.4674012 : 1.01
    return square * (bend / (8 * Ellipsoid.smallestRadiusOfCurvature)) + 1e-8
  }

  /// The centre of the bounding box of a range of vertices.
  private static func middle(_ vertices: ContiguousArray<EarthVector>.SubSequence) -> EarthVector {
    guard let first = vertices.first else { return EarthVector(x: 0, y: 0, z: 0) }
    var (low, high) = (first, first)
    for vector in vertices {
      low = EarthVector(x: min(low.x, vector.x), y: min(low.y, vector.y), z: min(low.z, vector.z))
      high = EarthVector(x: max(high.x, vector.x), y: max(high.y, vector.y), z: max(high.z, vector.z))
    }
    return (low + high) * 0.5
  }

  private func ball(ofEdgesFrom first: Int) -> Ball {
    let last = min(first + ShapeLine.fanOut, vertices.count - 1)
    let centre = ShapeLine.middle(vertices[first...last])
    var reach = 0.0
    for index in first...last { reach = max(reach, (vertices[index] - centre).length) }
    var sagitta = 0.0
    for edge in first..<last where isEdge(edge) { sagitta = max(sagitta, self.sagitta(edge)) }
    return Ball(centre: centre - origin, reach: reach + sagitta)
  }

  /// The index at which each level of a tree starts, and the index at which the last level ends; there are enough
  /// entries for a billion vertices.
  struct Levels: Sendable {
    private typealias Starts = (
      UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32
    )
    private var starts: Starts = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    /// The number of entries of `starts` that are used; a single byte, so that the next member of the enclosing
    /// structure fits into the padding.
    private var size: UInt8 = 1

    @inline(__always)
    var count: Int { Int(size) }

    mutating func append(_ start: Int) {
      withUnsafeMutableBytes(of: &starts) {
        $0.storeBytes(of: UInt32(truncatingIfNeeded: start), toByteOffset: 4 * Int(size), as: UInt32.self)
      }
      size += 1
    }

    @inline(__always)
    subscript(level: Int) -> Int {
      withUnsafeBytes(of: starts) { Int($0.load(fromByteOffset: 4 &* level, as: UInt32.self)) }
    }
  }

  /// A ball in space relative to the line's origin, in single precision, rounded outwards.
  struct Ball: Sendable {
    var x, y, z, reach: Float

    init(centre: EarthVector, reach: Double) {
      (x, y, z) = (Float(centre.x), Float(centre.y), Float(centre.z))
      let rounding = (centre.x.magnitude + centre.y.magnitude + centre.z.magnitude) * 0x1p-24
      self.reach = Float(reach + rounding).nextUp
    }

    init(around balls: ContiguousArray<Ball>.SubSequence) {
      var centre = EarthVector(x: 0, y: 0, z: 0)
      for ball in balls { centre = centre + ball.centre }
      centre = centre / Double(balls.count)
      let reach = balls.reduce(0) { max($0, ($1.centre - centre).length + Double($1.reach)) }
      self.init(centre: centre, reach: reach)
    }

    var centre: EarthVector { EarthVector(x: Double(x), y: Double(y), z: Double(z)) }

    /// The distance between the ball's centre and a point. The point is relative to the line's origin, as the centre
    /// is, and its fourth element is 0.
    ///
    /// The fourth element is set to 0 explicitly; otherwise a compiler that computes all four elements together could
    /// square arbitrary memory, which might overflow.
    @inline(__always)
    func distance(to place: SIMD4<Float>) -> Float {
      let apart = SIMD4(x, y, z, 0) - place
      let squares = apart * apart
      return (squares[0] + squares[1] + squares[2]).squareRoot()
    }
  }
}
