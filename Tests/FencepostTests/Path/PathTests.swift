import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the rules of paths one by one; ``PathOracleTests`` tests them together.
@Suite struct PathTests {
  private func engine(
    maxGap: Double = 600, maxSpeed: Double? = nil, _ change: (inout MonitorOptions) -> Void = { _ in }
  ) throws -> MonitorEngine {
    var options = MonitorOptions(path: .geodesic(maxGapMicroseconds: Int64(maxGap * 1e6), maxSpeed: maxSpeed))
    change(&options)
    return try MonitorEngine(options: options)
  }

  /// A fix `metres` metres east of the test location on the equator.
  private func east(_ seconds: Double, _ metres: Double, _ accuracy: Double = 5) -> Fix {
    fix(seconds, metres, accuracy, bearing: 90)
  }

  @Test func aDriveThroughIsAnEntryAndAnExit() throws {
    var engine = try engine()
    try engine.add(circle(100), identifier: "c", policy: .exact)
    try engine.feed([east(0, -500), east(50, 500)])
    let events = engine.drain()
    #expect(
      events.map(\.brief) == [
        "c unsatisfied@0.0 determination", "c satisfied@20.0 crossing", "c unsatisfied@30.0 crossing",
      ])
    #expect(events.map { $0.evidence?.source } == [.fix, .path, .path])
    #expect(events.allSatisfy { !$0.followsGap })
    let evidence = try #require(events[1].evidence)
    #expect(events[1].evidenceDate == events[1].date)
    #expect(evidence.boundaryDistance.magnitude < 1e-4 && evidence.boundaryDistance <= 0)
    #expect(evidence.accuracy == 5 && evidence.coordinate.latitude.magnitude < 1e-12)
    #expect(engine.statistics.inputCount == 2 && engine.tracker.lastFix?.time == at(50))
    #expect(events[1].json.hasSuffix(",\"evidence\":\"path\"}"))
    #expect(!events[0].json.contains("\"evidence\""))
  }

  /// A leg of length 0 during a dwell has no interior points to evaluate, not even if its times are before 1970.
  @Test(arguments: [-1e9, 0, 1e9]) func legOfLengthZero(_ start: Double) throws {
    var engine = try engine(maxGap: 10_000)
    try engine.add(
      circle(100), identifier: "c",
      policy: TransitionPolicy(
        entryDwellMicroseconds: 30_000_000, exitDwellMicroseconds: 30_000_000, dwellPolicy: .evidence))
    try engine.feed([
      east(start, 0), east(start + 10, 1_000), east(start + 100, 1_000), east(start + 110, 0), east(start + 200, 0),
    ])
    #expect(engine.drain().map(\.state) == [.satisfied, .unsatisfied, .satisfied])
  }

  /// Tests a leg with both ends inside: it causes two crossings if part of the path between the ends is outside, and no
  /// crossing if the whole path is inside.
  @Test func bothEndsInside() throws {
    var engine = try engine()
    let ring = [
      (-0.01, -0.01), (0.01, -0.01), (0.01, -0.002), (-0.005, -0.002), (-0.005, 0.002), (0.01, 0.002), (0.01, 0.01),
      (-0.01, 0.01),
    ]
    .map { Coordinate(latitude: $0.0, longitude: $0.1) }
    try engine.add(PolygonalGeographicCondition(exterior: ring), identifier: "u", policy: .exact)
    try engine.add(circle(2_000), identifier: "c", policy: .exact)
    try engine.feed([
      Fix(latitude: 0, longitude: -0.004, time: at(0)), Fix(latitude: 0, longitude: 0.004, time: at(80)),
    ])
    #expect(
      engine.drain().map(\.brief) == [
        "u satisfied@0.0 determination", "c satisfied@0.0 determination", "u unsatisfied@20.000001 crossing",
        "u satisfied@60.0 crossing",
      ])
  }

  @Test func aDwellCountsFromTheCrossing() throws {
    var engine = try engine()
    try engine.add(circle(300), identifier: "c", policy: .standard)
    try engine.feed([east(0, -1_000), east(200, 1_000)])
    // From 72 s on, the path is inside the circle by more than the margin of 20 m. From 132 s on, the path is outside
    // the circle, again by more than the margin. Each state must last for 20 s.
    #expect(
      engine.drain().map(\.brief) == [
        "c unsatisfied@0.0 determination", "c satisfied@92.0 crossing", "c unsatisfied@152.000001 crossing",
      ])
  }

  @Test func aGrazeWithinTheMarginIsNothing() throws {
    var engine = try engine()
    try engine.add(circle(100, latitude: 90.0 / 110_574), identifier: "c")
    try engine.feed([east(0, -500), east(500, 500)])
    #expect(engine.drain().count == 1)
  }

  @Test(arguments: [1e-3, 1e-6, 1e-9, 0, -1e-9, -1e-6, -1e-3])
  func tangents(_ past: Double) throws {
    let north = GeodesicDirect.solve(latitude: 0, longitude: 0, azimuth: 0, distance: 100 + past)
    var engine = try engine()
    try engine.add(circle(100, latitude: north.latitude), identifier: "c", policy: .exact)
    try engine.feed([east(0, -1_500), east(100, 1_500)])
    let events = engine.drain().dropFirst().map(\.state)
    if past > 1e-8 {
      #expect(events == [])
    } else if past < -1e-8 {
      #expect(events == [.satisfied, .unsatisfied])
    } else {
      // The path passes within 1e-8 m of the circle's boundary, which is less than the accuracy of distances. So either
      // no event occurs, or an entry and an exit occur; the final state is the same in both cases.
      #expect(events == [] || events == [.satisfied, .unsatisfied])
    }
  }

  @Test func rootsAreThoseOfBisection() throws {
    var random = SeededGenerator("PathTests roots")
    var found = 0
    for round in 0..<300 {
      let middle = Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180))
      let radius = random.logarithmic(10, 2e6)
      let start = moved(middle, random.uniform(0...360), radius * random.uniform(1.01...2))
      let end = moved(middle, random.uniform(0...360), radius * random.uniform(0...0.99))
      var engine = try engine(maxGap: 1e6)
      try engine.add(CircularGeographicCondition(center: middle, radius: radius), identifier: "c", policy: .exact)
      let seconds = max(1, radius / 30)
      let fixes = [Fix(coordinate: start, time: at(0)), Fix(coordinate: end, time: at(seconds))]
      try engine.feed(fixes)
      let events = engine.drain()
      try #require(events.count == 2, "round \(round)")
      var leg = Leg(from: fixes[0], to: fixes[1])
      var (low, high): (Int64, Int64) = (0, at(seconds).microseconds)
      while high - low > 1 {
        let time = (low + high) / 2
        let place = leg.place(at: time).coordinate
        let distance = GeodesicInverse.distance(
          latitude1: middle.latitude, longitude1: middle.longitude, latitude2: place.latitude,
          longitude2: place.longitude)
        if distance <= radius { high = time } else { low = time }
      }
      #expect(((events[1].date?.microseconds ?? 0) - high).magnitude <= 1, "round \(round)")
      found += 1
    }
    #expect(found == 300)
  }

  /// Tests short legs, which are computed on the straight line: grazing, creeping and fast legs that start near the
  /// boundary or on it. The computation finds the same passage times as bisection between exact positions.
  @Test func passagesOfShortLegsAreThoseOfTheirPlaces() {
    var random = SeededGenerator("PathTests short legs")
    var (passed, never) = (0, 0)
    for round in 0..<3_000 {
      let middle = Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180))
      let radius = random.logarithmic(0.5, 14_000)
      let length = random.logarithmic(1e-4, 299)
      let aside = [0, random.uniform(-1e-5...1e-5), random.uniform(-1...1) * length][random.integer(0...2)]
      let start = moved(middle, random.uniform(0...360), max(0, radius + aside))
      let end = moved(start, random.uniform(0...360), length)
      let duration = Int64(random.logarithmic(10, 3e8))
      var leg = Leg(
        from: Fix(coordinate: start, time: Timestamp(microseconds: -5)),
        to: Fix(coordinate: end, time: Timestamp(microseconds: duration)))
      let circle = Circle(latitude: middle.latitude, longitude: middle.longitude, radius: radius)
      let passage: PathThreshold.Passage = [.inwards, .outwards, .beyond][random.integer(0...2)]
      let threshold = PathThreshold(passage: passage, level: 0, margins: (0, 0))
      var search = PassageSearch(leg)
      let found = search.first(threshold, of: .circle(circle), from: 0, through: duration - 1)
      // Returns how far the path is beyond the threshold, in metres; distances are accurate to a few nanometres.
      func past(_ time: Int64) -> Double {
        let excess = circle.distance(to: leg.place(at: time).coordinate) - radius
        return passage == .inwards ? -excess : excess
      }
      if let found {
        passed += 1
        #expect(past(found) > -2e-8, "round \(round)")
        if found > 0 { #expect(past(found - 1) < 2e-8, "round \(round)") }
      } else {
        never += 1
        for part in 0...40 { #expect(past((duration - 1) * Int64(part) / 40) < 2e-8, "round \(round)") }
      }
    }
    #expect(passed > 500 && never > 500, "\(passed), \(never)")
  }

  @Test func severalAtOneInstantComeInAddOrder() throws {
    var engine = try engine()
    for name in ["b", "a", "c"] {
      try engine.add(circle(100), identifier: name, assuming: .unsatisfied, policy: .exact)
    }
    try engine.feed([east(0, -500), east(50, 500)])
    #expect(
      engine.drain().map(\.brief) == [
        "b satisfied@20.0 crossing", "a satisfied@20.0 crossing", "c satisfied@20.0 crossing",
        "b unsatisfied@30.0 crossing", "a unsatisfied@30.0 crossing", "c unsatisfied@30.0 crossing",
      ])
  }

  /// The path has the larger of the accuracy values of its two end fixes; the fix at the end of the path has its own
  /// accuracy value.
  @Test func accuracy() throws {
    var engine = try engine()
    var policy = TransitionPolicy.exact
    policy.accuracyFactor = 1
    try engine.add(circle(200), identifier: "c", assuming: .unsatisfied, policy: policy)
    try engine.feed([east(0, -500, 5), east(40, -100, 90)])
    // The path is 110 m from the centre at 39 s.
    #expect(engine.drain().map(\.brief) == ["c satisfied@39.000001 crossing"])
    try engine.feed([east(80, -290.5, 0), east(81, -291, 0)])
    #expect(engine.drain().map { $0.evidence?.source } == [.path])
    // If the accuracy is 90 m along the whole path, the path does not decide the state.
    #expect(engine.tracker.observed(0, engine.table) == .outside)
  }

  @Test func standingStillAndEqualTimes() throws {
    var engine = try engine(maxSpeed: 1)
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied)
    try engine.feed([east(0, 10), east(1, 10), east(30, 10)])
    try engine.feed([east(30, 5_000), east(30, 10), east(40, 10)])
    #expect(engine.drain().map(\.brief) == ["c satisfied@0.0 determination"])
    try engine.feed(east(40, 500))
    try engine.advance(to: at(60))
    // The jump between two fixes with the same time is not a gap: such a jump is a gap only if it crosses a line.
    let events = engine.drain()
    #expect(events.map(\.brief) == ["c unsatisfied@60.0 crossing"])
    #expect(events.allSatisfy { !$0.followsGap })
  }

  // MARK: - Gaps

  @Test func aGapIsToldByTheNextEvents() throws {
    var engine = try engine(maxGap: 60)
    for name in ["a", "b"] { try engine.add(circle(100), identifier: name, assuming: .unsatisfied, policy: .exact) }
    try engine.feed([east(0, -500), east(61, 500), east(62, 510)])
    #expect(engine.drain().isEmpty)
    var copy = try MonitorEngine(restoring: engine.snapshot())
    #expect(copy.snapshot() == engine.snapshot())
    for index in 0..<2 {
      let restored = index == 0 ? copy : engine
      copy = restored
      try copy.feed([east(112, 10), east(162, 510)])
      let events = copy.drain()
      #expect(events.map(\.followsGap) == [true, true, false, false])
      #expect(events.map { $0.evidence?.source } == [.path, .path, .path, .path])
      #expect(events[0].json.hasSuffix(",\"evidence\":\"path\",\"gap\":true}"))
    }
  }

  @Test func aSpeedIsAGap() throws {
    var engine = try engine(maxGap: 600, maxSpeed: 50)
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied, policy: .exact)
    try engine.feed([east(0, -500), east(10, 500), east(60, 0)])
    let events = engine.drain()
    #expect(events.map(\.brief) == ["c satisfied@50.0 crossing"])
    #expect(events[0].followsGap && events[0].evidence?.source == .path)
  }

  @Test func theFirstFixIsNoGapAndARewindForgetsOne() throws {
    var engine = try engine(maxGap: 1)
    try engine.add(circle(100), identifier: "c")
    try engine.feed(east(100, 0))
    #expect(engine.drain().map(\.followsGap) == [false])
    try engine.feed(east(200, 0))
    try engine.rewind(to: at(50))
    try engine.feed(east(60, 5_000))
    #expect(engine.drain().map(\.followsGap) == [false])
  }

  /// A change without an event does not clear the gap mark: the next event carries the mark.
  @Test func aSilentChangeTellsNoGap() throws {
    var engine = try engine(maxGap: 30)
    var policy = TransitionPolicy.exact
    policy.notify = [.exit]
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied, policy: policy)
    try engine.feed([east(0, -500), east(40, 0), east(60, 500)])
    let events = engine.drain()
    #expect(events.map(\.brief) == ["c unsatisfied@44.0 crossing"])
    #expect(events.map(\.followsGap) == [true])
  }

  // MARK: - The clock

  /// After an advance, the path to the next fix begins at the time of the advance, because earlier times would be late.
  @Test func whatLiesBeforeTheClockIsLate() throws {
    var engine = try engine()
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied, policy: .exact)
    try engine.feed(east(0, -500))
    try engine.advance(to: at(25))
    try engine.feed(east(50, 500))
    #expect(engine.drain().map(\.brief) == ["c satisfied@25.0 crossing", "c unsatisfied@30.0 crossing"])
  }

  /// A condition that is added between two fixes gets its first state from the position on the path at that time,
  /// unless an earlier fix is recent enough to determine the state.
  @Test func whatIsAddedOnTheWay() throws {
    var engine = try engine { $0.initialFixMaxAgeMicroseconds = -1 }
    try engine.feed(east(0, -500))
    try engine.advance(to: at(25))
    try engine.add(circle(100), identifier: "c", policy: .exact)
    try engine.feed(east(50, 500))
    let events = engine.drain()
    #expect(events.map(\.cause) == [.determination, .crossing])
    #expect(events[0].date == at(25) && events[0].state == .satisfied && events[0].evidence?.source == .path)
  }

  @Test func beaconsGoOnInOrderOfTime() throws {
    var engine = try engine()
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    try engine.add(circle(100), identifier: "c", assuming: .unsatisfied, policy: .exact)
    try engine.feed(east(0, -500))
    try engine.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 1)], at: at(0))
    try engine.feed(east(70, 900))
    #expect(
      engine.drain().map(\.brief) == [
        "b satisfied@0.0 determination", "c satisfied@20.0 crossing", "b unsatisfied@30.0 timeout",
        "c unsatisfied@30.0 crossing",
      ])
  }

  // MARK: - Long and hostile ways

  @Test func aFlightOfFiveThousandKilometres() throws {
    var engine = try engine(maxGap: 1e6)
    let start = Coordinate(latitude: 50, longitude: 170)
    for index in 0..<200 {
      let middle = moved(moved(start, 60, Double(index) * 25_000), 150, Double(index % 7) * 300)
      try engine.add(
        CircularGeographicCondition(center: middle, radius: 2_000), identifier: "\(index)", assuming: .unsatisfied,
        policy: .exact)
    }
    let end = moved(start, 60, 5e6)
    try engine.feed([Fix(coordinate: start, time: at(0)), Fix(coordinate: end, time: at(20_000))])
    let events = engine.drain()
    #expect(events.count == 400)
    for (one, next) in zip(events, events.dropFirst()) { #expect(one.date! <= next.date!) }
  }

  /// A path along an edge touches the edge everywhere, and the evaluation must still end after a reasonable time.
  @Test func aPathAlongAnEdgeEnds() throws {
    var engine = try engine(maxGap: 1e6)
    let ring = [(0.0, 0.0), (0.0, 0.05), (0.1, 0.05), (0.1, 0.0)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
    try engine.add(PolygonalGeographicCondition(exterior: ring), identifier: "p", policy: .exact)
    try engine.add(CorridorGeographicCondition(path: ring, radius: 1e-3), identifier: "k", policy: .exact)
    for south in [0, 1e-9, 1e-6, 1e-3, 1] {
      let latitude = -south / 110_574
      let begin = engine.currentTime.map { Double($0.microseconds) / 1e6 + 1 } ?? 0
      try engine.feed([
        Fix(latitude: latitude, longitude: -0.02, time: at(begin)),
        Fix(latitude: latitude, longitude: 0.07, time: at(begin + 1e3)),
      ])
      #expect(engine.drain().count < 30_000)
    }
    try engine.checkInvariants()
  }

  @Test func hostileInputs() throws {
    var engine = try engine(maxGap: 1e9) { $0.maxPendingEvents = 4 }
    for index in 0..<20 { try engine.add(circle(100), identifier: "\(index)", policy: .exact) }
    try engine.add(circle(1), identifier: "s")
    let places: [(Double, Double)] = [
      (0, 0), (90, 0), (-90, 0), (0, 180), (0, -180), (1e-300, 1e-300), (0, 179.9999999),
    ]
    var time = 0.0
    for (index, place) in (places + places.reversed()).enumerated() {
      let accuracies = [0, .infinity, 1e300, .leastNonzeroMagnitude]
      time += index % 3 == 0 ? 1e-6 : 1e8
      let fix = Fix(latitude: place.0, longitude: place.1, accuracy: accuracies[index % 4], time: at(time))
      // A full queue refuses the fix and leaves nothing half done.
      do { try engine.feed(fix) } catch { #expect(engine.pendingEvents >= 4) }
      try engine.checkInvariants()
      _ = engine.drain()
    }
  }

  @Test func optionsAreHeldToTheirRange() throws {
    for path: MonitorOptions.Path in [
      .geodesic(maxGapMicroseconds: 0), .geodesic(maxGapMicroseconds: -1), .geodesic(maxGapMicroseconds: .max),
      .geodesic(maxGapMicroseconds: 1, maxSpeed: 0), .geodesic(maxGapMicroseconds: 1, maxSpeed: .nan),
      .geodesic(maxGapMicroseconds: 1, maxSpeed: .infinity), .geodesic(maxGapMicroseconds: 1, maxSpeed: -1),
    ] {
      #expect(throws: MonitorError.self) { try MonitorEngine(options: MonitorOptions(path: path)) }
    }
    let engine = try MonitorEngine(
      options: MonitorOptions(path: .geodesic(maxGapMicroseconds: 7, maxSpeed: 0.1)))
    #expect(try MonitorEngine(restoring: engine.snapshot()).options == engine.options)
  }

  /// A snapshot preserves a crossing that began on the path between two fixes and is not confirmed yet.
  @Test func aCandidateOnThePathIsSaved() throws {
    var engine = try engine()
    try engine.add(circle(300), identifier: "c", assuming: .unsatisfied)
    try engine.feed([east(0, -1_000), east(80, -200)])
    #expect(engine.tracker.candidate(of: 0)?.isOnPath == true)
    var copy = try MonitorEngine(restoring: engine.snapshot())
    try copy.advance(to: at(200))
    try engine.advance(to: at(200))
    let events = engine.drain()
    #expect(events.map(\.brief) == ["c satisfied@92.0 crossing"])
    #expect(events[0].evidence?.source == .path && events[0].evidenceDate == at(72))
    #expect(copy.drain() == events)
  }
}
