import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the rules of line crossings one by one; ``LineOracleTests`` tests them together.
@Suite struct LineTests {
  static let path = MonitorOptions.Path.geodesic(maxGapMicroseconds: 3_600_000_000)

  private func engine(_ change: (inout MonitorOptions) -> Void = { _ in }) throws -> MonitorEngine {
    var options = MonitorOptions(path: Self.path)
    change(&options)
    return try MonitorEngine(options: options)
  }

  private static let metres = 1 / 111_319.490_793
  private static let northMetres = 1 / 110_574.388_6

  /// A position in metres east and north of the test location on the equator.
  private func place(_ east: Double, _ north: Double) -> Coordinate {
    Coordinate(latitude: north * Self.northMetres, longitude: east * Self.metres)
  }

  private func line(_ points: [(Double, Double)]) -> LineGeographicCondition {
    LineGeographicCondition(path: points.map { place($0.0, $0.1) })
  }

  /// The crossings of a device that moves over lines, each as its time and direction. Consecutive fixes are `every`
  /// seconds apart.
  private func events(
    _ lines: [[(Double, Double)]], _ way: [(Double, Double)], _ every: Double = 10
  ) throws -> [String] {
    var engine = try engine()
    try engine.add(
      LineGeographicCondition(paths: lines.map { $0.map { place($0.0, $0.1) } }), identifier: "g")
    for (index, point) in way.enumerated() {
      try engine.feed(Fix(coordinate: place(point.0, point.1), time: at(Double(index) * every)))
      try checkInvariants(of: engine, "fix \(index)")
    }
    return engine.drain().map(\.crossed)
  }

  @Test func aCrossingIsToldWithItsDirection() throws {
    var engine = try engine()
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g", tag: 7)
    #expect(engine.state(of: "g") == .unknown)
    try engine.feed([
      Fix(coordinate: place(-50, 10), accuracy: 500, time: at(0)),
      Fix(coordinate: place(50, 10), accuracy: 20, time: at(10)),
      Fix(coordinate: place(-50, 10), time: at(20)),
    ])
    let events = engine.drain()
    #expect(events.map(\.brief) == ["g unknown@5.000001 crossing", "g unknown@15.0 crossing"])
    #expect(events.map(\.direction) == [.leftToRight, .rightToLeft])
    let evidence = try #require(events[0].evidence)
    #expect(evidence.source == .path && evidence.accuracy == 500 && evidence.boundaryDistance == 0)
    #expect(evidence.coordinate.longitude.magnitude < 1e-9 && events[0].evidenceDate == events[0].date)
    #expect(events[0].tag == 7 && events[0].beacon == nil && events[0].diagnostics == [])
    #expect(events[0].json.hasSuffix(",\"evidence\":\"path\",\"direction\":\"left_to_right\"}"))
    #expect(events[1].json.hasSuffix("\"right_to_left\"}"))
    #expect(engine.state(of: "g") == .unknown && engine.record(for: "g")?.lastEvent == events[1])
    #expect(engine.record(for: "g")?.condition as? LineGeographicCondition == line([(0, -100), (0, 100)]))
    #expect(engine.identifiers(in: .unknown) == ["g"] && engine.identifiers(in: .unsatisfied) == [])
    #expect(engine.options.path == Self.path)
  }

  @Test func eachCrossingCounts() throws {
    let comb = (0..<10).flatMap { [(Double($0) * 10, -20.0), (Double($0) * 10 + 5, 20.0)] }
    let crossed = try events([comb], [(-30, 0), (150, 0)])
    #expect(crossed.count == 19)
    #expect(Set(zip(crossed, crossed.dropFirst()).map { $0.hasSuffix("r2l") != $1.hasSuffix("r2l") }) == [true])
    // Ten lines of one condition are all crossed in the same direction.
    let ten = (0..<10).map { [(Double($0) * 10, -20.0), (Double($0) * 10, 20.0)] }
    let same = try events(ten, [(-30, 0), (150, 0)])
    #expect(same.count == 10 && same.allSatisfy { $0.hasSuffix("l2r") })
  }

