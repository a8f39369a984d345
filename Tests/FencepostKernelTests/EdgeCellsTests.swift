import TestSupport
import Testing

@testable import FencepostKernel

/// Tests that the cells and the shapes find the same polygons around a position, and that no edge is nearer than the
/// slack that the cells report.
@Suite struct EdgeCellsTests {
  /// An index of shapes; the id of a shape in the index is its position in `shapes`.
  private struct World {
    var index = CapIndex()
    var shapes: [GeodesicShape?] = []
    var caps: [(centre: EarthVector, reach: Double)] = []

    mutating func add(_ shape: GeodesicShape) {
      add(shape, shape.boundingCap)
    }

    mutating func add(_ shape: GeodesicShape?, _ cap: (centre: EarthVector, reach: Double)) {
      index.insert(UInt32(caps.count), centre: cap.centre, reach: cap.reach)
      shapes.append(shape)
      caps.append(cap)
    }

    func answer(_ cells: inout EdgeCells, at position: EarthVector) -> EdgeCells.Place? {
      var answer = cells.answer(at: position)
      if case .missing = answer {
        answer = cells.make(at: position, index) { (shapes[Int($0)], caps[Int($0)].centre, caps[Int($0)].reach) }
      }
      if case .place(let place) = answer { return place }
      return nil
    }

    /// - Returns: Whether the cells alone could answer for the position.
    func check(_ cells: inout EdgeCells, at point: SurfacePoint, _ note: String) -> Bool {
      guard let place = answer(&cells, at: point.vector) else { return false }
      var (count, least) = (0, Double.infinity)
      for (slot, shape) in shapes.enumerated() {
        guard let shape, shape.isPolygon, shape.offset == 0 else {
          least = min(least, caps[slot].centre.squaredChord(to: point.vector).squareRoot() - caps[slot].reach)
          continue
        }
        let distance = shape.boundaryDistance(of: point)
        if distance <= 0 { count += 1 }
        #expect(cells.holds(UInt32(slot), place) == (distance <= 0), "\(note): \(slot) at \(distance) m, \(point)")
        least = min(least, distance.magnitude)
      }
      #expect(place.polygonCount == count, "\(note): \(point)")
      let slack = cells.slack(place) { _ in false }
      #expect(slack <= least, "\(note): \(slack) m, but \(least) m, at \(point)")
      return true
    }
  }

  private func point(_ place: Place) -> SurfacePoint {
    SurfacePoint(latitude: place.latitude, longitude: place.longitude)
  }

