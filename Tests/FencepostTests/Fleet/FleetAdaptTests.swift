import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Devices move back and forth between two fleets whose tables have the same conditions with different generations. The
/// devices that move must have the same events as devices that stay in one fleet.
@Suite struct FleetAdaptTests {
  private static func tables(_ random: inout SeededGenerator) throws -> (Conditions, Conditions) {
    let uuid = BeaconUUID(high: 1, low: 2)
    var given = (0..<12).map { number in
      NamedCondition(
        CircularGeographicCondition(
          center: Coordinate(latitude: 0, longitude: random.uniform(0...0.006)), radius: random.uniform(40...200)),
        identifier: "place \(number)", assuming: .unsatisfied,
        policy: [TransitionPolicy.exact, .standard, .coreLocation][number % 3])
    }
    for number in 0..<3 {
      given.append(
        NamedCondition(
          BeaconIdentityCondition(uuid: uuid, major: UInt16(number)), identifier: "beacon \(number)",
          assuming: .unsatisfied))
    }
    let one = try Conditions(given)
    let other = Conditions()
    // Build the second table in another order, and add some conditions again, so that the generations differ.
    _ = try other.ensure(given.shuffled(using: &random))
    for condition in given.prefix(3) { other.remove(condition.identifier) }
    _ = try other.ensure(given.prefix(3))
    return (one, other)
  }

  private static func events(_ fleet: inout FleetEngine) -> [String] {
    var events: [String] = []
    while let event = fleet.nextEvent() {
      events.append("\(event.deviceIdentifier) \(event.event.brief)")
    }
    fleet.acknowledge()
    // Events with the same time are in the table's order.
    return events.sorted()
  }

  @Test(arguments: 0..<8) func backAndForth(_ number: Int) throws {
    var random = SeededGenerator("fleets of equal tables", salt: UInt64(number))
    let (one, other) = try Self.tables(&random)
    let options = FleetOptions(
      beaconExitTimeoutMicroseconds: 15_000_000, beaconInitialTimeoutMicroseconds: 20_000_000)
    var stays = try FleetEngine(one, options: options)
    var fleets = [try FleetEngine(one, options: options), try FleetEngine(other, options: options)]
    let names = ["a", "b", "c"]
    var places = [0, 1, 0]
    for (index, name) in names.enumerated() {
      _ = try stays.device(name)
      _ = try fleets[places[index]].device(name)
    }
    // After a device moves to another fleet, undetermined conditions count as determined. Before any move, each device
    // gets fixes and each beacon becomes absent, so that no condition is undetermined.
    var time: Int64 = 1_000_000_000
    for step in 0..<2 {
      time += 60_000_000
      let far = Fix(latitude: 1, longitude: Double(step), time: Timestamp(microseconds: time))
      for (index, name) in names.enumerated() {
        let here = try #require(stays.number(of: name))
        let there = try #require(fleets[places[index]].number(of: name))
        try stays.feed(far, for: here)
        try fleets[places[index]].feed(far, for: there)
      }
    }
    var told = 0
    for _ in 0..<300 {
      time += Int64(random.integer(0...12_000_000))
      let index = random.integer(0...2)
      if random.chance(0.3) {
        let device = try #require(fleets[places[index]].number(of: names[index]))
        let bytes = try fleets[places[index]].export([device], portable: true)[0]
        try fleets[places[index]].remove(device)
        places[index] = 1 - places[index]
        try fleets[places[index]].load([(names[index], bytes)], adapt: true)
        try fleets[places[index]].checkInvariants()
      }
      let here = try #require(stays.number(of: names[index]))
      let there = try #require(fleets[places[index]].number(of: names[index]))
      if random.chance(0.2) {
        let sighting = BeaconSighting(
          uuid: BeaconUUID(high: 1, low: 2), major: UInt16(random.integer(0...2)), minor: 1, rssi: -50)
        try stays.feed([sighting], at: Timestamp(microseconds: time), for: here)
        try fleets[places[index]].feed([sighting], at: Timestamp(microseconds: time), for: there)
      } else {
        let fix = Fix(
          latitude: random.uniform(-0.002...0.002), longitude: random.uniform(0...0.006),
          accuracy: random.chance(0.2) ? 20 : 0, time: Timestamp(microseconds: time))
        try stays.feed(fix, for: here)
        try fleets[places[index]].feed(fix, for: there)
      }
      let expected = Self.events(&stays)
      #expect(Self.events(&fleets[places[index]]) == expected)
      #expect(Self.events(&fleets[1 - places[index]]).isEmpty)
      told += expected.count
    }
    #expect(told > 50)
  }