  @Test func whoGoesAroundTheEndDoesNotCross() throws {
    #expect(try events([[(0, 0), (0, 100)]], [(-50, -1), (50, -1), (50, 101), (-50, 101)]).isEmpty)
    #expect(try events([[(0, 0), (0, 100)]], [(-50, 1), (50, 1)]) == ["5.000001 l2r"])
  }

  /// A path through a vertex of the line counts as one crossing; a path that only touches a vertex does not count.
  @Test func verticesCountOnce() throws {
    #expect(try events([[(0, -100), (0, 0), (0, 100)]], [(-50, 0), (50, 0)]).count == 1)
    #expect(try events([[(-40, -100), (0, 0), (-30, 100)]], [(-50, 0), (50, 0)]).count == 1)
    #expect(try events([[(-40, -100), (0, 0), (-30, 100)]], [(50, 0), (-50, 0)]).count == 1)
    // A path that only touches the line gives no event, from either side and in either direction.
    for way in [[(-50.0, 0.0), (50.0, 0.0)], [(50.0, 0.0), (-50.0, 0.0)]] {
      #expect(try events([[(-40, 60), (0, 0), (30, 60)]], way).isEmpty)
      #expect(try events([[(-40, -60), (0, 0), (30, -60)]], way).isEmpty)
      // The path touches an end of the line.
      #expect(try events([[(0, 0), (30, 60)]], way).isEmpty)
      #expect(try events([[(30, 60), (0, 0)]], way).isEmpty)
    }
  }

  /// A fix on the line counts as lying to the left of the line. Therefore a device that stops on the line and then
  /// continues across it is counted once.
  @Test func whoStopsOnTheLineIsCountedOnce() throws {
    for middle in [0.0, -10, 10] {
      #expect(try events([[(0, -100), (0, 100)]], [(-50, 0), (0, middle), (50, 0)]).map(\.direction) == ["l2r"])
      #expect(try events([[(0, -100), (0, 100)]], [(50, 0), (0, middle), (-50, 0)]).map(\.direction) == ["r2l"])
      #expect(try events([[(0, -100), (0, 100)]], [(-50, 0), (0, middle), (-50, 0)]).isEmpty)
      // A path through the vertex of a bent line gives the same events as a path through the vertex of a straight line.
      for bend in [-30.0, 30] {
        let bent = [(bend, -100.0), (0.0, middle), (bend, 100.0)]
        #expect(try events([bent], [(-50, 0), (0, middle), (50, 0)]).map(\.direction) == ["l2r"])
        #expect(try events([bent], [(50, 0), (0, middle), (-50, 0)]).map(\.direction) == ["r2l"])
      }
    }
    // The event has the time of the fix on the line, and that fix is its evidence.
    var engine = try engine()
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g")
    try engine.feed([Fix(coordinate: place(50, 0), time: at(0)), Fix(coordinate: place(0, 0), time: at(10))])
    let next = engine.nextEvent()
    let event = try #require(next)
    #expect(event.date == at(10) && event.evidence?.source == .fix && event.direction == .rightToLeft)
  }

  /// While the path runs along the line, nothing is counted; a crossing is counted when the path leaves the line on the
  /// other side.
  @Test func whoGoesAlongIsCountedWhereHeLeaves() throws {
    let along = [(-50.0, -50.0), (0.0, 0.0), (100.0, 0.0), (150.0, -50.0)]
    #expect(try events([along], [(-100, 0), (200, 0)]).isEmpty)
    let through = [(-50.0, -50.0), (0.0, 0.0), (100.0, 0.0), (150.0, 50.0)]
    #expect(try events([through], [(-100, 0), (200, 0)], 30) == ["20.000001 l2r"])
    #expect(try events([through], [(200, 0), (-100, 0)], 30).map(\.direction) == ["r2l"])
    // While the device stands on the line, its fixes count as being to the left of the line.
    for stops in [[30.0], [30.0, 60.0], [0.0, 100.0], [100.0]] {
      let way = [(-100.0, 0.0)] + stops.map { ($0, 0.0) } + [(200.0, 0.0)]
      #expect(try events([through], way).map(\.direction) == ["l2r"])
      #expect(try events([through], way.reversed()).map(\.direction) == ["r2l"])
      #expect(try events([along], way).isEmpty)
    }
  }

