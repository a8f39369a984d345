import FencepostKernel
import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Compares the answers with those of a plain list, for which all distances are computed in full.
@Suite struct PlacesTests {
  /// Computes the answers from a plain list of all conditions.
  private struct Oracle {
    struct Row {
      var generation: UInt64
      var identifier: String
      var shape: Shape
    }
    var rows: [Row]

    init(_ engine: MonitorEngine) {
      rows = engine.table.order.live.filter { engine.table.isGeographic($0) }.map {
        Row(
          generation: engine.table.generation(of: $0), identifier: engine.table.identifiers.string(of: $0),
          shape: engine.table.shape(of: $0))
      }
    }

    func distances(_ point: Coordinate) -> [(row: Row, distance: Double)] {
      rows.map { ($0, $0.shape.measure(point).boundaryDistance) }
    }
  }

  /// The largest allowed difference, in metres, between the engine's distance and the full geodesic solution; each of
  /// the two distances is accurate to 15 nm.
  private let error = 30e-9

  private func moved(_ from: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
    let end = GeodesicDirect.solve(
      latitude: from.latitude, longitude: from.longitude, azimuth: azimuth, distance: distance)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  /// A random condition of any kind around a position; the condition may be invalid.
  private func condition(_ random: inout SeededGenerator, around middle: Coordinate, size: Double) -> any Condition {
    switch random.integer(0...9) {
    case 0: return BeaconIdentityCondition(uuid: someUUID)
    case 1: return CircularGeographicCondition(center: middle, radius: random.logarithmic(1e-3, 2.5e7))
    case 2...5: return CircularGeographicCondition(center: middle, radius: random.logarithmic(1, size))
    default: return random.shape(around: middle, radius: random.logarithmic(10, min(size, 3e6)))
    }
  }

  private func middle(_ random: inout SeededGenerator, _ kind: Int) -> Coordinate {
    switch kind {
    case 0: Coordinate(latitude: 90 - random.logarithmic(1e-9, 3), longitude: random.uniform(-180...180))
    case 1: Coordinate(latitude: -90, longitude: random.uniform(-180...180))
    case 2: Coordinate(latitude: random.uniform(-80...80), longitude: random.chance(0.5) ? 180 : -180)
    default: Coordinate(latitude: asin(random.uniform(-1...1)) * 180 / .pi, longitude: random.uniform(-180...180))
    }
  }

  /// Points anywhere, at centres, on vertices, within a nanometre of boundaries, and on the opposite side of the Earth.
  private func points(_ random: inout SeededGenerator, _ oracle: Oracle, _ home: Coordinate, _ spread: Double)
    -> [Coordinate]
  {
    var points = [Coordinate(latitude: 90, longitude: 17), Coordinate(latitude: -90, longitude: -180), home]
    for _ in 0..<12 { points.append(moved(home, random.uniform(0...360), spread * random.uniform(0...1.5))) }
    for row in oracle.rows.shuffled(using: &random).prefix(12) {
      if case .circle(let circle) = row.shape {
        let centre = Coordinate(latitude: circle.latitude, longitude: circle.longitude)
        points.append(centre)
        if circle.radius < 2e7 { points.append(moved(centre, random.uniform(0...360), circle.radius)) }
      }
      if let near = row.shape.nearestBoundaryPoint(to: points[random.integer(0...points.count - 1)]) {
        points.append(near)
        points.append(moved(near, random.uniform(0...360), random.logarithmic(1e-9, 1e-3)))
      }
    }
    return points.filter(\.isValid)
  }

  /// True if a shape has a boundary: all shapes do, except a circle that contains the whole Earth.
  private func hasLine(_ shape: Shape) -> Bool {
    if case .circle(let circle) = shape { return circle.radius < DistanceBounds.largestDistance }
    return true
  }

  private func check(_ engine: MonitorEngine, _ points: [Coordinate], _ random: inout SeededGenerator, _ what: String)
    throws
  {
    let oracle = Oracle(engine)
    let places = engine.places
    let count = random.integer(0...oracle.rows.count + 2)
    let plain = try places.containing(points)
    let told = try places.containing(points, distances: true)
    let near = try places.nearest(points, count: count)
    #expect(plain.generations == told.generations && plain.offsets == told.offsets && plain.boundaryDistances.isEmpty)
    #expect(plain.offsets.count == points.count + 1 && plain.offsets.last == plain.generations.count)
    let lines = oracle.rows.count { hasLine($0.shape) }
    #expect(near.count == min(count, lines))
    for (index, point) in points.enumerated() {
      let all = oracle.distances(point)
      let expected = all.filter { $0.distance <= 0 }
      let range = told.offsets[index]..<told.offsets[index + 1]
      #expect(
        Array(told.generations[range]) == expected.map(\.row.generation), "\(what), \(point)")
      guard range.count == expected.count else { continue }
      for (place, one) in zip(range, expected) {
        #expect(told.boundaryDistances[place] <= 0, "\(what), \(point)")
        #expect(abs(told.boundaryDistances[place] - one.distance) <= error, "\(what), \(point)")
      }
      let single = try engine.containing(latitude: point.latitude, longitude: point.longitude)
      #expect(single.map(\.generation) == expected.map(\.row.generation))
      #expect(single.map(\.identifier) == expected.map(\.row.identifier))
      #expect(single.map(\.boundaryDistance) == Array(told.boundaryDistances[range]))

      // Distances may be equal after rounding although the exact distances of the reference differ, so the reference
      // does not tell the order of such conditions.
      let own = Array(near.generations[index * near.count..<(index + 1) * near.count])
      let distances = Array(near.boundaryDistances[index * near.count..<(index + 1) * near.count])
      let known = Dictionary(uniqueKeysWithValues: all.map { ($0.row.generation, $0.distance) })
      let ranked = all.filter { hasLine($0.row.shape) }.map { abs($0.distance) }.sorted()
      #expect(Set(own).count == own.count)
      for (place, generation) in own.enumerated() {
        #expect(abs(distances[place] - (known[generation] ?? .nan)) <= error, "\(what), \(point)")
        #expect(abs(abs(distances[place]) - ranked[place]) <= 2 * error, "\(what), \(point), \(place) of \(own.count)")
        if place > 0 {
          let (before, now) = (abs(distances[place - 1]), abs(distances[place]))
          #expect(before < now || (before == now && own[place - 1] < generation), "\(what), \(point)")
        }
      }
      let nearest = try engine.nearest(latitude: point.latitude, longitude: point.longitude, count: count)
      #expect(nearest.map(\.generation) == own && nearest.map(\.boundaryDistance) == distances)
    }
  }

