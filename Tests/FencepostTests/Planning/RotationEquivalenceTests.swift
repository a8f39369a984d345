import FencepostKernel
import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Runs scenario S53: feeding only the fixes that wake the host gives the same committed events as feeding all fixes.
@Suite struct RotationEquivalenceTests {
  @Test(arguments: 0..<8)
  func feedingWhatWakesTheHostIsEnough(_ part: UInt64) throws {
    var random = SeededGenerator("rotation, part \(part)", salt: part)
    try run(&random, worlds: 130, mostConditions: 60, "part \(part)")
  }

  /// Uses 500 conditions and 20 slots, as scenario S53 does.
  @Test func fiveHundredConditions() throws {
    var random = SeededGenerator("rotation, 500 conditions")
    for world in 0..<6 {
      _ = try run(&random, conditions: 500, slots: 20, fixes: 300, "world \(world)")
    }
  }

  /// Uses polygons and corridors, which a platform monitors as circles.
  @Test(arguments: 0..<4)
  func shapesAmongCircles(_ part: UInt64) throws {
    var random = SeededGenerator("rotation with shapes, part \(part)", salt: 100 + part)
    try run(&random, worlds: 40, mostConditions: 40, shapes: 0.6, "part \(part)")
  }

  /// Uses conditions with hours, absences, repeats and a largest number of events.
  @Test(arguments: 0..<4)
  func hours(_ part: UInt64) throws {
    var random = SeededGenerator("rotation with hours, part \(part)", salt: 200 + part)
    try run(&random, worlds: 60, mostConditions: 40, shapes: 0.3, timings: 0.8, "part \(part)")
  }

  /// Runs many worlds, and checks that the host leaves out some fixes.
  private func run(
    _ random: inout SeededGenerator, worlds: Int, mostConditions: Int, shapes: Double = 0, timings: Double = 0,
    _ name: String
  ) throws {
    var offered = 0
    var fed = 0
    for world in 0..<worlds {
      let outcome = try run(
        &random, conditions: random.integer(1...mostConditions), fixes: 120, shapes: shapes, timings: timings,
        "\(name) world \(world)")
      offered += outcome.offered
      fed += outcome.fed
    }
    #expect(fed < offered, "nothing was spared")
  }

  private func timing(_ random: inout SeededGenerator) throws -> ConditionTiming {
    var timing = ConditionTiming()
    if random.chance(0.8) {
      var edges = Set<Int>()
      for _ in 0..<random.integer(0...8) { edges.insert(random.integer(-50...900)) }
      let sorted = edges.sorted()
      let pairs = stride(from: 0, to: sorted.count & ~1, by: 2)
      let intervals = pairs.map { (start: at(Double(sorted[$0])), end: at(Double(sorted[$0 + 1]))) }
      timing.schedule = try Schedule(intervals)
    }
    if random.chance(0.3) { timing.absentAfterMicroseconds = 15_000_000 }
    if random.chance(0.3) { timing.repeatEveryMicroseconds = 20_000_000 }
    if random.chance(0.3) { timing.maxEvents = 3 }
    return timing
  }

