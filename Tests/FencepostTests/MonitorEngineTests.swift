import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct MonitorEngineTests {
  // MARK: - Bad input

  static let badFixes: [Fix] = [
    Fix(latitude: .nan, longitude: 0, time: at(1)), Fix(latitude: .infinity, longitude: 0, time: at(1)),
    Fix(latitude: 91, longitude: 0, time: at(1)), Fix(latitude: 0, longitude: -180.000_001, time: at(1)),
    Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: .min)),
    Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: .max)),
    Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: Timestamp.latest.microseconds + 1)),
    // A fix with several defects is reported as invalid rather than late, and as late rather than without a position.
    Fix(latitude: 91, longitude: 0, accuracy: -1, time: at(-100)),
  ]

  @Test(arguments: badFixes)
  func badFixesChangeNothing(_ bad: Fix) throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "c")
    try engine.feed(fix(0, 0))
    let before = engine.statistics
    do {
      try engine.feed(bad)
      Issue.record("\(bad) was accepted")
    } catch {
      guard case .invalidArgument = error else { throw error }
    }
    var expected = before
    expected.inputCount += 1
    expected.invalidFixes += 1
    #expect(engine.statistics == expected)
  }

  @Test func fixesWithoutPositionOrInTheirOwnTimeAreCounted() throws {
    var engine = try MonitorEngine()
    try engine.feed(fix(10, 0))
    let result = try engine.feed([
      fix(11, 0), fix(5, 0), fix(12, 0, -1), fix(13, 0, .nan), Self.badFixes[0], fix(14, 0), fix(14, 0), fix(13, 0),
    ])
    #expect(result.accepted == 3 && result.invalid == 3 && result.late == 2 && result.consumed == 8)
    let statistics = engine.statistics
    #expect(statistics.acceptedFixes == 4 && statistics.invalidFixes == 3 && statistics.lateInputs == 2)
    #expect(statistics.inputCount == 9 && statistics.clock == at(14))
  }

  static let badCircles: [CircularGeographicCondition] = [
    circle(0), circle(-1), circle(.nan), circle(.infinity), circle(10, latitude: 90.1), circle(10, longitude: 181),
    circle(10, latitude: .nan),
  ]

  @Test(arguments: badCircles)
  func badCirclesAreRefused(_ bad: CircularGeographicCondition) throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "c", tag: 7)
    #expect(throws: MonitorError.self) { try engine.add(bad, identifier: "c") }
    #expect(throws: MonitorError.self) { try engine.ensure(bad, identifier: "d") }
    #expect(engine.identifiers == ["c"])
    #expect(engine.record(for: "c")?.lastEvent.tag == 7)
  }

  @Test(arguments: ["", String(repeating: "é", count: 129), "a\0b"])
  func badIdentifiersAreRefused(_ identifier: String) throws {
    var engine = try MonitorEngine()
    #expect(throws: MonitorError.self) { try engine.add(circle(100), identifier: identifier) }
    #expect(throws: MonitorError.self) {
      try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: identifier)
    }
    #expect(engine.conditionCount == 0)
    try engine.add(circle(100), identifier: String(repeating: "é", count: 128))
    #expect(engine.conditionCount == 1)
  }

  private struct Polygon: Condition {}

  @Test func otherConditionsAreRefused() throws {
    var engine = try MonitorEngine()
    #expect(throws: MonitorError.self) { try engine.add(Polygon(), identifier: "p") }
    #expect(engine.conditionCount == 0)
  }

  // MARK: - A full queue

  @Test func aFullQueueRefusesAndChangesNothing() throws {
    var engine = try MonitorEngine(options: MonitorOptions(maxPendingEvents: 2))
    try engine.add(circle(100), identifier: "c", policy: .exact)
    do {
      try engine.feed([fix(0, 0), fix(1, 400), fix(2, 0), fix(3, 400)])
      Issue.record("the queue held more than two")
    } catch {
      #expect(error == .queueFull(limit: 2, position: 2))
    }
    let before = engine.statistics
    #expect(throws: MonitorError.queueFull(limit: 2)) { try engine.feed(fix(5, 0)) }
    #expect(throws: MonitorError.queueFull(limit: 2)) { try engine.advance(to: at(5)) }
    #expect(throws: MonitorError.queueFull(limit: 2)) { try engine.setScanning(false, at: at(5)) }
    #expect(engine.statistics == before)
    _ = engine.nextEvent()
    try engine.feed(fix(5, 0))
    #expect(engine.drain().map(\.brief) == ["c unsatisfied@1.0 crossing", "c satisfied@5.0 crossing"])
  }

  /// Changes without an event do not fill the queue. Changes without an event never overtake an event of the same
  /// condition, and are not delayed by events of other conditions.
  @Test func silentChangesWaitForTheirOwnEventsOnly() throws {
    var engine = try MonitorEngine(options: MonitorOptions(maxPendingEvents: 3))
    var quiet = TransitionPolicy.exact
    quiet.notify = [.initial]
    try engine.add(circle(100), identifier: "quiet", policy: quiet)
    var silent = TransitionPolicy.exact
    silent.notify = []
    try engine.add(circle(100), identifier: "silent", policy: silent)
    for second in 0...20 { try engine.feed(fix(Double(second), second % 2 == 1 ? 400 : 0)) }
    #expect(engine.statistics.pendingEvents == 1)
    #expect(engine.record(for: "quiet")?.lastEvent.state == .unknown)
    #expect(engine.record(for: "silent")?.lastEvent.date == at(20))
    let event = engine.nextEvent()
    #expect(event?.brief == "quiet satisfied@0.0 determination")
    #expect(engine.record(for: "quiet")?.lastEvent.state == .unknown)
    engine.acknowledge()
    #expect(engine.record(for: "quiet")?.lastEvent.date == at(20))
    #expect(engine.nextEvent() == nil)
    #expect(engine.statistics.handedOutEvents == 1)
  }

  // MARK: - The same log, whatever the batches

  private enum Input {
    case fix(Fix)
    case see([BeaconSighting], Timestamp)
    case scanning(Bool, Timestamp)
    case host(Diagnostics, Timestamp)
    case advance(Timestamp)
  }

  private func log(_ count: Int, _ random: inout SeededGenerator) -> [Input] {
    var time = 0.0
    var distance = 0.0
    return (0..<count).map { _ in
      time += [0, 1, 2, 7][random.integer(0...3)]
      switch random.integer(0...60) {
      case 0: return .scanning(random.chance(0.7), at(time))
      case 1: return .host(random.chance(0.7) ? [] : .authorizationDenied, at(time))
      case 2: return .advance(at(time))
      case 3..<8:
        let sightings = (0..<random.integer(0...3)).map { _ in
          BeaconSighting(
            uuid: someUUID, major: UInt16(random.integer(1...2)), minor: UInt16(random.integer(1...3)),
            rssi: Int32(random.integer(-90 ... -60)))
        }
        return .see(sightings, at(time))
      default:
        distance = max(0, distance + random.uniform(-120...125))
        return .fix(fix(time, distance, random.uniform(3...120), bearing: random.uniform(0...40)))
      }
    }
  }

  private func engine(_ delivery: MonitorOptions.Delivery) throws -> MonitorEngine {
    var engine = try MonitorEngine(options: MonitorOptions(delivery: delivery, conditionLimit: 8))
    let policies: [TransitionPolicy] = [
      .standard, .exact, .coreLocation, TransitionPolicy(dwellPolicy: .evidence), TransitionPolicy(notify: [.entry]),
    ]
    for (index, policy) in policies.enumerated() {
      try engine.add(circle(150 + 100 * Double(index)), identifier: "c\(index)", policy: policy)
    }
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "any")
    try engine.add(BeaconIdentityCondition(uuid: someUUID, major: 1), identifier: "one")
    try engine.add(BeaconIdentityCondition(uuid: someUUID, major: 2, minor: 3), identifier: "full")
    try engine.add(circle(333), identifier: "over the limit")
    return engine
  }

  /// Feeds the inputs of a log and polls the events at the end. Consecutive fixes are fed in batches of `batch` fixes.
  private func run(_ inputs: [Input], _ start: MonitorEngine, batch: Int, copying: Bool = false) throws -> [String] {
    var engine = start
    var fixes: [Fix] = []
    func flush(_ engine: inout MonitorEngine) throws {
      if batch == 1, let fix = fixes.first { try engine.feed(fix) } else { try engine.feed(fixes) }
      fixes = []
    }
    for input in inputs {
      if case .fix(let fix) = input {
        fixes.append(fix)
        if fixes.count >= batch { try flush(&engine) }
      } else {
        if !fixes.isEmpty { try flush(&engine) }
        switch input {
        case .fix: break
        case .see(let sightings, let time): try engine.feed(sightings, at: time)
        case .scanning(let isOn, let time): try engine.setScanning(isOn, at: time)
        case .host(let flags, let time): try engine.setHostCapabilities(flags, at: time)
        case .advance(let time): try engine.advance(to: time)
        }
      }
      if copying {
        let copy = engine
        engine = copy
        engine.abandon()
      }
    }
    if !fixes.isEmpty { try flush(&engine) }
    return engine.drain().map(\.json)
  }

  @Test(arguments: [MonitorOptions.Delivery.every, .first, .latest])
  func batchesMakeNoDifference(_ delivery: MonitorOptions.Delivery) throws {
    var random = SeededGenerator("MonitorEngineTests \(delivery)", salt: UInt64(delivery.rawValue))
    var total = 0
    for _ in 0..<12 {
      let inputs = log(400, &random)
      let start = try engine(delivery)
      let single = try run(inputs, start, batch: 1)
      #expect(try run(inputs, start, batch: 7) == single)
      #expect(try run(inputs, start, batch: .max) == single)
      #expect(try run(inputs, start, batch: 1, copying: true) == single)
      total += single.count
    }
    #expect(total > (delivery == .every ? 240 : 40))
  }

  /// With the delivery mode `every`, the events do not depend on when the consumer polls.
  @Test func momentsOfAskingMakeNoDifference() throws {
    var random = SeededGenerator("MonitorEngineTests asking", salt: 50)
    for _ in 0..<12 {
      let inputs = log(300, &random)
      var late = try engine(.every)
      var early = late
      var log: [String] = []
      for input in inputs {
        for index in 0..<2 {
          switch input {
          case .fix(let fix): try index == 0 ? late.feed(fix) : early.feed(fix)
          case .see(let seen, let time): try index == 0 ? late.feed(seen, at: time) : early.feed(seen, at: time)
          case .scanning(let isOn, let time):
            try index == 0 ? late.setScanning(isOn, at: time) : early.setScanning(isOn, at: time)
          case .host(let flags, let time):
            try index == 0 ? late.setHostCapabilities(flags, at: time) : early.setHostCapabilities(flags, at: time)
          case .advance(let time): try index == 0 ? late.advance(to: time) : early.advance(to: time)
          }
        }
        if random.chance(0.4) {
          if random.chance(0.2) { early.abandon() }
          if let event = early.nextEvent(), log.last != event.json { log.append(event.json) }
        }
      }
      while let event = early.nextEvent() { if log.last != event.json { log.append(event.json) } }
      #expect(late.drain().map(\.json) == log)
      for identifier in late.identifiers {
        #expect(late.record(for: identifier)?.lastEvent == early.record(for: identifier)?.lastEvent)
      }
    }
  }

  // MARK: - Conditions

  @Test func ensureComparesWithTolerance() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100, latitude: 10, longitude: 180), identifier: "c")
    let near = circle(100.4, latitude: 10 + 9e-8, longitude: -180 + 9e-8)
    #expect(try engine.ensure(near, identifier: "c", assuming: .satisfied) == false)
    #expect(engine.record(for: "c")?.lastEvent.generation == 1)
    #expect(try engine.ensure(circle(100.6, latitude: 10, longitude: 180), identifier: "c"))
    #expect(try engine.ensure(circle(100.6, latitude: 10 + 2e-7, longitude: 180), identifier: "c"))
    #expect(try engine.ensure(circle(100.6, latitude: 10 + 2e-7, longitude: 180), identifier: "c", tag: 1))
    #expect(try engine.ensure(BeaconIdentityCondition(uuid: someUUID), identifier: "c"))
    #expect(engine.record(for: "c")?.lastEvent.generation == 5)
    #expect(engine.conditionCount == 1)
  }

  @Test func walksInAddOrder() throws {
    var engine = try MonitorEngine()
    for name in ["b", "a", "c", "d"] { try engine.add(circle(10), identifier: name) }
    engine.remove("c")
    try engine.add(circle(20), identifier: "b")
    var walked: [String] = []
    var generation: UInt64 = 0
    while let slot = engine.table.slot(after: generation) {
      generation = engine.table.generation(of: slot)
      walked.append(engine.record(of: slot).lastEvent.identifier)
    }
    #expect(walked == ["a", "d", "b"])
    #expect(engine.identifiers == walked)
  }

  @Test func manyConditionsComeAndGo() throws {
    var engine = try MonitorEngine()
    for round in 0..<5 {
      for index in 0..<2_000 {
        try engine.add(circle(50, latitude: Double(index) * 0.001, longitude: 0), identifier: "\(index)")
      }
      try engine.feed(fix(Double(round), 0))
      for index in stride(from: 0, to: 2_000, by: 2) { engine.remove("\(index)") }
      #expect(engine.conditionCount == 1_000)
      let events = engine.drain()
      #expect(events.count == 1_000)
      #expect(events.map(\.identifier) == engine.identifiers)
      for index in stride(from: 1, to: 2_000, by: 2) { engine.remove("\(index)") }
      #expect(engine.identifiers.isEmpty && !engine.hasEvents)
    }
  }
}
