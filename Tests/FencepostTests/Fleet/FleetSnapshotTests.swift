import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct FleetSnapshotTests {
  /// Makes a fleet with a removed device, an event in flight, waiting events, and unconfirmed crossings.
  private func fleet(_ conditions: Conditions = Conditions()) throws -> FleetEngine {
    try conditions.add(circle(100), identifier: "home", policy: .exact)
    try conditions.add(circle(300), identifier: "town", policy: .standard, tag: 7)
    try conditions.add(BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2)), identifier: "tag")
    var fleet = try FleetEngine(conditions, options: FleetOptions(maxPendingEvents: 100))
    for name in ["truck", "van", "bus", "quiet", String(repeating: "long ", count: 9)] { _ = try fleet.device(name) }
    try fleet.feed([(1, fix(1, 500)), (2, fix(1, 50)), (3, fix(2, 50)), (5, fix(2, 250)), (1, fix(3, 50))])
    _ = fleet.nextEvent()
    try fleet.feed([BeaconSighting(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)], at: at(4), for: 2)
    try fleet.advance(to: at(5))
    try fleet.remove(3)
    return fleet
  }

  @Test func aSnapshotIsTheWholeFleet() throws {
    var one = try fleet()
    let bytes = one.snapshot()
    var other = try FleetEngine(restoring: bytes)
    #expect(other.snapshot() == bytes)
    #expect(other.number(of: "truck") == 1 && other.number(of: "quiet") == nil && other.number(of: "bus") == nil)
    #expect(other.identifier(of: 4) == nil)
    #expect(other.options == one.options && other.currentTime == one.currentTime)
    #expect(other.conditions.version == one.conditions.version)
    one.abandon()
    for engine in [one, other] {
      var engine = engine
      try engine.advance(to: at(60))
      try engine.feed(fix(61, 500), for: 1)
      #expect(try engine.statistics(of: 1).inputCount == 3)
    }
    try one.advance(to: at(60))
    try other.advance(to: at(60))
    var events = 0
    while let event = one.nextEvent() {
      #expect(other.nextEvent() == event)
      events += 1
    }
    #expect(other.nextEvent() == nil && events > 4)
    try other.checkInvariants()
    // The number of a removed device is not reused soon.
    #expect(try other.device("new") == 6)
  }

  @Test func aTableThatIsGivenIsTheSnapshotsOrAnotherVersionOfIt() throws {
    let original = Conditions()
    let bytes = try fleet(original).snapshot()

    let empty = Conditions()
    _ = try FleetEngine(restoring: bytes, conditions: empty)
    #expect(empty.version == original.version)

    // Restores the fleet with the same table, which has changed since then: some conditions were removed, and slots may
    // have been reused.
    let same = try FleetEngine(restoring: bytes, conditions: original)
    #expect(try same.inside(1).map(\.identifier) == ["home"])
    original.remove("home")
    try original.add(circle(50), identifier: "other", policy: .exact)
    var later = try FleetEngine(restoring: bytes, conditions: original)
    try later.checkInvariants()
    #expect(try later.inside(1) == [])
    #expect(try later.inside(2).map(\.identifier) == ["town", "tag"])
    #expect(original.identifiers == ["town", "tag", "other"])
    while let event = later.nextEvent() { #expect(event.event.identifier != "home") }

    // An earlier version of the table is updated while other fleets use it.
    let early = try Conditions(restoring: empty.snapshot())
    var other = try FleetEngine(early)
    let device = try other.device("x")
    try other.feed(fix(1, 10), for: device)
    _ = try FleetEngine(restoring: try FleetEngine(original).snapshot(), conditions: early)
    #expect(early.version == original.version)
    #expect(try other.inside(device).map(\.identifier) == ["town"])
    try other.feed(fix(2, 10), for: device)
    #expect(try other.state(of: "other", for: device) == .satisfied)

    let stranger = Conditions()
    try stranger.add(circle(101), identifier: "home", policy: .exact)
    let version = stranger.version
    #expect(throws: MonitorError.self) { try FleetEngine(restoring: bytes, conditions: stranger) }
    #expect(stranger.version == version)
  }

  /// If only a few devices of a fleet had inputs, the restored fleet gives these devices consecutive numbers and needs
  /// no memory for the other devices.
  @Test func numbersOfWhoWasGivenNothingAreNotKeptInMemory() throws {
    var fleet = try FleetEngine(Conditions([NamedCondition(circle(100), identifier: "home", assuming: .unsatisfied)]))
    for number in 0...(1 << 20) { _ = try fleet.device("d\(number)") }
    for number in [8, 1 << 20 + 1] as [UInt64] { try fleet.feed(fix(1, 10), for: number) }
    var restored = try FleetEngine(restoring: fleet.snapshot())
    #expect(restored.deviceNumbers == [1, 2])
    let events = [restored.nextEvent(), restored.nextEvent()]
    #expect(events.map { $0?.deviceIdentifier } == ["d7", "d\(1 << 20)"])
    try restored.checkInvariants()
  }

  /// Damaged bytes are refused, even with a correct checksum; bytes that are accepted give a valid fleet.
  @Test func damagedBytesAreRefusedOrSound() throws {
    let bytes = try fleet().snapshot()
    for count in 0..<bytes.count {
      #expect(throws: MonitorError.self) { try FleetEngine(restoring: Array(bytes.prefix(count))) }
    }
    #expect(throws: MonitorError.self) { try FleetEngine(restoring: bytes + [0]) }
    #expect(throws: MonitorError.self) { try FleetEngine(restoring: Conditions().snapshot()) }
    #expect(throws: MonitorError.self) { try Conditions(restoring: bytes) }
    var random = SeededGenerator("damaged fleets")
    var taken = 0
    for round in 0..<6_000 {
      var damaged = bytes
      let place = random.integer(12...bytes.count - 9)
      damaged[place] =
        round % 2 == 0 ? damaged[place] ^ (1 << UInt8(random.integer(0...7))) : UInt8(random.integer(0...255))
      if damaged == bytes { continue }
      #expect(throws: MonitorError.self) { try FleetEngine(restoring: damaged) }
      var sum = Checksum()
      damaged.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0.dropLast(8))) }
      withUnsafeBytes(of: sum.value.littleEndian) { damaged.replaceSubrange((damaged.count - 8)..., with: $0) }
      guard var fleet = try? FleetEngine(restoring: damaged) else { continue }
      taken += 1
      try fleet.checkInvariants()
      #expect(try FleetEngine(restoring: fleet.snapshot()).snapshot() == fleet.snapshot())
      let last = Timestamp(microseconds: Timestamp.latest.microseconds)
      for device in fleet.deviceNumbers { try? fleet.feed(fix(100, Double(round % 400)), for: device) }
      try? fleet.advance(to: last)
      while fleet.nextEvent() != nil {}
      try fleet.checkInvariants()
    }
    #expect(taken > 100)
  }
}
