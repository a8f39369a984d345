import FencepostKernel
import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SafeDistanceTests {
  /// Whether the point is inside each circle, in the order of the circles.
  private func sides(_ circles: [CircularGeographicCondition], _ coordinate: Coordinate) -> [Bool] {
    circles.map { $0.contains(coordinate) }
  }

  private func moved(_ from: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
    let end = GeodesicDirect.solve(
      latitude: from.latitude, longitude: from.longitude, azimuth: azimuth, distance: distance)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  /// While a device moves by less than the safe distance, no state changes. The safe distance equals the distance to
  /// the nearest boundary, found by measuring all boundaries.
  @Test func isTheDistanceToTheNearestLine() throws {
    var random = SeededGenerator("safe distance")
    for world in 0..<150 {
      let home = Coordinate(latitude: asin(random.uniform(-1...1)) * 180 / .pi, longitude: random.uniform(-180...180))
      let spread = random.logarithmic(100, 15_000_000)
      var engine = try MonitorEngine()
      var circles: [CircularGeographicCondition] = []
      for index in 0..<random.integer(1...120) {
        let center = moved(home, random.uniform(0...360), spread * random.uniform(0...1))
        let radius = random.logarithmic(1, world % 3 == 0 ? 10_000_000 : 20_000)
        circles.append(CircularGeographicCondition(center: center, radius: radius))
        try engine.add(circles[index], identifier: "\(index)")
      }
      for _ in 0..<8 {
        let position = moved(home, random.uniform(0...360), spread * random.uniform(0...1.2))
        let safe = try engine.safeDistance(at: position)
        let nearest =
          circles.map { circle in
            abs(
              GeodesicInverse.distance(
                latitude1: circle.center.latitude, longitude1: circle.center.longitude,
                latitude2: position.latitude, longitude2: position.longitude) - circle.radius)
          }.min() ?? .infinity
        #expect(safe <= nearest && safe >= nearest - max(5, nearest * 0.01), "world \(world): \(safe) of \(nearest)")
        #expect(safe >= nearest - 2e-6, "world \(world): \(safe) of \(nearest)")
        let before = sides(circles, position)
        for _ in 0..<6 {
          let there = moved(position, random.uniform(0...360), safe * random.uniform(0.9...1))
          #expect(sides(circles, there) == before, "world \(world)")
        }
      }
    }
  }

  /// Tests the safe distance with polygons and corridors.
  @Test func isTheDistanceToTheNearestLineOfAShape() throws {
    var random = SeededGenerator("safe distance of shapes")
    for world in 0..<60 {
      let home = Coordinate(latitude: asin(random.uniform(-1...1)) * 180 / .pi, longitude: random.uniform(-180...180))
      let spread = random.logarithmic(100, 5_000_000)
      var engine = try MonitorEngine()
      var shapes: [GeodesicShape] = []
      for index in 0..<random.integer(1...20) {
        let center = moved(home, random.uniform(0...360), spread * random.uniform(0...1))
        let condition = random.shape(around: center, radius: random.logarithmic(10, spread))
        guard case .shape(let definition) = try GivenCondition(condition),
          let shape = try? GeodesicShape.reading(definition)
        else { continue }
        shapes.append(shape)
        try engine.add(condition, identifier: "\(index)")
      }
      for _ in 0..<6 {
        let position = moved(home, random.uniform(0...360), spread * random.uniform(0...1.2))
        func sides(_ coordinate: Coordinate) -> [Bool] {
          shapes.map { $0.boundaryDistance(of: SurfacePoint(coordinate)) <= 0 }
        }
        let safe = try engine.safeDistance(at: position)
        let nearest = shapes.map { abs($0.boundaryDistance(of: SurfacePoint(position))) }.min() ?? .infinity
        #expect(safe <= nearest && (safe == nearest || safe >= nearest - 2e-6), "world \(world): \(safe) of \(nearest)")
        guard safe.isFinite else { continue }
        let before = sides(position)
        for _ in 0..<4 {
          let there = moved(position, random.uniform(0...360), safe * random.uniform(0.9...1))
          #expect(sides(there) == before, "world \(world)")
        }
      }
    }
  }

  @Test func withoutALineItIsInfinite() throws {
    var engine = try MonitorEngine()
    let here = Coordinate(latitude: 0, longitude: 0)
    #expect(try engine.safeDistance(at: here) == .infinity)
    try engine.add(circle(30_000_000), identifier: "the whole Earth")
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    #expect(try engine.safeDistance(at: here) == .infinity)
    try engine.add(circle(100), identifier: "c")
    #expect(abs(try engine.safeDistance(at: here) - 100) < 1e-5)
    let onTheLine = fix(0, 100).coordinate
    #expect(try engine.safeDistance(at: onTheLine) < 1e-6)
  }

  /// Conditions over the limit are not monitored, so the safe distance ignores their boundaries.
  @Test func circlesOverTheLimitDoNotCount() throws {
    var engine = try MonitorEngine(options: MonitorOptions(conditionLimit: 1))
    try engine.add(circle(1_000), identifier: "a")
    try engine.add(circle(100), identifier: "b")
    #expect(abs(try engine.safeDistance(at: Coordinate(latitude: 0, longitude: 0)) - 1_000) < 1e-5)
  }

  @Test(arguments: [(91.0, 0.0), (0.0, 181.0), (Double.nan, 0.0), (0.0, Double.infinity)])
  func refusesWhatIsNoCoordinate(_ latitude: Double, _ longitude: Double) throws {
    let engine = try MonitorEngine()
    #expect(throws: MonitorError.self) {
      try engine.safeDistance(at: Coordinate(latitude: latitude, longitude: longitude))
    }
  }

  @Test func nextDeadlineFollowsCandidatesAndAbsences() throws {
    var engine = try MonitorEngine()
    #expect(engine.nextDeadline == nil)
    try engine.add(circle(100), identifier: "c")
    try engine.feed(fix(0, 10))
    #expect(engine.nextDeadline == nil)
    try engine.feed(fix(100, 500))
    #expect(engine.nextDeadline == at(120))
    try engine.feed(fix(110, 10))
    #expect(engine.nextDeadline == nil)
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    #expect(engine.nextDeadline == at(140))
    try engine.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 1)], at: at(130))
    #expect(engine.nextDeadline == at(160))
    try engine.setScanning(false, at: at(131))
    #expect(engine.nextDeadline == nil)
    try engine.setScanning(true, at: at(132))
    #expect(engine.nextDeadline == at(162))
    try engine.advance(to: at(162))
    #expect(engine.nextDeadline == nil)
  }

  /// Advancing to just before the deadline gives no event; advancing to the deadline gives an event.
  @Test func nothingHappensBeforeTheNextDeadline() throws {
    var random = SeededGenerator("next deadline")
    for _ in 0..<200 {
      var engine = try MonitorEngine()
      for index in 0..<random.integer(1...10) {
        var policy = TransitionPolicy.standard
        policy.entryDwellMicroseconds = Int64(random.integer(0...60)) * 1_000_000
        policy.exitDwellMicroseconds = Int64(random.integer(0...60)) * 1_000_000
        try engine.add(circle(random.uniform(50...400)), identifier: "\(index)", policy: policy)
      }
      try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
      for step in 0..<20 {
        try engine.feed(fix(Double(step * 7), random.uniform(0...600)))
        _ = engine.drain()
        guard let deadline = engine.nextDeadline else { continue }
        var copy = engine
        try copy.advance(to: Timestamp(microseconds: deadline.microseconds - 1))
        #expect(copy.drain().isEmpty)
        try copy.advance(to: deadline)
        #expect(!copy.drain().isEmpty)
      }
    }
  }

  @Test func stateIsWhatTheDetectorBelieves() throws {
    var engine = try MonitorEngine()
    #expect(engine.state(of: "c") == nil)
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied)
    #expect(engine.state(of: "c") == .unknown)
    try engine.feed(fix(0, 10))
    #expect(engine.state(of: "c") == .satisfied)
    #expect(engine.record(for: "c")?.lastEvent.state == .unsatisfied)
    try engine.setHostCapabilities(.authorizationDenied, at: at(1))
    #expect(engine.state(of: "c") == .unknown)
  }

  @Test func containsIncludesTheLine() {
    #expect(circle(100).contains(fix(0, 99.999).coordinate))
    #expect(!circle(100).contains(fix(0, 100.001).coordinate))
    #expect(!circle(100).contains(Coordinate(latitude: .nan, longitude: 0)))
    #expect(!circle(-1).contains(Coordinate(latitude: 0, longitude: 0)))
    #expect(circle(1e9).contains(Coordinate(latitude: 0, longitude: 180)))
  }
}