  // MARK: - Other definitions

  /// Returns the conditions after redefining some, removing some and adding some.
  private static func changed(
    _ given: [NamedCondition], _ random: inout SeededGenerator, _ count: inout Int
  ) -> [NamedCondition] {
    var kept: [NamedCondition] = []
    for condition in given where !random.chance(0.15) {
      // New conditions have the policy `exact`: if a device is inside a new condition, the fleet reports a crossing,
      // whereas a monitor only determines the state.
      kept.append(random.chance(0.2) ? place(condition.identifier, .exact, &random) : condition)
    }
    while kept.count < 14 {
      count += 1
      kept.append(place("place \(count)", .exact, &random))
    }
    return kept
  }

  private static func place(
    _ identifier: String, _ policy: TransitionPolicy, _ random: inout SeededGenerator
  ) -> NamedCondition {
    NamedCondition(
      CircularGeographicCondition(
        center: Coordinate(latitude: 0, longitude: random.uniform(0...0.006)), radius: random.uniform(40...200)),
      identifier: identifier, assuming: .unsatisfied, policy: policy)
  }

  /// Describes an event without its number, its generation and its cause. The cause is left out because it differs if
  /// the condition is new to the device.
  private static func told(_ event: Event) -> String {
    "\(event.identifier) \(event.state.name) \(String(describing: event.date)) "
      + "\(String(describing: event.evidenceDate)) \(String(describing: event.evidence))"
  }

  /// Moves a device repeatedly to a table with other definitions. For comparison, the same definitions are set in a
  /// monitor. Conditions that are equal in both tables keep their state, including dwells; the states of the other
  /// conditions are determined again.
  @Test(arguments: 0..<12) func onwardsToOtherDefinitions(_ number: Int) throws {
    var random = SeededGenerator("fleets of other tables", salt: UInt64(number))
    var count = 14
    var given = (0..<count).map {
      Self.place("place \($0)", [.exact, .standard, .coreLocation][$0 % 3], &random)
    }
    var fleet = try FleetEngine(Conditions(given))
    var monitor = try MonitorEngine(options: fleet.options.monitorOptions)
    _ = try monitor.ensure(given)
    var device = try fleet.device("x")
    var time: Int64 = 1_000_000_000
    func play(_ fix: Fix) throws -> Int {
      try fleet.feed(fix, for: device)
      try monitor.feed(fix)
      var (one, other): ([String], [String]) = ([], [])
      while let event = fleet.nextEvent() { one.append(Self.told(event.event)) }
      while let event = monitor.nextEvent() { other.append(Self.told(event)) }
      fleet.acknowledge()
      #expect(one.sorted() == other.sorted(), "\(number), at \(time)")
      return one.count
    }
    // The first fix, far away, confirms the assumed states.
    _ = try play(Fix(latitude: 1, longitude: 0, time: Timestamp(microseconds: time)))
    var (told, moves) = (0, 0)
    for _ in 0..<250 {
      time += Int64(random.integer(0...12_000_000))
      if random.chance(0.15) {
        given = Self.changed(given, &random, &count)
        let next = Conditions()
        // Build the new table in another order, so that its conditions have other generation numbers.
        _ = try next.ensure(given.shuffled(using: &random))
        for condition in given.prefix(2) { next.remove(condition.identifier) }
        _ = try next.ensure(given)
        let bytes = try fleet.export([device], portable: true)[0]
        var other = try FleetEngine(next)
        #expect(throws: MonitorError.self) { try other.load([("x", bytes)]) }
        device = try other.load([("x", bytes)], adapt: true)[0]
        try other.checkInvariants()
        fleet = other
        for name in monitor.identifiers where !given.contains(where: { $0.identifier == name }) { monitor.remove(name) }
        _ = try monitor.ensure(given)
        moves += 1
      }
      told += try play(
        Fix(
          latitude: random.uniform(-0.002...0.002), longitude: random.uniform(0...0.006),
          accuracy: random.chance(0.2) ? 20 : 0, time: Timestamp(microseconds: time)))
      #expect(try fleet.inside(device).map(\.identifier).sorted() == monitor.identifiers(in: .satisfied).sorted())
    }
    #expect(told > 50 && moves > 10)
  }

