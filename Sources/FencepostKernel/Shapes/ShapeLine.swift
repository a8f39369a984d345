/// The line of a shape: chains of geodesic edges, with a tree over them for the search of the edge that is nearest.
///
/// Chains are open or closed; those of a polygon run so that the polygon lies to their left. Consecutive edges are near
/// each other, so the tree over them is that of their numbers: a ball around each eight, one around each eight of
/// those, and so on; two bytes an edge.
public struct ShapeLine: Sendable {
  /// One after the other, a closed chain with its first vertex again at its end: edge e leads from vertex e to e + 1. A
  /// chain of one place has it twice.
  public private(set) var vertices: ContiguousArray<SurfacePoint> = []
  /// Where each chain starts in `vertices`, ascending; the edge that would end there is none.
  private(set) var starts: ContiguousArray<Int> = []
  /// The tree: balls around edges, then balls around those, up to one that holds all.
  private(set) var balls: ContiguousArray<Ball> = []
  /// Where each level starts in `balls`, and where the last one ends.
  private(set) var levels: ContiguousArray<Int> = [0]
  /// Balls are told relative to this place.
  let origin: EarthVector

  /// Edges or balls in one ball.
  static var fanOut: Int { 8 }

  /// - Parameter chains: each with at least two vertices; consecutive ones differ.
  public init(chains: [[SurfacePoint]]) {
    let count = chains.reduce(0) { $0 + $1.count }
    vertices.reserveCapacity(count)
    starts.reserveCapacity(chains.count)
    for chain in chains {
      starts.append(vertices.count)
      vertices.append(contentsOf: chain)
    }
    origin = ShapeLine.middle(vertices[...])
    addLevels()
  }

  private mutating func addLevels() {
    let fan = ShapeLine.fanOut
    var (count, sum, depth) = (vertices.count, 0, 1)
    repeat {
      count = (count + fan - 1) / fan
      sum += count
      depth += 1
    } while count > 1
    balls.reserveCapacity(sum)
    levels.reserveCapacity(depth)
    for first in stride(from: 0, to: vertices.count, by: fan) { balls.append(ball(ofEdgesFrom: first)) }
    levels.append(balls.count)
    while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
      let below = levels[levels.count - 2]..<levels[levels.count - 1]
      for first in stride(from: below.lowerBound, to: below.upperBound, by: fan) {
        balls.append(Ball(around: balls[first..<min(first + fan, below.upperBound)]))
      }
      levels.append(balls.count)
    }
  }

  /// Whether a number is that of an edge, and not of what lies between two chains.
  @inline(__always)
  func isEdge(_ edge: Int) -> Bool {
    edge &+ 1 < vertices.count && (starts.count == 1 || !isStart(edge &+ 1))
  }

  private func isStart(_ vertex: Int) -> Bool {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= vertex { low = middle + 1 } else { high = middle }
    }
    return low > 0 && starts[low - 1] == vertex
  }

  /// Whether there is no edge.
  public var isEmpty: Bool { vertices.isEmpty }

  /// A ball that holds the line, reach in metres.
  public var bounds: (centre: EarthVector, reach: Double) {
    guard let ball = balls.last else { return (EarthVector(x: 0, y: 0, z: 0), -.infinity) }
    return (ball.centre + origin, Double(ball.reach) * 1.000_001)
  }

  /// Bytes of memory.
  public var byteCount: Int {
    vertices.capacity * MemoryLayout<SurfacePoint>.stride + balls.capacity * MemoryLayout<Ball>.stride
      + (starts.capacity + levels.capacity) * MemoryLayout<Int>.stride
  }

  public func segment(_ edge: Int) -> GeodesicSegment {
    GeodesicSegment(from: vertices[edge], to: vertices[edge + 1])
  }

  /// The straight piece between the ends of an edge.
  @inline(__always)
  func chord(_ edge: Int) -> Chord { Chord(vertices[edge].vector, vertices[edge &+ 1].vector) }

  /// How far an edge is from its chord at most: that of an arc of its length bent as no geodesic is bent more.
  @inline(__always)
  func sagitta(_ edge: Int) -> Double {
    ShapeLine.sagitta(squaredChord: vertices[edge].vector.squaredChord(to: vertices[edge &+ 1].vector))
  }

  @inline(__always)
  static func sagitta(squaredChord square: Double) -> Double {
    // The arc is longer than its chord by at most π/2.
    let bend = square > 1e12 ? 2.4674012 : 1.01
    return square * (bend / (8 * Ellipsoid.smallestRadiusOfCurvature)) + 1e-8
  }

  /// The middle of the box around some vertices.
  private static func middle(_ vertices: ContiguousArray<SurfacePoint>.SubSequence) -> EarthVector {
    guard let first = vertices.first?.vector else { return EarthVector(x: 0, y: 0, z: 0) }
    var (low, high) = (first, first)
    for vertex in vertices {
      let vector = vertex.vector
      low = EarthVector(x: min(low.x, vector.x), y: min(low.y, vector.y), z: min(low.z, vector.z))
      high = EarthVector(x: max(high.x, vector.x), y: max(high.y, vector.y), z: max(high.z, vector.z))
    }
    return (low + high) * 0.5
  }

  private func ball(ofEdgesFrom first: Int) -> Ball {
    let last = min(first + ShapeLine.fanOut, vertices.count - 1)
    let centre = ShapeLine.middle(vertices[first...last])
    var reach = 0.0
    for index in first...last { reach = max(reach, (vertices[index].vector - centre).length) }
    var sagitta = 0.0
    for edge in first..<last where isEdge(edge) { sagitta = max(sagitta, self.sagitta(edge)) }
    return Ball(centre: centre - origin, reach: reach + sagitta)
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

    /// Distance of a place, also relative to the origin, in single precision.
    @inline(__always)
    func distance(to place: SIMD4<Float>) -> Float {
      let apart = place - SIMD4(x, y, z, 0)
      return (apart * apart).sum().squareRoot() - reach
    }
  }
}
