import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// The law of fleets: *a fleet of n devices gives exactly the events of n monitors, byte for byte, explanations
/// included.* Random sequences of calls, called lives, run on a fleet and on n monitors with the same conditions; each
/// life uses some of the features of ``LawFeature``. The exceptions:
///
/// * features that fleets lack: records, and the rule that an earlier fix can decide the state of a new condition
///   (``LawFeature/missing``);
/// * the queue limit: a fleet has one limit for all its devices together, and the random sequences never reach it;
/// * the event that reports a failing store: no store fails in these tests;
/// * the order of events of different devices: ``FleetWorld`` puts the monitors' events in the order that
///   ``FleetEngine`` documents.
///
/// Fleets and monitors still differ in some known ways; these differences are to be removed later. Each item of the
/// following list names the code of ``FleetWorld`` that allows for one of these differences:
///
/// * a fleet explains a state with the values of the last fix outside the safe region, which is the fix whose exact
///   position it stores (``FleetWorld/explanation(_:of:_:_:)``);
/// * a fleet's explanation of a removed beacon does not say when the beacon was last seen
///   (``FleetWorld/checkExplanation``);
/// * if an event of a device was due before the device was added, a fleet delivers the event with the device's first
///   input (``FleetWorld``'s `isFresh`), in the order that the present rules have (``FleetWorld``'s `drain`), and does
///   not deliver that of a rule if the beacon condition that caused it was removed meanwhile (``FleetWorld``'s
///   `reportOverdue`);
/// * if a fix comes at the very time at which the absence of a beacon is established that the device does not list, an
///   event of a rule at that time does not name the beacon as the part that decided (random times are never equal);
/// * a fleet does not list the absence of a beacon as a deadline if this absence would produce no event
///   (``FleetWorld/checkDeadlines()``);
/// * the time since which a device is inside a condition may differ if the last event is later than the time to which
///   the device was rewound (``FleetWorld``'s `rewound`).
///
/// `FENCEPOST_SEED` repeats a failure; `make soak` plays more random sequences of calls.
@Suite struct LawTests {
  private static let beacons = [
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2)),
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2), major: 7),
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2), major: 7, minor: 9),
  ]

  /// The kinds of conditions that a random sequence of calls uses.
  private enum Kind: String {
    case plain = "the law of fleets"
    case rules = "the law of fleets with rules"
    case timedParts = "the law of fleets with rules and timings"
    case timedRules = "the law of fleets with rules that have timings"
  }

  /// A random sequence that can contain every kind of call; the fixes lie near the boundaries of a few conditions.
  private struct Life {
    var random: SeededGenerator
    var world: FleetWorld
    var time: Int64 = 1_000_000_000
    var places: [UInt64: Coordinate] = [:]
    let features: Set<LawFeature>
    let kind: Kind
    let names = ["d0", "d1", "d2", "d3", "d4", "a device whose name is longer than what fits in place"]
    /// A condition with one of these identifiers may be the part of a rule, so it is never a line.
    private static let parts = ["a", "b", "c", "d", "e", "r", "s", "t", "u"]
    private static let rules = ["r", "s", "t", "u"]
    private static let others = ["a", "b", "c", "d", "e", "one that is longer than what fits in place"]

    init(_ number: Int, _ kind: Kind, seed: UInt64 = SeededGenerator.seed) throws {
      self.kind = kind
      let (isOfRules, isTimed) = (kind != .plain, kind == .timedParts || kind == .timedRules)
      var random = SeededGenerator(kind.rawValue, seed: seed, salt: UInt64(number))
      // The first random sequence of calls uses all features, each of the next sequences leaves out one feature, and
      // each later sequence uses about half of the features.
      let without = number - 1
      let all = LawFeature.ofBoth.filter { isOfRules || $0 != .rules }
      var features = all.enumerated().filter { place, _ in
        without < all.count ? place != without : random.chance(0.5)
      }.map(\.element)
      if isTimed, !features.contains(.timings) { features.append(.timings) }
      if isTimed || number % 2 == 1, features.contains(.timings) {
        features.removeAll { LawFeature.withoutTimings.contains($0) }
      } else {
        features.removeAll { $0 == .timings }
      }
      if isOfRules { features.removeAll { LawFeature.withoutRules.contains($0) && !(isTimed && $0 == .timings) } }
      if isOfRules, !features.contains(.rules) { features.append(.rules) }
      self.features = Set(features)
      let options = FleetOptions(
        delivery: Self.delivery(number, features), maxPendingEvents: 1_000_000_000,
        beaconExitTimeoutMicroseconds: Int64(random.integer(1...60)) * 1_000_000,
        beaconInitialTimeoutMicroseconds: Int64(random.integer(1...60)) * 1_000_000,
        maxTimeStepMicroseconds: features.contains(.maxTimeStep) && random.chance(0.4) ? 40_000_000 : nil,
        path: features.contains(.path) ? Self.path(&random) : .fixes,
        plausibility: features.contains(.plausibility) && random.chance(0.5)
          ? Plausibility(
            speed: random.uniform(5...500), corroborationCount: random.integer(2...3),
            corroborationTimeMicroseconds: [0, 20_000_000][random.integer(0...1)]) : nil,
        accuracyConfidence: features.contains(.probability) && random.chance(0.5) ? 0.95 : 0.68,
        order: features.contains(.exitsFirst) && random.chance(0.5) ? .exitsFirst : .add)
      let off = LawFeature.ofBoth.filter { !features.contains($0) }.map(\.rawValue).joined(separator: ", ")
      world = try FleetWorld(
        "FENCEPOST_SEED=\(seed), life \(number) without [\(off)]", options: options,
        shards: features.contains(.export) ? 2 : 1, durability: [nil, .everyInput, .changes][number % 3],
        storesHosts: features.contains(.hostCapabilities))
      self.random = random
    }

    /// Lives with the three deliveries and with each durability alternate.
    private static func delivery(_ number: Int, _ features: [LawFeature]) -> MonitorOptions.Delivery {
      switch number / 3 % 3 {
      case 1 where features.contains(.first): .first
      case 2 where features.contains(.latest): .latest
      default: .every
      }
    }

    private static func path(_ random: inout SeededGenerator) -> MonitorOptions.Path {
      .geodesic(
        maxGapMicroseconds: [20_000_000, 60_000_000, 1_000_000_000][random.integer(0...2)],
        maxSpeed: random.chance(0.5) ? random.uniform(1...200) : nil)
    }

    func has(_ feature: LawFeature) -> Bool { features.contains(feature) }

    /// Returns a rule over conditions that the table may or may not have.
    private mutating func rule() -> Definition {
      var parts: [String] = []
      for _ in 0..<random.integer(1...4) {
        let part = Self.parts[random.integer(0...Self.parts.count - 1)]
        if !parts.contains(part) { parts.append(part) }
      }
      let rule = [
        Rule.all(parts), .any(parts), .none(parts), .atLeast(random.integer(1...parts.count), of: parts),
      ][random.integer(0...3)]
      var policy = TransitionPolicy.exact
      if has(.policies) {
        if random.chance(0.4) { policy.entryDwellMicroseconds = Int64(random.integer(0...30)) * 1_000_000 }
        if random.chance(0.4) { policy.exitDwellMicroseconds = Int64(random.integer(0...30)) * 1_000_000 }
        if random.chance(0.2) { policy.notify = TransitionPolicy.Notify(rawValue: UInt8(random.integer(0...7))) }
      }
      var definition = Definition(
        subject: .rule(rule.definition), policy: policy, tag: UInt64(random.integer(0...3)))
      definition.assumed = .unsatisfied
      if has(.assumptions), random.chance(0.4) { definition.assumed = random.chance(0.5) ? .unknown : .satisfied }
      if kind == .timedRules, random.chance(0.6) {
        definition.timing = try! timing()
        definition.timing.absentAfterMicroseconds = 0
      }
      return definition
    }

    /// Returns a condition for an identifier.
    mutating func definition(for identifier: String) -> Definition {
      if has(.rules), random.chance(Self.rules.contains(identifier) ? 0.9 : 0.03), identifier != Self.others[5] {
        return rule()
      }
      let definition = definition()
      // A rule refuses lines as parts.
      guard has(.rules), definition.subject.kind == .lineGeographic, identifier != Self.others[5] else {
        return definition
      }
      var other = definition
      other.subject = .circle(
        CircularGeographicCondition(
          center: Coordinate(latitude: 0, longitude: random.uniform(0...0.004)), radius: random.uniform(20...200)))
      other.assumed = .unsatisfied
      return other
    }

    mutating func definition() -> Definition {
      // A monitor without a path, or with another delivery than `every`, refuses gates.
      if has(.gates), has(.path), world.options.delivery == .every, random.chance(0.2), let gate = gate() {
        return gate
      }
      var policy = TransitionPolicy.exact
      if has(.policies) {
        policy = [TransitionPolicy.exact, .standard, .coreLocation][random.integer(0...2)]
        if random.chance(0.3) { policy.notify = TransitionPolicy.Notify(rawValue: UInt8(random.integer(0...7))) }
        if random.chance(0.2) {
          policy.entryMargin = random.uniform(0...40)
          policy.exitDwellMicroseconds = Int64(random.integer(0...40)) * 1_000_000
        }
      }
      if has(.evidence), random.chance(0.25) {
        policy.dwellPolicy = .evidence
        policy.entryDwellMicroseconds = max(policy.entryDwellMicroseconds, 10_000_000)
      }
      if has(.probability), random.chance(0.4) {
        policy.accuracyFactor = 0
        policy.entryProbability = [0.6, 0.9, 0.99][random.integer(0...2)]
        policy.exitProbability = [0.4, 0.1, 0.01][random.integer(0...2)]
      }
      let centre = Coordinate(latitude: 0, longitude: random.uniform(0...0.004))
      var subject = Definition.Subject.circle(
        CircularGeographicCondition(center: centre, radius: random.uniform(20...200)))
      if has(.beacons), random.chance(0.4) {
        subject = .beacon(LawTests.beacons[random.integer(0...2)])
      } else if has(.polygons), random.chance(0.3) {
        let condition = random.shape(around: centre, radius: random.uniform(30...200))
        if let shape = try? GivenCondition(condition).subject() { subject = shape }
      }
      var definition = Definition(subject: subject, policy: policy, tag: UInt64(random.integer(0...3)))
      definition.assumed = .unsatisfied
      if has(.timings), definition.subject.kind.isGeographic, random.chance(0.6) { definition.timing = try! timing() }
      if has(.heights), definition.subject.kind.isGeographic, random.chance(0.6) {
        definition.band = band()
        definition.policy.verticalMargin = [0, 0, 10, 60][random.integer(0...3)]
      }
      if has(.assumptions), random.chance(0.4) { definition.assumed = random.chance(0.5) ? .unknown : .satisfied }
      return definition
    }

    private mutating func timing() throws -> ConditionTiming {
      var timing = ConditionTiming()
      if random.chance(0.8) {
        var edge = time - 60_000_000
        var intervals: [(start: Timestamp, end: Timestamp)] = []
        for _ in 0..<random.integer(0...6) {
          let start = edge + Int64(random.integer(0...60)) * 1_000_000
          edge = start + Int64(random.integer(1...90)) * 1_000_000
          intervals.append((Timestamp(microseconds: start), Timestamp(microseconds: edge)))
        }
        timing.schedule = try Schedule(
          intervals, until: random.chance(0.3) ? Timestamp(microseconds: edge + 5_000_000) : nil)
      }
      if random.chance(0.4) {
        timing.absentAfterMicroseconds = [1_000_000, 9_000_000, 40_000_000][random.integer(0...2)]
      }
      if random.chance(0.4) { timing.repeatEveryMicroseconds = [2_000_000, 13_000_000][random.integer(0...1)] }
      if random.chance(0.2) { timing.maxEvents = UInt32(random.integer(1...5)) }
      return timing
    }

    private mutating func gate() -> Definition? {
      let path = (0..<random.integer(2...4)).map { _ in
        Coordinate(latitude: random.uniform(-0.002...0.002), longitude: random.uniform(0...0.004))
      }
      guard let subject = try? GivenCondition(LineGeographicCondition(path: path)).subject() else { return nil }
      return Definition(subject: subject, policy: .standard, tag: UInt64(random.integer(0...3)))
    }

    mutating func fix(of device: UInt64) -> Fix {
      let isLate = has(.refusedInputs) && random.chance(0.04)
      // Most fixes are a small step away from the device's last position, so that safe regions are used, left and
      // entered.
      if let last = places[device], random.chance(0.7) {
        let step = random.chance(0.5) ? 1e-4 : 1e-5
        let place = Coordinate(
          latitude: last.latitude + random.uniform(-step...step),
          longitude: last.longitude + random.uniform(-step...step))
        places[device] = place
        return Fix(
          coordinate: place, accuracy: [0, 0, 0, 5, 30][random.integer(0...4)], time: Timestamp(microseconds: time))
      }
      let metres = [0, 40, 79, 81, 99, 101, 119, 121, 160, 320, 5_000][random.integer(0...10)]
      let fix = Fix(
        latitude: has(.refusedInputs) && random.chance(0.02) ? 91 : Double(metres) / 110_574,
        longitude: random.uniform(0...0.004), accuracy: accuracy(),
        time: Timestamp(microseconds: isLate ? time - 60_000_000 : time))
      if fix.isUsable { places[device] = fix.coordinate }
      return fix
    }

    /// Returns an error ellipse for a fix, or none.
    mutating func someEllipse() -> FixEllipse? {
      guard has(.ellipses), random.chance(0.5) else { return nil }
      let major = [0, 3, 10, 40, 300, 12_000][random.integer(0...5)] as Double
      return FixEllipse(
        major: major, minor: major * [0, 0.1, 1][random.integer(0...2)], orientation: random.uniform(-400...400))
    }

    /// Returns a band of altitudes, some of whose limits fixes often have.
    private mutating func band() -> AltitudeBand {
      let low = Double(random.integer(0...6)) * 25
      let high = low + [0.5, 25, 50, 400][random.integer(0...3)]
      let references = AltitudeBand.Reference.allCases
      let (below, above) = (references[random.integer(0...2)], references[random.integer(0...2)])
      return switch random.integer(0...5) {
      case 0: AltitudeBand(min: low, minReference: below)
      case 1: AltitudeBand(max: high, maxReference: above)
      default: AltitudeBand(min: low, max: high, minReference: below, maxReference: above)
      }
    }

    /// Returns the height of a fix, or none.
    mutating func someHeight() -> FixHeight? {
      guard has(.heights), random.chance(0.85) else { return nil }
      let altitude = [Double(random.integer(-1...14)) * 25, random.uniform(-20...250)][random.integer(0...1)]
      return FixHeight(
        altitude: random.chance(0.05) ? .nan : altitude,
        verticalAccuracy: [0, 0, 3, 12, 150, -1, .nan, .infinity][random.integer(0...7)],
        geoidHeight: random.chance(0.15) ? .nan : 50, groundHeight: random.chance(0.15) ? .nan : 25)
    }

    /// Returns an error ellipse and a height for a fix, or none.
    mutating func someExtras() -> FixExtras { FixExtras(ellipse: someEllipse(), height: someHeight()) }

    /// Returns the flags and kinds that a host states: often none, so that conditions are monitored most of the time.
    mutating func host() -> (Diagnostics, Set<ConditionKind>) {
      guard random.chance(0.6) else { return ([], []) }
      let flags: [Diagnostics] = [
        [], [], .authorizationDenied, .accuracyLimited, [.authorizationDenied, .accuracyLimited],
        has(.refusedInputs) ? .conditionUnsupported : [],
      ]
      let kinds = random.chance(0.5) ? ConditionKind.allCases.filter { _ in random.chance(0.4) } : []
      return (flags[random.integer(0...5)], Set(kinds))
    }

    mutating func place() -> Coordinate {
      Coordinate(latitude: random.uniform(-0.002...0.002), longitude: random.uniform(0...0.004))
    }

    mutating func accuracy() -> Double {
      if has(.coarseFixes), random.chance(0.3) { return random.chance(0.5) ? 400 : 9_000 }
      return has(.refusedInputs) && random.chance(0.1) ? -1 : [0, 0, 0, 5, 30][random.integer(0...4)]
    }

    mutating func pass() {
      if random.chance(0.6) { time += Int64(random.integer(0...25_000_000)) }
    }

    /// Whether a condition with a timing was added since all devices had an input.
    private var isUnseen = false

    /// Before a second change of the table: gives each device an input that changes nothing. Otherwise a rule of a
    /// monitor may keep a state because of a part that the device of a fleet has not seen.
    ///
    /// - Returns: Whether there were such inputs. The table then does not change in this step.
    private mutating func showTable() -> Bool {
      guard isUnseen, has(.rules) else { return false }
      isUnseen = false
      for shard in 0..<world.shardCount {
        for number in world.numbers(shard) {
          guard let clock = try? world.fleet(shard).statistics(of: number).clock else { continue }
          world.input(number, shard) {
            try $0.feed([], at: clock, for: number)
          } _: {
            try $0.feed([], at: clock)
          }
        }
      }
      return true
    }

    private mutating func add(_ identifier: String) throws {
      let definition = definition(for: identifier)
      if showTable() { return }
      try world.add(identifier, definition)
      if !definition.timing.isNone { isUnseen = true }
    }

    mutating func step() throws {
      pass()
      let shard = random.integer(0...world.shardCount - 1)
      let numbers = world.numbers(shard)
      let number = numbers.isEmpty ? nil : numbers[random.integer(0...numbers.count - 1)]
      var identifier = Self.others[random.integer(0...5)]
      if has(.rules), random.chance(0.3) { identifier = Self.rules[random.integer(0...3)] }
      let at = Timestamp(microseconds: has(.refusedInputs) && random.chance(0.03) ? time - 30_000_000 : time)
      switch random.integer(0...48) {
      case 0, 1:
        guard has(.tableChanges), !showTable() else { return }
        try world.remove(identifier)
      case 2...5:
        if has(.tableChanges) || !world.conditions.identifiers.contains(identifier) {
          try add(identifier)
        }
      case 6, 7: try world.enter(names[random.integer(0...names.count - 1)], shard)
      case 8:
        guard has(.removal) else { return }
        if let number, random.chance(0.4) {
          try world.removeDevice(number, shard, droppingEvents: random.chance(0.5))
        } else if random.chance(0.3) {
          world.expire(before: Timestamp(microseconds: time - 50_000_000), shard)
        }
      case 9...11: if has(.advance) { try world.advance(to: at, shard) }
      case 12, 13:
        if let number, has(.deviceAdvance) {
          world.input(number, shard) {
            try $0.advance(to: at, for: number)
          } _: {
            try $0.advance(to: at)
          }
        }
      case 14...17:
        let sightings = (0..<random.integer(0...2)).map { _ in
          BeaconSighting(
            uuid: BeaconUUID(high: 1, low: UInt64(random.integer(2...3))), major: UInt16(random.integer(7...8)),
            minor: UInt16(random.integer(9...10)), rssi: Int32(random.integer(-90 ... -40)))
        }
        if let number, has(.beacons) {
          world.input(number, shard) {
            try $0.feed(sightings, at: at, for: number)
          } _: {
            try $0.feed(sightings, at: at)
          }
        }
      case 18:
        let isOn = random.chance(0.6)
        if let number, has(.scanning) {
          world.input(number, shard) {
            try $0.setScanning(isOn, at: at, for: number)
          } _: {
            try $0.setScanning(isOn, at: at)
          }
        }
      case 19...21: world.poll(random.integer(0...4), shard)
      case 22: world.acknowledge(shard)
      case 23: if has(.abandon) { world.abandon(shard) }
      case 24...28:
        var rows: [(device: UInt64, fix: Fix)] = []
        guard !numbers.isEmpty, has(.batches) else { return }
        for _ in 0..<random.integer(1...12) {
          let device = numbers[random.integer(0...numbers.count - 1)]
          rows.append((device, fix(of: device)))
          if random.chance(0.3) { pass() }
        }
        let ellipses = has(.ellipses) && random.chance(0.5) ? rows.map { _ in someEllipse() } : []
        let heights = has(.heights) && random.chance(0.8) ? rows.map { _ in someHeight() } : []
        try world.feed(rows, ellipses: ellipses, heights: heights, shard)
      case 46...48:
        guard let number, has(.hostCapabilities), world.options.delivery == .every else { return }
        let (flags, kinds) = host()
        world.input(number, shard) {
          try $0.setHostCapabilities(flags, unsupported: kinds, at: at, for: number)
        } _: {
          try $0.setHostCapabilities(flags, unsupported: kinds, at: at)
        }
      case 45: if has(.fork) { try world.fork(shard) }
      case 40: if has(.restart) { try world.restart(shard) }
      case 41:
        guard has(.rewind) else { return }
        // A rewind must undo an advance to a time far ahead, whether it happens at once or later.
        if random.chance(0.3) { try world.advance(to: Timestamp(microseconds: time + 1_000_000_000_000), shard) }
        world.rewind(to: Timestamp(microseconds: time - Int64(random.integer(0...40_000_000))), shard)
      case 42:
        if let number, has(.rewind) {
          world.rewind(number, to: Timestamp(microseconds: time - Int64(random.integer(-1...40)) * 1_000_000), shard)
        }
      case 43: if let number, has(.safeDistance) { try world.checkSafeDistance(place(), number, shard) }
      case 44:
        if let number, has(.plan) {
          let accuracy = random.chance(0.5) ? 0 : random.uniform(0...50)
          try world.checkPlan(place(), accuracy: accuracy, slots: random.integer(1...6), number, shard)
        }
      case 29:
        if let number, world.shardCount > 1 {
          try world.move(number, from: shard, to: 1 - shard, portable: random.chance(0.5))
        }
      default:
        guard let number else { return }
        let fix = fix(of: number)
        let extras = someExtras()
        world.input(number, shard, isHeard: fix.isUsable) {
          try $0.feed(fix, extras, for: number)
        } _: {
          try $0.feed(fix, extras)
        }
      }
    }
  }

  /// Lives through a random sequence of calls.
  private func live(_ number: Int, _ kind: Kind, seed: UInt64 = SeededGenerator.seed) throws -> Life {
    var life = try Life(number, kind, seed: seed)
    for name in life.names.prefix(3) { try life.world.enter(name, 0) }
    for step in 0..<220 {
      life.world.step = step
      try life.step()
      try life.world.check()
      if step % 7 == 0 { try life.world.checkDeadlines() }
    }
    for shard in 0..<life.world.shardCount { life.world.poll(.max, shard) }
    return life
  }

  @Test(arguments: 0..<(isSoak ? 4_000 : 60)) func aFleetIsAsManyMonitors(number: Int) throws {
    let life = try live(number, .plain)
    // A random sequence of calls may produce no event, but the first sequence of the usual seed must produce events, and
    // explanations of all kinds.
    if number == 0, SeededGenerator.seed == SeededGenerator.usualSeed {
      #expect(life.world.compared > 0 && life.world.reasons.count > 5, "\(life.world.compared) \(life.world.reasons)")
    }
  }

  @Test(arguments: 0..<(isSoak ? 2_000 : 60)) func aFleetWithRulesIsAsManyMonitors(number: Int) throws {
    let life = try live(number, .rules)
    if number == 0, SeededGenerator.seed == SeededGenerator.usualSeed {
      #expect(life.world.comparedOfRules > 0, "\(life.world.comparedOfRules)")
    }
  }

  @Test(arguments: 0..<(isSoak ? 4_000 : 60)) func aFleetWithRulesAndTimingsIsAsManyMonitors(number: Int) throws {
    let life = try live(number, .timedParts)
    if number == 0, SeededGenerator.seed == SeededGenerator.usualSeed {
      #expect(life.world.comparedOfRules > 0, "\(life.world.comparedOfRules)")
    }
  }

  @Test(arguments: 0..<(isSoak ? 4_000 : 60)) func aFleetWithTimedRulesIsAsManyMonitors(number: Int) throws {
    let life = try live(number, .timedRules)
    if number == 0, SeededGenerator.seed == SeededGenerator.usualSeed {
      #expect(life.world.comparedOfRules > 0, "\(life.world.comparedOfRules)")
    }
  }

  /// Lives with rules and timings in which a fleet once differed from the monitors.
  @Test(
    arguments: [(11, 1222)] + [1886, 2792, 3472].map { (SeededGenerator.usualSeed, $0) } as [(UInt64, Int)])
  func aFleetThatDifferedIsAsManyMonitors(seed: UInt64, number: Int) throws {
    _ = try live(number, .timedParts, seed: seed)
  }

  /// The same for rules that have timings.
  @Test(
    arguments: [(31, 2407), (31, 3480)] + [573, 809, 1004].map { (SeededGenerator.usualSeed, $0) } as [(UInt64, Int)])
  func aFleetWithTimedRulesThatDifferedIsAsManyMonitors(seed: UInt64, number: Int) throws {
    _ = try live(number, .timedRules, seed: seed)
  }

  /// Tests that fleets refuse each feature that is marked as missing, so that no feature is wrongly left out of the
  /// random sequences.
  @Test(arguments: LawFeature.allCases.filter { $0.missing != nil }) func whatIsMissingIsRefused(_ feature: LawFeature)
    throws
  {
    var options = MonitorOptions()
    switch feature {
    case .conditionLimit: options.conditionLimit = 20
    case .lookBack:
      #expect(FleetOptions().monitorOptions.initialFixMaxAgeMicroseconds == -1)
      return
    // Fleets cannot return the records of conditions.
    case .records: return
    default:
      Issue.record("\(feature) is missing, and nothing is said of it here")
      return
    }
    let bytes = try MonitorEngine(options: options).snapshot()
    #expect(throws: MonitorError.self) { try Conditions(restoring: bytes) }
  }
}