  /// Tests that the answers agree with a search through all shapes, for shapes of every kind and size (also at poles
  /// and across the antimeridian), and after shapes were removed or replaced and their slots were reused.
  @Test func agreesWithAPlainList() throws {
    var random = SeededGenerator("places")
    for world in 0..<120 {
      var engine = try MonitorEngine(
        options: MonitorOptions(conditionLimit: random.chance(0.2) ? 5 : nil))
      let home = middle(&random, random.integer(0...5))
      let spread = random.logarithmic(10, 15_000_000)
      let names = random.integer(1...60)
      for step in 0..<random.integer(1...90) {
        let name = "n\(random.integer(0...names))"
        if random.chance(0.25) {
          engine.remove(name)
        } else {
          let place = moved(home, random.uniform(0...360), spread * random.uniform(0...1))
          try? engine.add(condition(&random, around: place, size: spread), identifier: name)
        }
        if step % 30 == 0 { try? engine.feed(fix(Double(step), 0)) }
      }
      try check(engine, points(&random, Oracle(engine), home, spread), &random, "world \(world)")
    }
  }

  /// Tests a point that is contained in thousands of circles.
  @Test func findsThousandsThatAreNested() throws {
    var random = SeededGenerator("nested places")
    var engine = try MonitorEngine()
    let home = Coordinate(latitude: 47.3, longitude: 179.999)
    for index in 0..<3_000 {
      try engine.add(
        CircularGeographicCondition(center: home, radius: Double((index * 7_919) % 3_000) + 1), identifier: "\(index)")
    }
    let points = (0..<20).map { moved(home, Double($0), Double($0) * 160 + 0.5) } + [home]
    try check(engine, points, &random, "nested")
    let all = try engine.containing(latitude: home.latitude, longitude: home.longitude)
    #expect(all.count == 3_000 && all.map(\.generation) == (1...3_000).map { UInt64($0) })
  }