  private func run(
    _ random: inout SeededGenerator, conditions: Int, slots: Int? = nil, fixes: Int, shapes: Double = 0,
    timings: Double = 0, _ name: String
  ) throws -> (offered: Int, fed: Int) {
    let home = Coordinate(latitude: asin(random.uniform(-1...1)) * 180 / .pi, longitude: random.uniform(-180...180))
    let spread = random.logarithmic(300, 200_000)
    func moved(_ from: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
      let end = GeodesicDirect.solve(
        latitude: from.latitude, longitude: from.longitude, azimuth: azimuth, distance: distance)
      return Coordinate(latitude: end.latitude, longitude: end.longitude)
    }
    func policy() -> TransitionPolicy {
      switch random.integer(0...4) {
      case 0: return .exact
      case 1: return .standard
      case 2: return .coreLocation
      default:
        return TransitionPolicy(
          entryDwellMicroseconds: Int64(random.integer(0...40)) * 1_000_000,
          exitDwellMicroseconds: Int64(random.integer(0...40)) * 1_000_000, entryMargin: random.uniform(0...60),
          exitMargin: random.uniform(0...60), accuracyFactor: random.uniform(0...2),
          dwellPolicy: random.chance(0.5) ? .timer : .evidence)
      }
    }

    var all = try MonitorEngine()
    var subset = try MonitorEngine()
    func add(_ index: Int, to all: inout MonitorEngine, _ subset: inout MonitorEngine) throws {
      let center = moved(home, random.uniform(0...360), spread * random.uniform(0...1))
      var condition: any Condition = CircularGeographicCondition(
        center: center, radius: random.logarithmic(5, spread / 2))
      if random.chance(shapes) {
        let shape = random.shape(around: center, radius: random.logarithmic(20, spread))
        if (try? GivenCondition(shape).subject()) != nil { condition = shape }
      }
      let policy = policy()
      let assumed: Event.State = [.unknown, .satisfied, .unsatisfied][random.integer(0...2)]
      var options = ConditionTiming.none
      if timings > 0, random.chance(timings) { options = try timing(&random) }
      try all.add(condition, identifier: "c\(index)", assuming: assumed, policy: policy, timing: options)
      try subset.add(condition, identifier: "c\(index)", assuming: assumed, policy: policy, timing: options)
    }
    for index in 0..<conditions { try add(index, to: &all, &subset) }

    let planner = try RotationPlanner(
      slots: slots ?? random.integer(1...24), margin: random.chance(0.5) ? 0 : random.uniform(0...50),
      maximumRadius: random.chance(0.2) ? random.logarithmic(1, 10_000) : .infinity)
    var host = RotatingHost(subset, planner)
    var expected: [Event] = []
    var got: [Event] = []
    var place = moved(home, random.uniform(0...360), spread * random.uniform(0...1))
    var heading = random.uniform(0...360)
    var seconds = 0.0
    let pace = random.logarithmic(1, 300)
    for step in 0..<fixes {
      heading += random.uniform(-40...40)
      place = moved(place, heading, pace * random.uniform(0...2))
      if random.chance(0.02) { place = moved(home, random.uniform(0...360), spread * random.uniform(0...1)) }
      seconds += random.chance(0.1) ? random.uniform(0...100) : random.uniform(0...5)
      let accuracy = random.chance(0.05) ? random.logarithmic(100, 5_000) : random.uniform(0...40)
      let fix = Fix(coordinate: place, accuracy: accuracy, time: at(random.chance(0.02) ? seconds - 20 : seconds))
      if fix.time >= all.currentTime ?? .earliest { try all.feed(fix) }  // a monitor would refuse late fixes
      expected += all.drain()
      try host.offer(fix)
      got += host.engine.drain()
      if random.chance(0.03), host.plan != nil, fix.time == all.currentTime {
        // Conditions change only when a fix is fed.
        if host.engine.tracker.lastFix != fix { try host.feed(fix) }
        got += host.engine.drain()
        let index = random.integer(0...conditions)
        try add(index, to: &all, &host.engine)
        if random.chance(0.3) {
          all.remove("c\(index / 2)")
          host.engine.remove("c\(index / 2)")
        }
        try host.replan(fix)
        expected += all.drain()
        got += host.engine.drain()
      }
      if step == fixes / 2 {
        try all.advance(to: at(seconds))
        try host.advance(to: at(seconds))
      }
    }
    try all.advance(to: at(seconds + 1_000))
    try host.advance(to: at(seconds + 1_000))
    expected += all.drain()
    got += host.engine.drain()
    #expect(host.faults.isEmpty, "\(name): \(host.faults.prefix(3))")
    if got != expected {
      let place = zip(got, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(got.count, expected.count)
      func brief(_ events: [Event]) -> String { place < events.count ? "\(events[place])" : "none" }
      Issue.record("\(name), event \(place): \(brief(got)) instead of \(brief(expected))")
    }
    return (fixes, host.fed)
  }
}