  /// Tests queries among overlapping star-shaped polygons with radii of 60 m to 30 km; some of the polygons are around
  /// poles or across the antimeridian. Many positions share a cell. Some positions are anywhere among the stars; the
  /// others are 0.1 mm to 100 m from an edge or a corner.
  @Test(arguments: 0..<8) func starsThatOverlap(_ number: Int) throws {
    var random = SeededGenerator("cells of stars", salt: UInt64(number))
    let middles: [Corner] = [
      (90, 0), (-90, 30), (89.999, 120), (0, 180), (-65, 179.999), (12, -179.999), (47.5, 8), (0, 0),
    ]
    let middle = Place(latitude: middles[number].latitude, longitude: middles[number].longitude)
    var (decided, queries) = (0, 0)
    for turn in 0..<6 {
      let size = [300.0, 3_000, 30_000][turn % 3]
      var world = World()
      var rings: [[Corner]] = []
      for _ in 0..<12 {
        let centre = middle.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...2))
        let ring = star(&random, around: centre, radius: size * random.uniform(0.2...1), least: 0.4)
        guard let shape = try? GeodesicShape.reading(polygon: [[ring]]) else { continue }
        world.add(shape)
        rings.append(ring)
      }
      for _ in 0..<3 {
        let centre = middle.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...3))
        world.add(nil, (centre.vector, size * random.uniform(0.01...0.2)))
      }
      var cells = EdgeCells()
      cells.keepUp(with: world.index.count, version: 1)
      for _ in 0..<150 {
        var place = middle.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...3))
        if random.chance(0.6) {
          let ring = rings[random.integer(0...rings.count - 1)]
          let corner = random.integer(0...ring.count - 1)
          let start = Place(latitude: ring[corner].latitude, longitude: ring[corner].longitude)
          let next = ring[(corner + 1) % ring.count]
          let end = Place(latitude: next.latitude, longitude: next.longitude)
          let way = start.inverse(to: end)
          place = start.moved(azimuth: way.azimuth1, distance: way.distance * max(0, random.uniform(-0.3...1)))
          place = place.moved(azimuth: random.uniform(0...360), distance: random.logarithmic(1e-4, 100))
        }
        queries += 1
        if world.check(&cells, at: point(place), "turn \(turn)") { decided += 1 }
      }
    }
    #expect(decided > queries / 2, "\(decided) of \(queries)")
  }

  /// Tests queries among polygons with holes and parts, and among polygons that touch themselves. For a corridor or a
  /// buffered polygon, a cell contains one cap and no edges.
  @Test func shapesOfAllKinds() throws {
    var random = SeededGenerator("cells of shapes")
    var decided = 0
    for turn in 0..<80 {
      var world = World()
      let (shape, centre, size) = ShapeDepthTests.random(&random)
      world.add(shape)
      var cells = EdgeCells()
      cells.keepUp(with: 1, version: 1)
      for _ in 0..<40 {
        let reach = size * random.logarithmic(1e-3, 2)
        let place = centre.moved(azimuth: random.uniform(0...360), distance: min(reach, 1e7))
        if world.check(&cells, at: point(place), "turn \(turn)") { decided += 1 }
      }
    }
    #expect(decided > 800, "\(decided)")
  }

  /// Tests a comb of parallel edges half a metre apart. The line from a cell's reference point to a position runs along
  /// some edges, across other edges, and through corners.
  @Test func linesThroughCornersAndAlongEdges() throws {
    var world = World()
    let step = 1 / 111_195.0
    var comb: [Corner] = [(0, 0)]
    for tooth in 0..<6 {
      let west = Double(tooth) * step
      comb += [(40 * step, west), (40 * step, west + 0.5 * step), (step, west + 0.5 * step), (step, west + step)]
    }
    comb.append((0, 6 * step))
    world.add(try GeodesicShape.reading(polygon: [[comb]]))
    var cells = EdgeCells()
    cells.keepUp(with: 1, version: 1)
    var decided = 0
    for row in 0..<60 {
      for column in 0..<60 {
        let at = SurfacePoint(latitude: (Double(row) - 10) * step, longitude: (Double(column) * 0.25 - 4) * step)
        if world.check(&cells, at: at, "comb") { decided += 1 }
      }
    }
    #expect(decided > 1_800, "\(decided)")
  }

  /// If the conditions change, all cells are removed. The cells never use more memory than the budget. Coordinates that
  /// are not on Earth have no cell.
  @Test func memory() throws {
    var random = SeededGenerator("cells, memory")
    var world = World()
    for _ in 0..<40 {
      let ring = star(
        &random, around: Place(latitude: random.uniform(1...9), longitude: random.uniform(1...9)), radius: 20_000,
        least: 0.5)
      // A random ring may cross itself.
      if let shape = try? GeodesicShape.reading(polygon: [[ring]]) { world.add(shape) }
    }
    var cells = EdgeCells(budget: 100_000)
    cells.keepUp(with: world.index.count, version: 1)
    func anywhere() -> EarthVector { EarthVector(latitude: random.uniform(0...10), longitude: random.uniform(0...10)) }
    let first = anywhere()
    #expect(world.answer(&cells, at: first) != nil && cells.byteCount > 0)
    cells.keepUp(with: world.index.count, version: 2)
    #expect(cells.byteCount == 0)
    #expect(world.answer(&cells, at: first) != nil)
    cells.keepUp(with: world.index.count - 1, version: 2)
    #expect(cells.byteCount == 0)
    var (most, emptied, before) = (0, 0, 0)
    for _ in 0..<4_000 {
      _ = world.answer(&cells, at: anywhere())
      if cells.byteCount < before { emptied += 1 }
      before = cells.byteCount
      most = max(most, before)
    }
    #expect(most <= 100_000 && emptied > 1, "\(most) bytes, emptied \(emptied) times")
    var none = EdgeCells(budget: 0)
    none.keepUp(with: world.index.count, version: 1)
    #expect(world.answer(&none, at: first) == nil && none.byteCount == 0)
    for position in [
      EarthVector(x: .nan, y: 0, z: 0), EarthVector(x: 0, y: .infinity, z: 0), EarthVector(x: 0, y: 0, z: -1e300),
      EarthVector(x: 0x1p23, y: 0, z: 0),
    ] {
      #expect(world.answer(&cells, at: position) == nil)
    }
  }

  /// If cells do not help any query, attempts to create cells become rare. Tests circles that all overlap, an edge that
  /// is too long for cells, and conditions that change in rapid succession.
  @Test func attemptsThatDoNotPayBecomeRare() throws {
    var circles = World()
    let middle = Place(latitude: 10, longitude: 20)
    for _ in 0..<40 { circles.add(nil, (middle.vector, 30_000)) }
    var long = World()
    long.add(try GeodesicShape.reading(polygon: [[square(10, 19, 2)]]))
    var changed = World()
    changed.add(try GeodesicShape.reading(polygon: [[square(9.99, 19.99, 0.1)]]))
    for (number, world) in [circles, long, changed].enumerated() {
      var cells = EdgeCells()
      var examined: [Int] = []
      for query in 0..<60_000 {
        if query % 30_000 == 0 { examined.append(0) }
        cells.keepUp(with: 1, version: number == 2 ? UInt64(query) : 1)
        let place = middle.moved(azimuth: 90, distance: Double(query % 1_500) * 10).vector
        if case .missing = cells.answer(at: place) {
          _ = cells.make(at: place, world.index) {
            examined[examined.count - 1] += 1
            return (world.shapes[Int($0)], world.caps[Int($0)].centre, world.caps[Int($0)].reach)
          }
        }
      }
      #expect(examined[0] > 0 && examined[1] < 20_000, "world \(number): \(examined) shapes were examined")
    }
  }
}