  /// If a block of points has too many answers, it is split into smaller blocks.
  @Test func partsOfManyAnswersAreMadeSmaller() throws {
    var engine = try MonitorEngine()
    for index in 0..<300 {
      try engine.add(
        CircularGeographicCondition(center: .init(latitude: 1, longitude: 2), radius: 1e6), identifier: "\(index)")
    }
    let points = [Coordinate](repeating: Coordinate(latitude: 1, longitude: 2), count: 100)
    var places = engine.places
    places.mostAtATime = 1_000
    let columns = try places.containing(points, distances: true)
    #expect(columns.offsets == (0...100).map { $0 * 300 } && columns.boundaryDistances.count == 30_000)
    for row in 0..<100 { #expect(columns.generations[(row * 300)..<(row * 300 + 300)].elementsEqual(1...300)) }
  }

  /// Queries more points than fit in one block; the answer for each point must equal the answer of a query for this
  /// point alone.
  @Test func agreesForMoreThanOnePart() throws {
    var random = SeededGenerator("parts of points")
    var engine = try MonitorEngine()
    for index in 0..<400 {
      let place = Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
      try engine.add(
        CircularGeographicCondition(center: place, radius: random.logarithmic(1e4, 2e6)), identifier: "\(index)")
    }
    var places = engine.places
    places.rowsAtATime = 3_000
    let points = (0..<6_777).map { _ in
      Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
    }
    let columns = try places.containing(points)
    let nearest = try places.nearest(points, count: 2)
    for row in stride(from: 0, to: points.count, by: 7) {
      let single = try engine.containing(latitude: points[row].latitude, longitude: points[row].longitude)
      #expect(
        Array(columns.generations[columns.offsets[row]..<columns.offsets[row + 1]]) == single.map(\.generation))
      let near = try engine.nearest(latitude: points[row].latitude, longitude: points[row].longitude, count: 2)
      #expect(Array(nearest.generations[2 * row..<2 * row + 2]) == near.map(\.generation))
    }
    #expect(columns.offsets.count == points.count + 1 && columns.generations.count > points.count)
  }

  /// Queries change neither the monitor's snapshot nor its later events.
  @Test func changesNothing() throws {
    var engine = try MonitorEngine(name: "m")
    try engine.add(circle(100), identifier: "c")
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    try engine.feed(fix(0, 10))
    try engine.feed(fix(10, 500))
    let before = engine.snapshot()
    let revision = engine.revision
    _ = try engine.containing(latitude: 0, longitude: 0)
    _ = try engine.nearest(latitude: 0, longitude: 0, count: 9)
    _ = try engine.places.containing([Coordinate(latitude: 1, longitude: 1)], distances: true)
    _ = try engine.places.nearest([Coordinate(latitude: 1, longitude: 1)])
    #expect(engine.snapshot() == before && engine.revision == revision)
  }