  @Test func aRingIsCrossedInAndOut() throws {
    let ring = [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0), (-20.0, -20.0)]
    #expect(try events([ring], [(-50, 0), (50, 0)]).map(\.direction) == ["r2l", "l2r"])
    // The path goes through the vertex where the ring is closed.
    #expect(try events([ring], [(-40, -40), (0, 0)]).map(\.direction) == ["r2l"])
    #expect(try events([ring], [(-40, 0), (0, -40)]).isEmpty)
    #expect(
      try events([ring], [(-40, -40), (-20, -20), (0, 0), (-20, -20), (-40, -40)]).map(\.direction) == ["r2l", "l2r"])
  }

  /// Events are ordered by time, then by condition, across all kinds of conditions.
  @Test func theyComeInOrderWithTheOthers() throws {
    var engine = try engine()
    try engine.add(line([(0, -100), (0, 100)]), identifier: "b")
    try engine.add(circle(10), identifier: "c", assuming: .unsatisfied, policy: .exact)
    try engine.add(line([(-10, -100), (-10, 100)]), identifier: "a")
    try engine.add(line([(0, -50), (0, 150)]), identifier: "d")
    try engine.feed([Fix(coordinate: place(-50, 0), time: at(0)), Fix(coordinate: place(50, 0), time: at(10))])
    #expect(engine.drain().map { "\($0.identifier) \($0.date!)" }.map { $0.prefix(1) } == ["c", "a", "b", "d", "c"])
  }

  @Test func polesAndTheAntimeridianArePlaces() throws {
    for (start, end, gate) in [
      ((89.999, 0.0), (89.999, 180.0), [(89.99, 90.0), (89.99, -90.0)]),
      ((-89.999, 0.0), (-89.999, 180.0), [(-89.99, -90.0), (-89.99, 90.0)]),
      ((0.0, 179.999), (0.0, -179.999), [(-1.0, 180.0), (1.0, -180.0)]),
      ((10.0, 15.0), (12.0, 25.0), [(-30.0, 20.0), (60.0, 20.0)]),
    ] {
      var engine = try engine()
      let points = gate.map { Coordinate(latitude: $0.0, longitude: $0.1) }
      try engine.add(LineGeographicCondition(path: points), identifier: "g")
      try engine.add(LineGeographicCondition(path: points.reversed()), identifier: "h")
      try engine.feed([
        Fix(latitude: start.0, longitude: start.1, time: at(0)),
        Fix(latitude: end.0, longitude: end.1, time: at(3_000)),
      ])
      let events = engine.drain()
      #expect(events.count == 2 && Set(events.map(\.direction)) == [.leftToRight, .rightToLeft], "\(gate)")
      #expect(
        events.allSatisfy { event in
          (Int64(-1)...1).contains(event.date!.microseconds - events[0].date!.microseconds)
        })
      let shape = try GeodesicShape.validated(LineGeographicCondition(path: points).definition)
      for event in events {
        let speed = 7_000.0
        #expect(shape.boundaryDistance(of: SurfacePoint(event.evidence!.coordinate)) < speed * 1e-6 + 1e-7)
      }
    }
  }

  /// Tests that fixes with impossible speeds cause no trap. Crossing times are whole microseconds, and two opposite
  /// crossings of one line at the same time cancel each other.
  @Test func aJumpOverTheEarthInAMicrosecondIsNoTrap() throws {
    var engine = try engine()
    for index in -8...8 {
      let longitude = Double(index) * 10
      try engine.add(
        LineGeographicCondition(path: [-50, 50].map { Coordinate(latitude: $0, longitude: longitude) }),
        identifier: "\(index)")
    }
    try engine.feed([
      Fix(latitude: 0, longitude: -89, time: at(0)),
      Fix(latitude: 0.1, longitude: 89, time: Timestamp(microseconds: 1)),
      Fix(latitude: 0, longitude: -89, time: Timestamp(microseconds: 3)),
    ])
    let events = engine.drain()
    #expect(events.count == 34)
    #expect(events.prefix(17).map(\.identifier) == (-8...8).map(String.init))
    #expect(events.map { $0.date!.microseconds }.sorted() == events.map { $0.date!.microseconds })
  }

  @Test func onlyWhatIsKnownOfTheWayCounts() throws {
    var options = MonitorOptions(path: .geodesic(maxGapMicroseconds: 60_000_000, maxSpeed: 50))
    options.maxPendingEvents = 3
    var engine = try MonitorEngine(options: options)
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g")
    // The first leg lasts longer than the maximum gap and the second one exceeds the maximum speed, so the third leg is
    // the first one after the gap.
    try engine.feed([
      Fix(coordinate: place(-50, 0), time: at(0)), Fix(coordinate: place(50, 0), time: at(100)),
      Fix(coordinate: place(-50, 0), time: at(101)),
    ])
    #expect(engine.pendingEvents == 0)
    try engine.feed([Fix(coordinate: place(50, 0), time: at(111)), Fix(coordinate: place(-50, 0), time: at(121))])
    #expect(engine.drain().map(\.followsGap) == [true, false])
    // Invalid and late fixes are skipped.
    try engine.feed([
      Fix(coordinate: place(50, 0), accuracy: -1, time: at(122)), Fix(coordinate: place(50, 0), time: at(100)),
      Fix(latitude: .nan, longitude: 0, time: at(123)), Fix(coordinate: place(-40, 0), time: at(124)),
    ])
    #expect(engine.pendingEvents == 0)
    // Two fixes with the same time do not form a path.
    try engine.feed([Fix(coordinate: place(40, 0), time: at(124)), Fix(coordinate: place(41, 0), time: at(125))])
    #expect(engine.pendingEvents == 0)
    // While the queue is full, no fix is accepted; afterwards the path continues from the last accepted fix.
    for second in [130.0, 140, 150, 160] {
      let side = second.truncatingRemainder(dividingBy: 20) == 10 ? -50.0 : 50
      let fix = Fix(coordinate: place(side, 0), time: at(second))
      if second < 160 { try engine.feed(fix) } else { #expect(throws: MonitorError.self) { try engine.feed(fix) } }
    }
    #expect(engine.drain().count == 3)
    try engine.feed(Fix(coordinate: place(50, 0), time: at(160)))
    #expect(engine.drain().map(\.direction) == [.leftToRight])
    // After a rewind, no path may start at a fix that was fed before the rewind.
    try engine.rewind(to: at(150))
    try engine.feed(Fix(coordinate: place(-50, 0), time: at(151)))
    #expect(engine.pendingEvents == 0)
    try engine.feed(Fix(coordinate: place(50, 0), time: at(161)))
    #expect(engine.drain().map(\.direction) == [.leftToRight])
  }

  /// A crossing that is earlier than the clock's time gets the clock's time. For conditions that were added or resumed
  /// since the last fix, the path begins at the clock's time.
  @Test func theClockBoundsTheWay() throws {
    var engine = try engine()
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g")
    try engine.feed(Fix(coordinate: place(-50, 0), time: at(0)))
    try engine.advance(to: at(8))
    try engine.add(line([(0, -100), (0, 100)]), identifier: "late")
    try engine.add(line([(40, -100), (40, 100)]), identifier: "ahead")
    try engine.feed(Fix(coordinate: place(50, 0), time: at(10)))
    let crossed = engine.drain()
    #expect(crossed.map(\.brief) == ["g unknown@8.0 crossing", "ahead unknown@9.000001 crossing"])
    #expect(crossed.map(\.evidenceDate) == [at(5.000_001), at(9.000_001)])
    #expect(crossed.map { $0.evidence?.source } == [.path, .path])
    #expect(crossed[0].evidence!.coordinate.longitude.magnitude < 1e-9)
    try engine.setHostCapabilities([.authorizationDenied], unsupported: [], at: at(11))
    try engine.advance(to: at(17))
    try engine.setHostCapabilities([], unsupported: [], at: at(17))
    try engine.feed(Fix(coordinate: place(-50, 0), time: at(20)))
    #expect(engine.drain().filter { $0.cause != .diagnostic }.isEmpty)
    try engine.setHostCapabilities([], unsupported: [.lineGeographic], at: at(20))
    try engine.feed(Fix(coordinate: place(50, 0), time: at(30)))
    #expect(engine.drain().allSatisfy { $0.cause == .diagnostic && $0.state == .unmonitored })
    try engine.setHostCapabilities([], unsupported: [], at: at(30))
    try engine.feed(Fix(coordinate: place(-50, 0), time: at(40)))
    #expect(engine.drain().map(\.direction) == [.rightToLeft, .rightToLeft, .rightToLeft])
    // A crossing also counts in the first microsecond after the condition was added.
    try engine.feed(Fix(coordinate: place(0, 0), time: at(50)))
    try engine.add(line([(0, -100), (0, 100)]), identifier: "new")
    try engine.feed(Fix(coordinate: place(50, 0), time: at(51)))
    #expect(engine.drain().contains { $0.identifier == "new" })
  }

  /// The removal of a condition also removes its pending events. A condition that replaces it starts as a new
  /// condition.
  @Test func removingTakesTheEventsAlong() throws {
    var engine = try engine()
    let way = [-50.0, 50].enumerated().map { Fix(coordinate: place($1, 0), time: at(Double($0) * 10)) }
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g")
    try engine.add(line([(1, -100), (1, 100)]), identifier: "h")
    try engine.feed(way)
    #expect(engine.pendingEvents == 2)
    engine.remove("g")
    #expect(engine.drain().map(\.identifier) == ["h"])
    #expect(try !engine.ensure(line([(1, -100), (1, 100)]), identifier: "h"))
    #expect(try engine.ensure(line([(1, 100), (1, -100)]), identifier: "h"))
    try engine.feed(Fix(coordinate: place(-50, 0), time: at(20)))
    #expect(engine.drain().map(\.direction) == [.leftToRight])
    try checkInvariants(of: engine, "at the end")
  }

  /// Saves and restores the monitor before each fix. At that time, some events are pending, and others have been
  /// delivered.
  @Test func aSnapshotGoesOn() throws {
    var engine = try engine()
    try engine.add(line([(0, -100), (0, 100)]), identifier: "g", tag: 3)
    try engine.add(
      LineGeographicCondition(paths: [[place(5, -9), place(6, 9)], [place(8, -9), place(7, 9)]], edges: .planar),
      identifier: "h")
    try engine.add(circle(20), identifier: "c", policy: .exact)
    var copy = engine
    for (index, east) in [-50.0, 0, 0, 20, -30, 6, -5].enumerated() {
      let fix = Fix(coordinate: place(east, Double(index) / 10), time: at(Double(index) * 10))
      try engine.feed(fix)
      copy = try MonitorEngine(restoring: copy.snapshot())
      try copy.feed(fix)
      try checkInvariants(of: copy, "fix \(index)")
      #expect(copy.snapshot() == engine.snapshot())
      if index % 2 == 0 {
        let events = [copy.nextEvent(), engine.nextEvent()]
        #expect(events[0] == events[1])
        copy.acknowledge()
        engine.acknowledge()
      }
    }
    let events = engine.drain()
    #expect(events.count > 8 && events == copy.drain())
    #expect(
      copy.record(for: "h")?.condition as? LineGeographicCondition == engine.record(for: "h")?.condition
        as? LineGeographicCondition)
  }

  @Test func onlyAMonitorWithAPathTakesThem() throws {
    let gate = line([(0, -100), (0, 100)])
    func refusal(_ body: () throws -> Void) -> String {
      do { try body() } catch let MonitorError.invalidArgument(reason, _) { return reason } catch { return "\(error)" }
      return "taken"
    }
    var plain = try MonitorEngine()
    #expect(refusal { try plain.add(gate, identifier: "g") }.hasPrefix("path: "))
    #expect(refusal { _ = try plain.ensure(gate, identifier: "g") }.hasPrefix("path: "))
    let set = [NamedCondition(circle(10), identifier: "c"), NamedCondition(gate, identifier: "g")]
    #expect(refusal { try plain.ensure(set) }.hasPrefix("row 1: path: "))
    #expect(refusal { try plain.sync(set) }.hasPrefix("row 1: path: "))
    #expect(plain.conditionCount == 0)
    for delivery in [MonitorOptions.Delivery.first, .latest] {
      var other = try engine { $0.delivery = delivery }
      #expect(refusal { try other.add(gate, identifier: "g") }.hasPrefix("delivery: "))
    }
    let table = Conditions()
    var fleet: FleetEngine? = try FleetEngine(table)
    #expect(refusal { try table.add(gate, identifier: "g") }.hasPrefix("path: "))
    #expect(refusal { try table.ensure(set) }.hasPrefix("row 1: path: "))
    fleet = nil
    try table.add(gate, identifier: "g")
    #expect(fleet == nil && refusal { _ = try FleetEngine(table) }.hasPrefix("path: "))
    var engine = try engine()
    #expect(refusal { try engine.add(gate, identifier: "g", policy: .exact) }.hasPrefix("policy: "))
    #expect(refusal { try engine.add(gate, identifier: "g", assuming: .satisfied) }.hasPrefix("assumed: "))
    #expect(refusal { try engine.add(line([(0, 0)]), identifier: "g") }.hasPrefix("too_few_vertices: "))
    #expect(refusal { try engine.add(line([(0, 0), (0, 0)]), identifier: "g") }.hasPrefix("too_few_vertices: "))
    #expect(refusal { try engine.add(line([]), identifier: "g") }.hasPrefix("empty: "))
    #expect(
      refusal {
        try engine.add(
          LineGeographicCondition(path: [place(0, 0), Coordinate(latitude: 0, longitude: 180)]), identifier: "g")
      }
      .hasPrefix("edge_too_long: "))
    #expect(engine.conditionCount == 0)
    try engine.sync(set)
    #expect(ConditionKind.lineGeographic.region == nil)
    // A table cannot be restored from the snapshot of a monitor with a path.
    #expect(throws: MonitorError.self) { _ = try Conditions(restoring: engine.snapshot()) }
  }

  @Test func questionsTakeItForACorridorWithoutAWidth() throws {
    var engine = try engine()
    let gate = line([(0, -100), (0, 100)])
    try engine.add(gate, identifier: "g")
    #expect(gate.contains(place(0, 0)) && !gate.contains(place(1e-3, 0)))
    #expect(try gate.reading().depth == 0)
    #expect(try abs(engine.safeDistance(at: place(50, 0)) - 50) < 1e-3)
    #expect(engine.explain("g")?.reason == .noFixYet)
    try engine.feed(Fix(coordinate: place(30, 0), accuracy: 4_000, time: at(0)))
    let explanation = try #require(engine.explain("g"))
    #expect(explanation.reason == .outside && explanation.observed == .unknown && explanation.accuracyNeeded == nil)
    #expect(abs(explanation.metresToDecide! - 30) < 1e-3 && explanation.entryMargin == nil)
    #expect(try engine.nearestBoundaryPoint("g", to: place(30, 50))!.longitude.magnitude < 1e-9)
  }
}

extension Event {
  /// The time of a crossing in seconds and its direction, as in "5.000001 l2r".
  var crossed: String {
    "\(Double(date!.microseconds) / 1e6) \(direction.map { $0 == .leftToRight ? "l2r" : "r2l" } ?? "none")"
  }
}

extension String {
  fileprivate var direction: String { String(suffix(3)) }
}