  // MARK: - Chosen identifiers

  /// Tests two identifiers that have the same 64-bit hash; portable devices before format 3 contain this hash. A
  /// device that is inside the condition with the first identifier is loaded into a table with the second identifier:
  /// the device must not be inside the second condition.
  /// Rules of the same meaning are the same condition, so a device keeps the state that was reported.
  @Test func aRuleThatIsWrittenInAnotherWayIsTheSame() throws {
    func rules(_ first: Rule, _ second: Rule) throws -> Conditions {
      let table = Conditions()
      for (number, radius) in [100, 200, 300].enumerated() {
        try table.add(circle(Double(radius)), identifier: "part \(number)", policy: .exact)
      }
      try table.add(first, identifier: "first", policy: .exact)
      try table.add(second, identifier: "second", policy: .exact)
      return table
    }
    let one = try rules(.all(["part 2", "part 0"]), .atLeast(2, of: ["part 0", "part 1", "part 2"]))
    // The second rule has another meaning.
    let other = try rules(.atLeast(2, of: ["part 0", "part 2"]), .none(["part 0", "part 1", "part 2"]))
    var fleet = try FleetEngine(one)
    try fleet.feed(fix(1, 10), for: try fleet.device("van"))
    #expect(Self.events(&fleet).count == 5)
    let bytes = try fleet.export([1], portable: true)[0]
    var moved = try FleetEngine(other)
    let number = try moved.load([("van", bytes)], adapt: true)[0]
    try moved.feed(fix(2, 10), for: number)
    #expect(Self.events(&moved).isEmpty)
    try moved.feed(fix(3, 250), for: number)
    let events = Self.events(&moved)
    #expect(events.contains { $0.contains("first") } && !events.contains { $0.contains("second") })
  }

  @Test func aChosenIdentifierIsAnotherCondition() throws {
    func table(_ identifier: String) throws -> Conditions {
      try Conditions([NamedCondition(circle(100), identifier: identifier, assuming: .unsatisfied, policy: .exact)])
    }
    let (own, chosen) = ("warehouse north1", "depot4232+OCJ#lD")
    let (here, there) = (try table(own), try table(chosen))
    #expect(here.read { $0.identifierHash(of: 0) } == there.read { $0.identifierHash(of: 0) })
    #expect(here.read { $0.digest(of: 0) } != there.read { $0.digest(of: 0) })
    var fleet = try FleetEngine(here)
    let device = try fleet.device("x")
    try fleet.feed(fix(0, 0), for: device)
    #expect(try fleet.inside(device).map { $0.identifier } == [own])
    let bytes = try fleet.export([device], portable: true)[0]
    for (table, expected) in [(here, [own]), (there, []), (try self.other(own, chosen), [own])] {
      var other = try FleetEngine(table)
      let number = try other.load([("x", bytes)], adapt: true)[0]
      #expect(try other.inside(number).map { $0.identifier } == expected)
    }
  }

  /// Creates a table that contains both conditions, `chosen` before `own`.
  private func other(_ own: String, _ chosen: String) throws -> Conditions {
    try Conditions(
      [chosen, own].map {
        NamedCondition(circle(100), identifier: $0, assuming: .unsatisfied, policy: .exact)
      })
  }
}