  /// `places` does not change when the monitor changes.
  @Test func isOfItsMoment() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "a")
    let before = engine.places
    try engine.add(circle(200), identifier: "a")
    try engine.add(circle(50), identifier: "b")
    #expect(try before.containing(latitude: 0, longitude: 0).map(\.generation) == [1])
    #expect(try engine.containing(latitude: 0, longitude: 0).map(\.generation) == [2, 3])
    #expect(before.identifier(ofGeneration: 1) == "a" && engine.places.identifier(ofGeneration: 1) == nil)
    #expect(engine.places.identifier(ofGeneration: 3) == "b" && engine.places.identifier(ofGeneration: 0) == nil)
    #expect(engine.places.identifier(ofGeneration: .max) == nil)
  }

  @Test func namesTheRowThatIsNoPoint() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "a")
    let good = Coordinate(latitude: 0, longitude: 0)
    for bad in [Coordinate(latitude: .nan, longitude: 0), Coordinate(latitude: 0, longitude: 180.1)] {
      for row in [0, 1, 70] {
        var points = [Coordinate](repeating: good, count: 100)
        points[row] = bad
        points[90] = bad
        let places = engine.places
        for question in [{ _ = try places.containing(points) }, { _ = try places.nearest(points) }] {
          let thrown = #expect(throws: MonitorError.self) { try question() }
          guard case .invalidArgument(let text, let position) = thrown else { return #expect(Bool(false)) }
          #expect(position == row && text.hasPrefix("row \(row): the coordinate is "))
        }
        #expect(throws: MonitorError.self) { try places.containing(latitude: bad.latitude, longitude: bad.longitude) }
        #expect(throws: MonitorError.self) { try places.nearest(latitude: bad.latitude, longitude: bad.longitude) }
      }
    }
    #expect(throws: MonitorError.self) { try engine.places.nearest([good], count: -1) }
  }

  @Test func withoutPlacesOrPointsThereIsNothing() async throws {
    let empty = try MonitorEngine()
    #expect(try empty.containing(latitude: 0, longitude: 0).isEmpty)
    #expect(try empty.nearest(latitude: 0, longitude: 0, count: 3).isEmpty)
    #expect(try empty.places.containing([]).offsets == [0])
    #expect(try empty.places.nearest([], count: 5) == NearestConditions())
    let monitor = try await Monitor("m")
    try await monitor.add(circle(100), identifier: "a", tag: 7)
    let found = try await monitor.containing(latitude: 0, longitude: 0)
    #expect(found.map(\.identifier) == ["a"] && found[0].tag == 7 && abs(found[0].boundaryDistance + 100) < 1e-9)
    #expect(try await monitor.nearest(latitude: 0, longitude: 0, count: 2) == found)
    #expect(try await monitor.places.nearest([], count: 2).count == 0)
  }

  /// Equal circles have equal distances, so they are listed in the order in which they were added; a replaced circle
  /// moves to the end.
  @Test func ofEquallyNearOnesTheFirstComesFirst() throws {
    var engine = try MonitorEngine()
    for name in ["a", "b", "c", "d"] { try engine.add(circle(100), identifier: name) }
    try engine.add(circle(100), identifier: "b")
    engine.remove("a")
    try engine.add(circle(100), identifier: "e")
    let names = try engine.nearest(latitude: 0, longitude: 0.001, count: 3).map(\.identifier)
    #expect(names == ["c", "d", "b"])
    #expect(try engine.containing(latitude: 0, longitude: 0).map(\.identifier) == ["c", "d", "b", "e"])
  }

  /// With a time, a condition contains a point only in the intervals of its schedule.
  @Test func schedulesCountWithATime() throws {
    var engine = try MonitorEngine()
    let timing = try ConditionTiming(schedule: Schedule([(at(10), at(20))]), maxEvents: 1)
    try engine.add(circle(100), identifier: "day", timing: timing)
    try engine.add(circle(100), identifier: "always")
    func found(_ time: Timestamp?) throws -> [String] {
      try engine.containing(latitude: 0, longitude: 0, time: time).map(\.identifier)
    }
    #expect(try found(nil) == ["day", "always"])
    #expect(try found(Timestamp(microseconds: at(10).microseconds - 1)) == ["always"])
    #expect(try found(at(10)) == ["day", "always"])
    #expect(try found(at(20)) == ["always"])
    #expect(throws: MonitorError.self) { try found(Timestamp(microseconds: .max)) }
    let times: [Int64] = [at(5).microseconds, .min, at(15).microseconds, .max]
    let zeroes = [Double](repeating: 0, count: 4)
    try times.withUnsafeBytes { times in
      try zeroes.withUnsafeBytes { zeroes in
        let column = PointColumns.Column(start: zeroes.baseAddress!, stride: 8)
        func columns(_ count: Int) -> PointColumns {
          PointColumns(
            count: count, latitudes: column, longitudes: column,
            times: PointColumns.Column(start: times.baseAddress!, stride: 8))
        }
        let offsets = try engine.places.containing(columns(3)).offsets
        #expect(offsets == [0, 1, 3, 5])
        #expect(throws: MonitorError.self) { try engine.places.containing(columns(4)) }
      }
    }
  }
}
