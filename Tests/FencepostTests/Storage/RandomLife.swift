@testable import Fencepost
@testable import FencepostCore

/// One call in a random sequence of calls, stored as data, so that it can be played on several engines.
enum LifeStep: CustomStringConvertible {
  case add(String, Definition, assuming: Event.State)
  case remove(String)
  case fix(Fix)
  case fixWith(Fix, FixEllipse?, FixHeight?)
  case see([BeaconSighting], Int64)
  case scanning(Bool, Int64)
  case host(Diagnostics, Set<ConditionKind>, Int64)
  case advance(Int64)
  /// Sets the clock back to an earlier time, as a host does after inputs with wrong times.
  case rewind(Int64)
  /// Replaces all conditions with this single condition.
  case sync(String, Definition)
  case poll(Int)
  case acknowledge
  /// Returns the delivered events to the queue, as a restart of the consumer does.
  case restart

  var description: String {
    switch self {
    case .add(let identifier, _, let assuming): "add \(identifier) assuming \(assuming)"
    case .remove(let identifier): "remove \(identifier)"
    case .fix(let fix): "fix \(fix)"
    case .fixWith(let fix, let ellipse, let height):
      "fix \(fix) with \(ellipse.map { "\($0)" } ?? "no ellipse"), \(height.map { "\($0)" } ?? "no height")"
    case .see(let sightings, let time): "see \(sightings.count) at \(time)"
    case .scanning(let isOn, let time): "scanning \(isOn) at \(time)"
    case .host(let flags, let kinds, let time): "host \(flags.rawValue) \(kinds) at \(time)"
    case .advance(let time): "advance \(time)"
    case .rewind(let time): "rewind \(time)"
    case .sync(let identifier, _): "sync \(identifier)"
    case .poll(let limit): "poll \(limit)"
    case .acknowledge: "acknowledge"
    case .restart: "restart"
    }
  }

  /// Plays the step and returns the delivered events as JSON. The engine refuses some of the calls; these refusals are
  /// ignored.
  func play(_ engine: inout MonitorEngine) -> [String] {
    var events: [String] = []
    switch self {
    case .add(let identifier, let definition, let assuming):
      let condition = definition.subject.condition
      try? engine.add(
        condition, identifier: identifier, assuming: assuming, policy: definition.policy, tag: definition.tag,
        timing: definition.timing, band: definition.band)
    case .remove(let identifier): engine.remove(identifier)
    case .fix(let fix): try? engine.feed(fix)
    case .fixWith(let fix, let ellipse, let height): _ = try? engine.feed(fix, ellipse: ellipse, height: height)
    case .see(let sightings, let time): try? engine.feed(sightings, at: Timestamp(microseconds: time))
    case .scanning(let isOn, let time): try? engine.setScanning(isOn, at: Timestamp(microseconds: time))
    case .host(let flags, let kinds, let time):
      try? engine.setHostCapabilities(flags, unsupported: kinds, at: Timestamp(microseconds: time))
    case .advance(let time): try? engine.advance(to: Timestamp(microseconds: time))
    case .rewind(let time): try? engine.rewind(to: Timestamp(microseconds: time))
    case .sync(let identifier, let definition):
      let condition = definition.subject.condition
      _ = try? engine.sync([
        NamedCondition(
          condition, identifier: identifier, policy: definition.policy, tag: definition.tag, timing: definition.timing,
          band: definition.band)
      ])
    case .poll(let limit):
      let confidence = engine.options.accuracyConfidence
      _ = engine.poll(limit: limit) { entry, table in
        events.append(table.event(from: entry, confidence: confidence).json)
      }
    case .acknowledge: engine.acknowledge()
    case .restart: engine.abandon()
    }
    return events
  }
}

