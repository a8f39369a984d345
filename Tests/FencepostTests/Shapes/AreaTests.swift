import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// A square around the test location; the argument is half of its side length in degrees (0.0009 degrees are 100 m).
func square(_ half: Double = 0.000_9, holes: [[Coordinate]] = [], buffer: Double = 0) -> PolygonalGeographicCondition {
  PolygonalGeographicCondition(exterior: ring(half), holes: holes, buffer: buffer)
}

func ring(_ half: Double) -> [Coordinate] {
  [
    Coordinate(latitude: -half, longitude: -half), Coordinate(latitude: -half, longitude: half),
    Coordinate(latitude: half, longitude: half), Coordinate(latitude: half, longitude: -half),
  ]
}

/// Tests polygons and corridors as conditions, from the first fix to the event.
@Suite struct AreaTests {
  /// The length of one degree along the equator, in metres.
  private let degree = 6_378_137 * Double.pi / 180

  @Test func aPolygonIsEnteredAndLeft() throws {
    var engine = try MonitorEngine()
    try engine.add(square(), identifier: "square")
    for (second, distance) in [(0.0, 500.0), (10, 300), (20, 70), (60, 50), (90, 200), (120, 210)] {
      try engine.feed(fix(second, distance, bearing: 90))
      try checkInvariants(of: engine, "at \(second) s")
    }
    let events = engine.drain()
    #expect(
      events.map(\.brief) == [
        "square unsatisfied@0.0 determination", "square satisfied@40.0 crossing", "square unsatisfied@110.0 crossing",
      ])
    #expect((events[1].evidence!.boundaryDistance - (70 - 0.000_9 * degree)).magnitude < 1e-6)
    #expect((events[2].evidence!.boundaryDistance - (200 - 0.000_9 * degree)).magnitude < 1e-6)
  }

  /// The inside of a hole is outside the polygon, and a hole has its own boundary.
  @Test func aHoleIsOutside() throws {
    var engine = try MonitorEngine()
    try engine.add(square(0.009, holes: [ring(0.000_9)]), identifier: "frame", policy: .exact)
    try engine.feed([fix(0, 0), fix(1, 500, bearing: 90), fix(2, 0), fix(3, 2_000, bearing: 90)])
    #expect(
      engine.drain().map(\.brief) == [
        "frame unsatisfied@0.0 determination", "frame satisfied@1.0 crossing", "frame unsatisfied@2.0 crossing",
      ])
  }

  @Test func aCorridorIsWhatIsNearItsPath() throws {
    var engine = try MonitorEngine()
    let path = [Coordinate(latitude: 0, longitude: -0.01), Coordinate(latitude: 0, longitude: 0.01)]
    try engine.add(CorridorGeographicCondition(path: path, radius: 50), identifier: "way", policy: .exact)
    try engine.feed([fix(0, 51), fix(1, 49), fix(2, 1_000, bearing: 90), fix(3, 0.01 * degree + 49, bearing: 90)])
    #expect(engine.drain().map(\.brief) == ["way unsatisfied@0.0 determination", "way satisfied@1.0 crossing"])
    try engine.feed(fix(4, 0.01 * degree + 50.001, bearing: 90))
    let left = try #require(engine.drain().last)
    #expect((left.evidence!.boundaryDistance - 0.001).magnitude < 1e-6)
  }

  /// The depth of a shape limits its margins; the extent of the shape does not matter.
  @Test func aNarrowPolygonCanBeEntered() throws {
    var engine = try MonitorEngine()
    let half = 8 / degree  // metres
    let strip = PolygonalGeographicCondition(exterior: [
      Coordinate(latitude: -half, longitude: -0.05), Coordinate(latitude: -half, longitude: 0.05),
      Coordinate(latitude: half, longitude: 0.05), Coordinate(latitude: half, longitude: -0.05),
    ])
    try engine.add(strip, identifier: "strip", policy: TransitionPolicy(entryDwellMicroseconds: 0))
    try engine.feed([fix(0, 300), fix(1, 0)])
    #expect(engine.drain().map(\.state) == [.unsatisfied, .satisfied])
    let depth = try strip.reading().depth
    #expect(depth <= 8 && depth > 7.8)
  }

  @Test func aWideShapeForgivesCoarseFixes() throws {
    var engine = try MonitorEngine()
    try engine.add(square(0.009), identifier: "wide")  // 1 km deep
    try engine.add(square(0.000_9), identifier: "narrow")
    try engine.feed(fix(0, 0, 300))
    #expect(engine.drain().map(\.brief) == ["wide satisfied@0.0 determination"])
    #expect(engine.explain("narrow")?.reason == .tooCoarse)
  }

  /// Only an oriented polygon can be larger than half of the Earth. No circle contains such a large polygon, and every
  /// point on the Earth counts as near the polygon.
  @Test func aPolygonOfMostOfTheEarth() throws {
    var engine = try MonitorEngine()
    let rest = PolygonalGeographicCondition(exterior: ring(0.009).reversed(), isOriented: true)
    try engine.add(rest, identifier: "rest", policy: .exact)
    try engine.add(square(), identifier: "square", policy: .exact)
    let fixes = [
      Fix(latitude: 60, longitude: 170, accuracy: 5, time: at(0)), fix(1, 0), fix(2, 2_000),
      Fix(latitude: -90, longitude: 12, accuracy: 5, time: at(3)), fix(4, 500),
    ]
    for fix in fixes {
      try engine.feed(fix)
      try checkInvariants(of: engine, "most of the Earth")
    }
    #expect(
      engine.drain().map(\.brief) == [
        "rest satisfied@0.0 determination", "square unsatisfied@0.0 determination", "rest unsatisfied@1.0 crossing",
        "square satisfied@1.0 crossing", "rest satisfied@2.0 crossing", "square unsatisfied@2.0 crossing",
        "rest unsatisfied@4.0 crossing",
      ])
    let restored = try MonitorEngine(restoring: engine.snapshot())
    #expect(restored.explain("rest") == engine.explain("rest"))
    var planner = try RotationPlanner(slots: 1)
    let plan = try planner.plan(engine, at: Coordinate(latitude: 60, longitude: 170))
    #expect(plan.armed.count <= 1 && !plan.armed.contains { !$0.isInside && $0.identifier == "rest" })
  }

  // MARK: - Common to all conditions

  @Test func oneKindAloneCanBeSuspended() throws {
    var engine = try MonitorEngine()
    let path = [Coordinate(latitude: 0, longitude: 0)]
    try engine.add(circle(100), identifier: "circle", policy: .exact)
    try engine.add(square(), identifier: "square", policy: .exact)
    try engine.add(CorridorGeographicCondition(path: path, radius: 100), identifier: "way", policy: .exact)
    try engine.setHostCapabilities([], unsupported: [.polygonalGeographic], at: at(0))
    #expect(engine.drain().map(\.brief) == ["square unmonitored@0.0 diagnostic"])
    try engine.feed([fix(1, 0), fix(2, 400)])
    try checkInvariants(of: engine, "a kind is suspended")
    #expect(engine.drain().map(\.identifier) == ["circle", "way", "circle", "way"])
    #expect(engine.explain("square")?.reason == .unmonitored)
    try engine.setHostCapabilities([], unsupported: [.circularGeographic, .corridorGeographic], at: at(3))
    try engine.feed(fix(4, 10))
    #expect(engine.drain().filter { $0.cause != .diagnostic }.map(\.brief) == ["square satisfied@4.0 determination"])
  }

  @Test func theLimitCountsAllKinds() throws {
    var engine = try MonitorEngine(options: MonitorOptions(conditionLimit: 1))
    try engine.add(square(), identifier: "first", policy: .exact)
    try engine.add(circle(100), identifier: "second", policy: .exact)
    try engine.feed(fix(0, 0))
    #expect(
      engine.drain().map(\.brief) == [
        "second unmonitored@nan diagnostic", "first satisfied@0.0 determination",
      ])
    engine.remove("first")
    try engine.feed(fix(1, 0))
    #expect(engine.drain().map(\.brief) == ["second satisfied@1.0 determination"])
  }

  @Test func ensureKnowsWhatIsTheSame() throws {
    var engine = try MonitorEngine()
    let plain = square()
    try engine.add(plain, identifier: "s")
    var closed = plain
    closed.exterior.append(plain.exterior[0])
    var turned = plain
    turned.exterior[0].longitude += 360
    var moved = plain
    moved.exterior[2].latitude += 0.9e-7
    for same in [plain, closed, turned, moved] { #expect(try engine.ensure(same, identifier: "s") == false) }
    var far = plain
    far.exterior[2].latitude += 2e-7
    var buffered = plain
    buffered.buffer = 0.6
    var planar = plain
    planar.edges = .planar
    var oriented = plain
    oriented.isOriented = true
    for other in [far, buffered, planar, oriented, plain] {
      #expect(try engine.ensure(other, identifier: "s"))
      #expect(try engine.ensure(other, identifier: "s") == false)
    }
    #expect(try engine.ensure(circle(100), identifier: "s"))
    let result = try engine.sync([NamedCondition(plain, identifier: "s"), NamedCondition(plain, identifier: "t")])
    #expect(result.replaced == 1 && result.added == 1 && result.removed == 0)
    #expect(try engine.sync([NamedCondition(closed, identifier: "t")]).kept == 1)
  }

  @Test func recordsShowWhatWasGiven() throws {
    var engine = try MonitorEngine()
    let frame = PolygonalGeographicCondition(
      exterior: ring(0.01), holes: [ring(0.001)], edges: .planar, isOriented: false, buffer: 3)
    let two = MultiPolygonalGeographicCondition(parts: [
      .init(exterior: ring(0.01), holes: [ring(0.001)]), .init(exterior: ring(0.000_5)),
    ])
    let ways = CorridorGeographicCondition(paths: [ring(0.01), ring(0.02)], radius: 12, edges: .planar)
    try engine.add(frame, identifier: "frame")
    try engine.add(two, identifier: "two")
    try engine.add(ways, identifier: "ways")
    let restored = try MonitorEngine(restoring: engine.snapshot())
    for engine in [engine, restored] {
      #expect(engine.record(for: "frame")?.condition as? PolygonalGeographicCondition == frame)
      #expect(engine.record(for: "two")?.condition as? MultiPolygonalGeographicCondition == two)
      #expect(engine.record(for: "ways")?.condition as? CorridorGeographicCondition == ways)
    }
  }

  @Test func whatIsRefusedChangesNothing() throws {
    var engine = try MonitorEngine()
    try engine.add(square(), identifier: "s")
    let before = engine.snapshot()
    let bow = PolygonalGeographicCondition(exterior: [0, 2, 1, 3].map { ring(0.01)[$0] })
    let nowhere = PolygonalGeographicCondition(exterior: [])
    let odd = PolygonalGeographicCondition(exterior: [Coordinate(latitude: .nan, longitude: 0)] + ring(0.01))
    let eaten = square(buffer: -500)
    let none = CorridorGeographicCondition(paths: [], radius: 5)
    let thin = CorridorGeographicCondition(path: ring(0.01), radius: 0)
    let bad: [(any Condition, String)] = [
      (bow, "crossing: "), (nowhere, "empty: "), (odd, "coordinate: "), (eaten, "buffer: "), (none, "empty: "),
      (thin, "radius: "),
    ]
    for (condition, reason) in bad {
      for call in [
        { (engine: inout MonitorEngine) in try engine.add(condition, identifier: "s") },
        { _ = try $0.ensure(condition, identifier: "s") },
        { _ = try $0.sync([NamedCondition(condition, identifier: "s")]) },
      ] {
        #expect(throws: MonitorError.self) { try call(&engine) }
        do { try call(&engine) } catch { #expect("\(error)".contains(reason), "\(error)") }
      }
      #expect(engine.snapshot() == before)
    }
    let set = [NamedCondition(square(), identifier: "a"), NamedCondition(bow, identifier: "b")]
    #expect {
      try engine.ensure(set)
    } throws: {
      guard case .invalidArgument(let text, 1) = $0 as? MonitorError else { return false }
      return text.hasPrefix("row 1: crossing: ")
    }
    #expect(engine.snapshot() == before)
  }

  /// A monitored polygon is not one of the manager's regions, and circular regions stay available when polygons become
  /// unavailable.
  @Test func regionsKnowNoShapes() throws {
    var engine = try MonitorEngine()
    try engine.add(square(), identifier: "c:office")
    let service = try RegionService(engine: engine)
    let manager = RegionManager(sharing: service)
    #expect(manager.monitoredRegions.isEmpty)
    #expect(ConditionKind.polygonalGeographic.region == nil && ConditionKind.corridorGeographic.region == nil)
    try service.setUnavailable([.polygonalGeographic], at: at(0))
    #expect(manager.isMonitoringAvailable(for: CircularRegion.self))
  }

  @Test func forksShareShapesAndGoTheirOwnWay() throws {
    var parent = try MonitorEngine()
    for index in 0..<2_000 {
      try parent.add(
        CorridorGeographicCondition(
          path: [Coordinate(latitude: 0.001 * Double(index), longitude: 0.5)], radius: 40),
        identifier: "\(index)", policy: .exact)
    }
    try parent.add(square(), identifier: "square", policy: .exact)
    try parent.feed(fix(0, 0))
    var fork = parent.fork()
    _ = parent.drain()
    _ = fork.drain()
    try fork.feed(fix(1, 300))
    try parent.feed(fix(1, 10))
    #expect(fork.drain().map(\.brief) == ["square unsatisfied@1.0 crossing"])
    #expect(parent.drain().isEmpty)
    try checkInvariants(of: fork, "the fork")
    try checkInvariants(of: parent, "the parent")
  }

  // MARK: - Explanations

  @Test func explanationsShowTheNearestPlace() throws {
    var engine = try MonitorEngine()
    try engine.add(square(), identifier: "square")
    try engine.add(circle(100), identifier: "circle")
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "beacon")
    try engine.feed(fix(0, 70, bearing: 90))
    let why = try #require(engine.explain("square"))
    #expect(why.reason == .inside)
    #expect((why.boundaryDistance! - (70 - 0.000_9 * degree)).magnitude < 1e-6)
    let place = try #require(why.nearestBoundaryPoint)
    #expect(place.latitude.magnitude < 1e-9 && (place.longitude - 0.000_9).magnitude < 1e-9)
    let onTheCircle = try #require(engine.explain("circle")?.nearestBoundaryPoint)
    #expect((onTheCircle.longitude * degree - 100).magnitude < 1e-6)
    #expect(engine.explain("beacon")?.nearestBoundaryPoint == nil)
    let north = try engine.nearestBoundaryPoint("square", to: fix(0, 500).coordinate)
    #expect((north!.latitude - 0.000_9).magnitude < 1e-9)
    #expect(try engine.nearestBoundaryPoint("beacon", to: Coordinate(latitude: 0, longitude: 0)) == nil)
    #expect(throws: MonitorError.notFound("nobody")) {
      try engine.nearestBoundaryPoint("nobody", to: Coordinate(latitude: 0, longitude: 0))
    }
    #expect(throws: MonitorError.self) {
      try engine.nearestBoundaryPoint("square", to: Coordinate(latitude: 91, longitude: 0))
    }
  }

  @Test func readingsTellWhereTheEdgesDepart() throws {
    let wide = PolygonalGeographicCondition(exterior: [
      Coordinate(latitude: 45, longitude: 0), Coordinate(latitude: 45, longitude: 10),
      Coordinate(latitude: 40, longitude: 5),
    ])
    let departure = try #require(try wide.reading().departure)
    #expect(departure.metres > 10_000 && departure.part == 0 && departure.ring == 0 && departure.edge == 0)
    #expect(try square().reading().departure == nil)
    #expect(wide.contains(Coordinate(latitude: 45.01, longitude: 5)))
    var planar = wide
    planar.edges = .planar
    #expect(!planar.contains(Coordinate(latitude: 45.01, longitude: 5)))
  }
}
