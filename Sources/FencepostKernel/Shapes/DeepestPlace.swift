/// The place within a polygon that is farthest from its line, by branch and bound over square cells.
///
/// D changes by no more than one moves, so no place of a cell is deeper than its middle by more than the cell's half
/// diagonal. The cell that may hold the deepest place is looked at first. (The idea is that of Garcia-Castellanos and
/// Lombardo, "Poles of inaccessibility", Scottish Geographical Journal 123 (2007), with bounds instead of chance.)
struct DeepestPlace {
  /// How much deeper there may be a place, as a part of the depth.
  static var tolerance: Double { 0.008 }

  private let line: ShapeLine
  private let buffer: Double
  private var best: (depth: Double, vector: EarthVector)
  private var queue: ContiguousArray<Cell> = []

  /// A square of a plane beside the Earth; what it holds are the points below it, towards the Earth's centre.
  private struct Cell {
    var plane: Int
    var u, v: Double
    /// Half of the edge, metres.
    var half: Double
    /// Nothing below it is deeper.
    var bound: Double

    func precedes(_ other: Cell) -> Bool {
      bound != other.bound ? bound > other.bound : (plane, u, v) < (other.plane, other.u, other.v)
    }
  }

  private struct Plane {
    var origin, east, north: EarthVector
  }
  private var planes: [Plane] = []

  /// - Parameter isEverywhere: whether the polygon may be anywhere on the Earth and not just within the bounds of its line.
  /// - Returns: the deepest place that was found and −D there, above 0; `nil` when the buffer leaves nothing.
  static func find(
    _ line: ShapeLine, buffer: Double, isEverywhere: Bool
  ) -> (place: SurfacePoint, depth: Double)? {
    var search = DeepestPlace(line: line, buffer: buffer)
    search.run(isEverywhere: isEverywhere)
    let (latitude, longitude) = search.best.vector.position
    let place = SurfacePoint(latitude: latitude, longitude: GivenRing.reduced(longitude))
    let foot = line.nearest(to: place)
    let depth = (foot.side > 0 ? foot.distance : -foot.distance) + buffer
    return depth > 0 ? (place, depth) : nil
  }

  private init(line: ShapeLine, buffer: Double) {
    self.line = line
    self.buffer = buffer
    best = (-.infinity, line.vertices[0].vector)
  }

  private mutating func run(isEverywhere: Bool) {
    let (centre, reach) = line.bounds
    if reach < 1e6, !isEverywhere {
      let middle = centre.onSurface
      let up = middle / middle.length
      let aside = up.z.magnitude < 0.7 ? EarthVector(x: 0, y: 0, z: 1) : EarthVector(x: 1, y: 0, z: 0)
      let east = aside.cross(up) / aside.cross(up).length
      // Above all of the surface, so that the way down to it is a contraction.
      planes = [Plane(origin: middle * 1.01, east: east, north: up.cross(east))]
      add(Cell(plane: 0, u: 0, v: 0, half: reach * 1.1 + 1, bound: .infinity))
    } else {
      let size = Ellipsoid.equatorialRadius
      for sign in [size, -size] {
        for (x, y, z) in [(1.0, 0.0, 0.0), (0, 1, 0), (0, 0, 1)] {
          planes.append(
            Plane(
              origin: EarthVector(x: x * sign, y: y * sign, z: z * sign), east: EarthVector(x: y, y: z, z: x),
              north: EarthVector(x: z, y: x, z: y)))
          add(Cell(plane: planes.count - 1, u: 0, v: 0, half: size, bound: .infinity))
        }
      }
    }
    while let cell = removeFirst(), cell.bound > worthwhile, best.depth + buffer < GeodesicShape.greatestDepth {
      let half = cell.half / 2
      for (u, v) in [(-half, -half), (half, -half), (-half, half), (half, half)] {
        add(Cell(plane: cell.plane, u: cell.u + u, v: cell.v + v, half: half, bound: cell.bound))
      }
    }
  }

  /// The least depth, without the buffer, that is worth looking for.
  private var worthwhile: Double {
    let found = best.depth + buffer
    return found > 0 ? best.depth + found * DeepestPlace.tolerance : max(-buffer, best.depth)
  }

  /// Measures the middle of a cell, and keeps the cell if it may hold what is deeper.
  private mutating func add(_ cell: Cell) {
    let plane = planes[cell.plane]
    let point = (plane.origin + plane.east * cell.u + plane.north * cell.v).onSurface
    let foot = line.nearestInSpace(to: point) ?? line.nearest(to: SurfacePoint(point))
    let depth = foot.side > 0 ? foot.distance : -foot.distance
    var cell = cell
    // What lies below half a diagonal is no longer than it, but for the flattening (a / b): √2 · 1.0034.
    let reach = cell.half * 1.419
    if depth > best.depth { best = (depth, point) }
    cell.bound = min(cell.bound, depth + reach)
    if cell.bound > worthwhile { insert(cell) }
  }

  // A heap: J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).

  private mutating func insert(_ cell: Cell) {
    queue.append(cell)
    var child = queue.count - 1
    while child > 0, queue[child].precedes(queue[(child - 1) / 2]) {
      queue.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func removeFirst() -> Cell? {
    guard let first = queue.first, let last = queue.popLast() else { return nil }
    guard !queue.isEmpty else { return first }
    queue[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < queue.count else { return first }
      if child + 1 < queue.count, queue[child + 1].precedes(queue[child]) { child += 1 }
      guard queue[child].precedes(queue[parent]) else { return first }
      queue.swapAt(child, parent)
      parent = child
    }
  }
}
