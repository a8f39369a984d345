import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests how very many devices are saved in parts. Whenever the process ends, the stored state of each device is its
/// state after one of its inputs, which need not be the last input. After the device has been fed the remaining inputs,
/// its state and its events are the same as if the process had not ended.
@Suite struct FleetPartsTests {
  private enum Call {
    case feed([(device: Int, fix: Fix)])
    case advance(Timestamp)
    case poll(Int)
    case acknowledge
  }

  /// The content of a delivered event; a `Log` finds it by device and sequence number.
  private struct Told: Equatable {
    let identifier: String
    let state: Event.State
    let date: Timestamp?
  }

  private typealias Log = [Int: [UInt64: Told]]

  private static let deviceCount = 60
  private static let options = FleetOptions(maxPendingEvents: 1_000_000)

  private static func name(_ device: Int) -> String { "device \(device)" }

  private static func conditions() throws -> Conditions {
    var policy = TransitionPolicy.exact
    policy.entryDwellMicroseconds = 8_000_000
    return try Conditions(
      (0..<5).map { number in
        NamedCondition(
          CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: Double(number) * 0.003), radius: 120),
          identifier: "place \(number)", assuming: .unsatisfied, policy: number == 2 ? policy : .exact)
      })
  }

  private static func open(_ storage: MemoryFleetStorage, _ conditions: Conditions) throws -> StoredFleet {
    var fleet = try StoredFleet(
      conditions, options: options, storage: storage, durability: .relaxed(interval: 20_000_000))
    fleet.limits = SaveLimits(least: 10, part: 7)
    return fleet
  }

  private static func life(_ random: inout SeededGenerator) -> [Call] {
    var time: Int64 = 1_000_000_000
    return (0..<400).map { _ in
      time += Int64(random.integer(0...3_000_000))
      switch random.integer(0...9) {
      case 0: return .advance(Timestamp(microseconds: time))
      case 1, 2: return .poll(random.integer(1...30))
      case 3: return .acknowledge
      default:
        return .feed(
          (0..<random.integer(1...40)).map { _ in
            let fix = Fix(
              latitude: random.uniform(-0.001...0.001), longitude: random.uniform(0...0.014),
              accuracy: random.chance(0.1) ? -1 : 0, time: Timestamp(microseconds: time))
            return (random.integer(0...deviceCount - 1), fix)
          })
      }
    }
  }

  private static func poll(_ fleet: inout StoredFleet, _ most: Int, _ log: inout Log) {
    for _ in 0..<most {
      guard let event = fleet.call({ $0.nextEvent() }) else { return }
      let device = (0..<deviceCount).first { name($0) == event.deviceIdentifier } ?? -1
      let told = Told(identifier: event.event.identifier, state: event.event.state, date: event.event.date)
      // A redelivered event must be identical to its first delivery.
      if let known = log[device, default: [:]][event.event.sequence] { #expect(known == told) }
      log[device, default: [:]][event.event.sequence] = told
    }
  }

  /// The number of inputs of each device.
  private static func inputs(of fleet: StoredFleet) throws -> [UInt64] {
    try (0..<deviceCount).map { device in
      try fleet.state.number(of: name(device)).map { try fleet.state.statistics(of: $0).inputCount } ?? 0
    }
  }

  /// Plays one call; skips inputs that a device has already received.
  private static func step(_ call: Call, _ fleet: inout StoredFleet, _ had: inout [UInt64], _ log: inout Log) throws {
    switch call {
    case .feed(let rows):
      var left = had
      try fleet.call { engine throws(MonitorError) in
        var taken: [(device: UInt64, fix: Fix)] = []
        for (device, fix) in rows {
          if left[device] > 0 {
            left[device] -= 1
          } else {
            taken.append((try engine.device(name(device)), fix))
          }
        }
        try engine.feed(taken)
      }
      had = left
    case .advance(let time):
      let now = fleet.state.currentTime
      if now.map({ time >= $0 }) ?? true {
        try fleet.call { engine throws(MonitorError) in try engine.advance(to: time) }
      }
    case .poll(let most): poll(&fleet, most, &log)
    case .acknowledge: fleet.call { $0.acknowledge() }
    }
  }

  /// Plays a sequence of calls.
  private static func play(_ life: [Call], _ fleet: inout StoredFleet, _ log: inout Log, _ after: () -> Void) throws {
    var had = try inputs(of: fleet)
    for call in life {
      try step(call, &fleet, &had, &log)
      after()
    }
    try fleet.call { engine throws(MonitorError) in
      try engine.advance(to: Timestamp(microseconds: 1_000_000_000_000))
    }
    poll(&fleet, .max, &log)
  }

  @Test(arguments: 0..<3) func afterEachPart(_ number: Int) throws {
    var random = SeededGenerator("fleets saved in parts", salt: UInt64(number))
    let life = Self.life(&random)
    let storage = MemoryFleetStorage()
    var kept: [[MemoryFleetStorage.Key: [UInt8]]] = []
    var whole = try Self.open(storage, try Self.conditions())
    var log: Log = [:]
    var writes = 0
    try Self.play(life, &whole, &log) {
      if storage.writes != writes { kept.append(storage.rows) }
      writes = storage.writes
    }
    #expect(kept.count > 40, "\(kept.count) saves")
    for index in stride(from: number, to: kept.count, by: 9) {
      let copy = MemoryFleetStorage()
      copy.rows = kept[index]
      var fleet = try Self.open(copy, Conditions())
      var again = log
      try Self.play(life, &fleet, &again) {}
      // No new sequence number appears, and each event is the same as before.
      #expect(again.values.map(\.count).reduce(0, +) == log.values.map(\.count).reduce(0, +))
      for device in 0..<Self.deviceCount {
        guard let one = whole.state.number(of: Self.name(device)), let other = fleet.state.number(of: Self.name(device))
        else { continue }
        #expect(try whole.state.statistics(of: one) == fleet.state.statistics(of: other))
        let places = try whole.state.inside(one).map(\.identifier)
        #expect(try fleet.state.inside(other).map(\.identifier) == places)
      }
    }
  }

  /// The store can be opened at any time, and a checkpoint saves the whole fleet, although the disk fails in between,
  /// devices are removed and added again, and the table of conditions changes.
  @Test func aDiskThatFailsBetweenParts() throws {
    var random = SeededGenerator("fleets saved in parts of a failing disk")
    let life = Self.life(&random)
    let storage = MemoryFleetStorage()
    let conditions = try Self.conditions()
    var fleet = try Self.open(storage, conditions)
    var log: Log = [:]
    for (index, call) in life.enumerated() {
      var had = [UInt64](repeating: 0, count: Self.deviceCount)
      log = [:]
      try Self.step(call, &fleet, &had, &log)
      if random.chance(0.05) { storage.failing = random.integer(1...4) }
      if random.chance(0.02) { storage.isSpoilt = true }
      if random.chance(0.2), let number = fleet.state.number(of: Self.name(random.integer(0...Self.deviceCount - 1))) {
        let isDropping = random.chance(0.5)
        try fleet.call { engine throws(MonitorError) in try engine.remove(number, droppingEvents: isDropping) }
      }
      if random.chance(0.05) { conditions.remove("place \(random.integer(0...4))") }
      if random.chance(0.05) {
        try conditions.add(
          CircularGeographicCondition(
            center: Coordinate(latitude: 0, longitude: random.uniform(0...0.014)), radius: random.uniform(50...200)),
          identifier: "place \(random.integer(0...4))", assuming: .unsatisfied, policy: .exact)
      }
      try fleet.state.checkInvariants()
      if index % 20 == 0 {
        let copy = MemoryFleetStorage()
        copy.rows = storage.rows
        _ = try Self.open(copy, Conditions())
      }
    }
    storage.failing = 0
    try fleet.checkpoint()
    fleet.call { $0.abandon() }
    let copy = MemoryFleetStorage()
    copy.rows = storage.rows
    #expect(try Self.open(copy, Conditions()).state.snapshot() == fleet.state.snapshot())
  }
}
