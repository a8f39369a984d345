import Testing

@testable import Fencepost
@testable import FencepostCore

/// Circles that are not near a fix are decided without being evaluated, with the same results as an evaluation.
@Suite struct TrackerDeterminationTests {
  /// Creates a monitor with many circles around the place where the random calls happen.
  private func crowded(_ number: Int) throws -> (MonitorEngine, RandomLife) {
    var random = SeededGenerator("crowd", salt: UInt64(number))
    var steps = RandomLife("lives of forks", number)
    var options = steps.options()
    if random.chance(0.7) { options.conditionLimit = nil }
    options.maxPendingEvents = 1_000_000
    var engine = try MonitorEngine(name: "crowd", options: options)
    let strangers: Double = [0.0, 0.002, 0.3].randomElement(using: &random) ?? 0
    for index in 0..<1_500 {
      try engine.add(
        circle(
          random.uniform(10...400), latitude: random.uniform(-0.05...0.05), longitude: random.uniform(-0.05...0.05)),
        identifier: "crowd \(index)", assuming: random.chance(strangers) ? .unknown : .unsatisfied,
        policy: [.exact, .standard].randomElement(using: &random) ?? .exact)
    }
    for _ in 0..<random.integer(0...30) { _ = steps.step().play(&engine) }
    return (engine, steps)
  }

  /// Plays the same random calls in two engines: a fork, which evaluates only the circles that may need it, and an
  /// engine that records changes for a storage and therefore evaluates each circle. The fork and the engine give the
  /// same events and the same final bytes, and the original does not change.
  @Test func forksLiveAsThoseThatLookAtAll() throws {
    var small = 0
    for number in 0..<60 {
      let (original, life) = try crowded(number)
      var steps = life
      let before = original.snapshot()
      var plain = original
      plain.abandon()
      plain.beginJournal()
      var fork = original.fork()
      for index in 0..<60 {
        if index % 20 == 10 {
          fork = fork.fork()
          plain.abandon()
        }
        let step = steps.step()
        let expected = step.play(&plain)
        #expect(step.play(&fork) == expected, "life \(number), step \(index): \(step)")
        #expect(fork.statistics == plain.statistics, "life \(number), step \(index): \(step)")
        if index % 20 == 19 { try checkInvariants(of: fork, "life \(number), step \(index): \(step)") }
      }
      if fork.tracker.known.shapes.placeCount + fork.delivery.told.placeCount < 1_000 { small += 1 }
      for identifier in plain.identifiers where identifier.hasSuffix("7") {
        #expect(fork.explain(identifier) == plain.explain(identifier), "life \(number): \(identifier)")
      }
      let isSame = fork.snapshot() == plain.snapshot()
      let isUntouched = original.snapshot() == before
      #expect(isSame, "life \(number): the snapshots differ")
      #expect(isUntouched, "life \(number): the original changed")
    }
    #expect(small > 15, "too few lives of forks that keep only what happened to them")
  }

  /// A monitor assumes that 20 000 circles are unsatisfied. After the first fix, the fork stores entries only for the
  /// circles near the fix.
  @Test func aFirstFixPaysForWhatIsNear() throws {
    var engine = try MonitorEngine(name: "m")
    for index in 0..<20_000 {
      try engine.add(
        circle(100, longitude: Double(index) / 1_000), identifier: "\(index)", assuming: .unsatisfied, policy: .exact)
    }
    try engine.add(circle(100, longitude: 50), identifier: "asked for", assuming: .unknown)
    var fork = engine.fork()
    try fork.feed(fix(1, 0))
    #expect(fork.drain().map(\.identifier) == ["0", "asked for"])
    #expect(fork.tracker.known.shapes.placeCount <= 16)
    #expect(fork.delivery.told.placeCount <= 16)
    #expect(fork.state(of: "19999") == .unsatisfied)
    #expect(engine.state(of: "19999") == .unknown)
    try fork.checkInvariants()
    try engine.checkInvariants()
  }

  /// When a fix decides many circles at once, the engine keeps what it knows about the other circles: an earlier fix
  /// was inside a circle, a fix was too coarse for it, or the condition limit has no place for it.
  @Test func whatIsKnownBeforeIsKept() throws {
    var engine = try MonitorEngine(name: "m", options: MonitorOptions(conditionLimit: 400))
    try engine.feed(fix(1, 0))
    for index in 0..<300 {
      try engine.add(circle(100, longitude: Double(index) / 2), identifier: "\(index)", assuming: .unsatisfied)
    }
    #expect(engine.state(of: "0") == .satisfied)
    #expect(engine.state(of: "200") == .unsatisfied)
    try engine.rewind(to: at(1))
    #expect(engine.state(of: "0") == .unknown)
    for index in 300..<500 {
      try engine.add(circle(100, longitude: Double(index - 300) / 2), identifier: "\(index)", assuming: .unsatisfied)
    }
    try engine.checkInvariants()
    try engine.feed(Fix(latitude: 0, longitude: 0.25, accuracy: 150_000, time: at(2)))
    try engine.checkInvariants()
    #expect(["0", "1", "300"].allSatisfy { engine.state(of: $0) == .unknown })
    #expect(engine.state(of: "200") == .unsatisfied)
    #expect(engine.state(of: "450") == .unknown, "it waits for a place")
    engine.remove("200")
    try engine.checkInvariants()
    try engine.feed(fix(3, 0))
    #expect(engine.state(of: "0") == .satisfied && engine.state(of: "300") == .satisfied)
    #expect(engine.state(of: "400") == .unsatisfied, "it got the place")
    try engine.checkInvariants()
  }
}
