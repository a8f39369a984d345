import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Compares line crossings with the crossings of a path that is divided into small steps. For each step, azimuths from
/// the inverse geodesic problem decide whether the step crosses an edge. A step crosses an edge if the ends of the step
/// are on different sides of the edge, and the ends of the edge are on different sides of the step.
@Suite struct LineOracleTests {
  private struct Crossing: Equatable {
    var identifier: String
    var step: Int
    var isToLeft: Bool
  }

  enum World: UInt64, CaseIterable, Sendable {
    case town, northPole, antimeridian, wide
  }

  @Test(arguments: World.allCases)
  func agreesWithSmallSteps(_ world: World) throws {
    var count = 0
    for round in 0..<2 {
      var random = SeededGenerator("LineOracleTests \(world)", salt: 300 + world.rawValue * 10 + UInt64(round))
      count += try run(world, &random)
    }
    #expect(count > 40, "\(world): \(count) crossings")
  }

  private func moved(_ from: Coordinate, _ azimuth: Double, _ metres: Double) -> Coordinate {
    let end = GeodesicDirect.solve(
      latitude: from.latitude, longitude: from.longitude, azimuth: azimuth, distance: metres)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  private func run(_ world: World, _ random: inout SeededGenerator) throws -> Int {
    let size = world == .wide ? 300_000.0 : 1_500
    let middle =
      switch world {
      case .town, .wide: Coordinate(latitude: 47.5, longitude: 7.6)
      case .northPole: Coordinate(latitude: 90, longitude: 12)
      case .antimeridian: Coordinate(latitude: -17, longitude: 180)
      }
    var engine = try MonitorEngine(options: MonitorOptions(path: LineTests.path))
    var lines: [(identifier: String, points: [Coordinate])] = []
    for index in 0..<6 {
      var points = [moved(middle, random.uniform(0...360), size * random.uniform(0...1))]
      for _ in 0..<random.integer(1...7) {
        points.append(moved(middle, random.uniform(0...360), size * random.uniform(0...1)))
      }
      if random.chance(0.3), points.count > 2 { points.append(points[0]) }
      lines.append(("g\(index)", points))
      try engine.add(LineGeographicCondition(path: points), identifier: "g\(index)")
    }
    let steps = 800
    let duration = 200.0
    var (expected, given): ([Crossing], [Crossing]) = ([], [])
    var last = moved(middle, random.uniform(0...360), size)
    try engine.feed(Fix(coordinate: last, time: at(0)))
    for leg in 0..<8 {
      let next = moved(middle, random.uniform(0...360), size * random.uniform(0.5...1.3))
      let way = GeodesicInverse.solve(
        latitude1: last.latitude, longitude1: last.longitude, latitude2: next.latitude, longitude2: next.longitude)
      var here = last
      for step in 1...steps {
        let there = moved(last, way.azimuth1, way.distance * Double(step) / Double(steps))
        for line in lines { expected += crossings(line, from: here, to: there, step: leg * steps + step) }
        here = there
      }
      if leg == 3 { engine = try MonitorEngine(restoring: engine.snapshot()) }
      try engine.feed(Fix(coordinate: next, time: at(Double(leg + 1) * duration)))
      try checkInvariants(of: engine, "leg \(leg)")
      last = next
    }
    for event in engine.drain() {
      let microseconds = event.date!.microseconds
      let step = Int64(duration * 1e6) / Int64(steps)
      given.append(
        Crossing(
          identifier: event.identifier, step: Int((microseconds + step - 1) / step),
          isToLeft: event.direction == .rightToLeft))
    }
    #expect(expected.count == given.count)
    // If one step has two crossings, the oracle lists them in the order of the conditions.
    for one in expected { #expect(given.contains(one), "\(one)") }
    for one in given { #expect(expected.contains(one), "\(one)") }
    #expect(given.map(\.step) == given.map(\.step).sorted())
    return given.count
  }

  private func azimuth(_ from: Coordinate, _ to: Coordinate) -> Double {
    GeodesicInverse.solve(
      latitude1: from.latitude, longitude1: from.longitude, latitude2: to.latitude, longitude2: to.longitude
    ).azimuth1
  }

  /// True if `point` lies to the left of the geodesic that starts at `from` and passes through `to`.
  private func isLeft(_ point: Coordinate, of from: Coordinate, _ to: Coordinate) -> Bool {
    (azimuth(from, point) - azimuth(from, to)).remainder(dividingBy: 360) < 0
  }

  private func crossings(
    _ line: (identifier: String, points: [Coordinate]), from start: Coordinate, to end: Coordinate, step: Int
  ) -> [Crossing] {
    var found: [Crossing] = []
    for (a, b) in zip(line.points, line.points.dropFirst()) {
      let startsLeft = isLeft(start, of: a, b)
      let endsLeft = isLeft(end, of: a, b)
      guard startsLeft != endsLeft, isLeft(a, of: start, end) != isLeft(b, of: start, end) else { continue }
      found.append(Crossing(identifier: line.identifier, step: step, isToLeft: endsLeft))
    }
    return found
  }
}