/// A random sequence of all possible calls on a monitor, near the boundaries of a few conditions.
struct RandomLife {
  /// The identifiers of the conditions.
  static let identifiers = ["a", "b", "c", "d", "a longer one, beyond what fits in place"]
  /// Whether schedules may say how far they are known.
  var hasScheduleEnds = true
  private var random: SeededGenerator
  private var time: Int64 = 1_000_000_000
  private let beacons = [
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2)),
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2), major: 7),
    BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2), major: 7, minor: 9),
  ]

  /// - Parameter number: Selects one of the random sequences.
  init(_ name: String, _ number: Int) {
    random = SeededGenerator(name, salt: UInt64(number))
  }

  mutating func options() -> MonitorOptions {
    MonitorOptions(
      delivery: [.every, .first, .latest].randomElement(using: &random) ?? .every,
      conditionLimit: Bool.random(using: &random) ? nil : Int.random(in: 1...4, using: &random),
      maxPendingEvents: Int.random(in: 0..<8, using: &random) == 0 ? 3 : 1_000_000,
      maxTimeStepMicroseconds: Int.random(in: 0..<4, using: &random) == 0 ? 20_000_000 : nil,
      plausibility: random.chance(0.25)
        ? Plausibility(speed: 50, corroborationCount: 2, corroborationTimeMicroseconds: 5_000_000) : nil,
      accuracyConfidence: random.chance(0.25) ? 0.95 : 0.68, order: random.chance(0.5) ? .exitsFirst : .add)
  }

  private mutating func metres() -> Double {
    [0, 40, 79, 81, 99, 101, 119, 121, 160, 5_000].randomElement(using: &random) ?? 0
  }

  private mutating func policy() -> TransitionPolicy {
    var policy = [TransitionPolicy.exact, .standard, .coreLocation].randomElement(using: &random) ?? .exact
    if Bool.random(using: &random) {
      policy.notify = TransitionPolicy.Notify(rawValue: UInt8.random(in: 0...7, using: &random))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { policy.dwellPolicy = .evidence }
    if random.chance(0.25) { (policy.entryDwellMicroseconds, policy.exitDwellMicroseconds) = (20_000_000, 20_000_000) }
    if random.chance(0.25) {
      policy.accuracyFactor = 0
      (policy.entryProbability, policy.exitProbability) = (0.9, 0.1)
    }
    return policy
  }

  private mutating func definition(of identifier: String) -> Definition {
    if random.chance(0.25) { return rule(of: identifier) }
    let subject: Definition.Subject =
      if Int.random(in: 0..<3, using: &random) == 0 {
        .beacon(beacons.randomElement(using: &random) ?? beacons[0])
      } else if let shape = shape() {
        shape
      } else {
        .circle(
          CircularGeographicCondition(
            center: Coordinate(latitude: 0, longitude: Double.random(in: 0..<0.002, using: &random)),
            radius: Double.random(in: 20..<150, using: &random)))
      }
    var definition = Definition(subject: subject, policy: policy(), tag: UInt64.random(in: 0..<3, using: &random))
    if random.chance(0.3) { definition.timing = timing(isShape: definition.subject.kind.isGeographic) }
    if definition.subject.kind.isGeographic, random.chance(0.5) { definition.band = band() }
    return definition
  }

  /// Returns a rule whose parts are other conditions of the life: shapes, beacons and rules, some of them missing. A rule
  /// that would be in itself is refused.
  private mutating func rule(of identifier: String) -> Definition {
    var parts = Self.identifiers.filter { $0 != identifier }.shuffled(using: &random)
    parts.removeLast(random.integer(1...3))
    if random.chance(0.05) { parts.append("missing") }
    var rule =
      switch random.integer(0...3) {
      case 0: RuleDefinition(.atLeast, atLeast: Int64(random.integer(1...parts.count)))
      case 1: RuleDefinition(.all)
      case 2: RuleDefinition(.any)
      default: RuleDefinition(.none)
      }
    for var part in parts { part.withUTF8 { rule.append($0) } }
    var policy = TransitionPolicy.exact
    policy.entryDwellMicroseconds = [0, 30_000_000, 60_000_000][random.integer(0...2)]
    policy.exitDwellMicroseconds = [0, 30_000_000, 60_000_000][random.integer(0...2)]
    if random.chance(0.3) { policy.notify = TransitionPolicy.Notify(rawValue: UInt8(random.integer(0...7))) }
    var definition = Definition(subject: .rule(rule), policy: policy, tag: UInt64(random.integer(0...2)))
    if random.chance(0.3) { definition.timing = timing(isShape: false) }
    return definition
  }

  /// Returns a band of altitudes, whose limits many fixes have.
  private mutating func band() -> AltitudeBand {
    let low = Double(random.integer(0...3)) * 25
    let references = AltitudeBand.Reference.allCases
    let (below, above) = (references[random.integer(0...2)], references[random.integer(0...2)])
    return switch random.integer(0...3) {
    case 0: AltitudeBand(min: low, minReference: below)
    case 1: AltitudeBand(max: low, maxReference: above)
    default:
      AltitudeBand(min: low, max: low + [25, 50][random.integer(0...1)], minReference: below, maxReference: above)
    }
  }

  /// Returns the height of a fix.
  private mutating func height() -> FixHeight {
    FixHeight(
      altitude: random.chance(0.05) ? .nan : Double(random.integer(-1...7)) * 25,
      verticalAccuracy: [0, 0, 3, 12, 150, -1][random.integer(0...5)],
      geoidHeight: random.chance(0.2) ? .nan : 50, groundHeight: random.chance(0.2) ? .nan : 25)
  }

  private mutating func timing(isShape: Bool) -> ConditionTiming {
    var timing = ConditionTiming()
    if random.chance(0.7) {
      var edge = time - Int64.random(in: 0..<60_000_000, using: &random)
      var intervals: [(start: Timestamp, end: Timestamp)] = []
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let start = edge
        let end = start + Int64.random(in: 1..<40_000_000, using: &random)
        intervals.append((Timestamp(microseconds: start), Timestamp(microseconds: end)))
        edge = end + Int64.random(in: 0..<40_000_000, using: &random)
      }
      let hasEnd = hasScheduleEnds && random.chance(0.5)
      timing.schedule = try? Schedule(intervals, until: hasEnd ? Timestamp(microseconds: edge) : nil)
    }
    if isShape, random.chance(0.3) { timing.absentAfterMicroseconds = Int64.random(in: 1..<60_000_000, using: &random) }
    if random.chance(0.3) {
      timing.repeatEveryMicroseconds = Int64.random(in: 1_000_000..<20_000_000, using: &random)
      timing.repeatLimit = UInt32.random(in: 1...5, using: &random)
    }
    if random.chance(0.3) { timing.maxEvents = UInt32.random(in: 1...4, using: &random) }
    return timing
  }

  /// Returns a polygon or corridor in about half of the calls, and otherwise `nil`.
  private mutating func shape() -> Definition.Subject? {
    guard random.chance(0.5) else { return nil }
    let middle = Coordinate(latitude: 0, longitude: random.uniform(0...0.002))
    let condition = random.shape(around: middle, radius: random.uniform(30...150))
    return try? GivenCondition(condition).subject()
  }

  mutating func step() -> LifeStep {
    if Int.random(in: 0..<3, using: &random) > 0 { time += Int64.random(in: 0..<25_000_000, using: &random) }
    let identifier = Self.identifiers.randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<32, using: &random) {
    case 0, 1: return .remove(identifier)
    case 2...5:
      return .add(
        identifier, definition(of: identifier),
        assuming: [.unknown, .satisfied, .unsatisfied].randomElement(using: &random) ?? .unknown)
    case 6: return .scanning(Bool.random(using: &random), time)
    case 7:
      let flags: Diagnostics =
        [[], [], .authorizationDenied, [.accuracyLimited, .authorizationDenied]].randomElement(
          using: &random) ?? []
      let kinds: Set<ConditionKind> =
        [[], [], Set(ConditionKind.allCases.filter { _ in Bool.random(using: &random) })].randomElement(using: &random)
        ?? []
      return .host(flags, kinds, time)
    case 8:
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        time -= Int64.random(in: 0..<100_000_000, using: &random)
        return .rewind(time)
      case 1: return .sync(identifier, definition(of: identifier))
      default: return .advance(time)
      }
    case 9...11: return .poll(Int.random(in: 0...3, using: &random))
    case 12: return .acknowledge
    case 13: return .restart
    case 14...16:
      let sightings = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        BeaconSighting(
          uuid: BeaconUUID(high: 1, low: UInt64.random(in: 2...3, using: &random)),
          major: UInt16.random(in: 7...8, using: &random), minor: UInt16.random(in: 9...10, using: &random),
          rssi: Int32.random(in: -90...(-40), using: &random))
      }
      return .see(sightings, time)
    default:
      let isLate = Int.random(in: 0..<20, using: &random) == 0
      let fix = Fix(
        latitude: metres() / 110_574, longitude: Double.random(in: 0..<0.002, using: &random),
        accuracy: [0, 5, 30, 400, -1].randomElement(using: &random) ?? 0,
        time: Timestamp(microseconds: isLate ? time - 60_000_000 : time))
      let height = random.chance(0.8) ? height() : nil
      var ellipse: FixEllipse?
      if random.chance(0.25) {
        ellipse = FixEllipse(major: 20, minor: random.uniform(-1...30), orientation: random.uniform(0...180))
      }
      return ellipse == nil && height == nil ? .fix(fix) : .fixWith(fix, ellipse, height)
    }
  }
}
