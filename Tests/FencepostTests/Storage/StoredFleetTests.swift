import TestSupport
import Testing

@testable import Fencepost

@Suite struct StoredFleetTests {
  private func open(
    _ storage: MemoryFleetStorage, _ conditions: Conditions = Conditions(), _ durability: Durability = .changes
  ) throws -> StoredFleet {
    try StoredFleet(conditions, options: FleetOptions(), storage: storage, durability: durability)
  }

  private func devices(_ storage: MemoryFleetStorage) -> Int {
    storage.rows.keys.count { $0.table == .fleetDevices }
  }

  @Test func changesAreKeptAtOnceAndSilentMovesAtCheckpoints() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var fleet = try open(storage, zones)
    try zones.add(circle(100), identifier: "home", policy: .exact)
    let (truck, van) = try fleet.call { engine throws(MonitorError) in
      (try engine.device("truck"), try engine.device("van"))
    }
    #expect(devices(storage) == 0)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 500), for: van) }
    let writes = storage.writes
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(2, 510), for: van) }
    #expect(storage.writes == writes && devices(storage) == 0)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(2, 10), for: truck) }
    #expect(storage.writes == writes + 1 && devices(storage) == 1)
    try fleet.call { engine throws(MonitorError) in try engine.advance(to: at(3)) }
    // Another fleet that opens what is kept now: the van has no input yet, nor the advance that came after its inputs.
    let crashed = MemoryFleetStorage()
    crashed.rows = storage.rows
    var other = try open(crashed)
    #expect(other.call { $0.number(of: "van") } == nil)
    #expect(other.call { $0.currentTime } == nil)
    #expect(try other.call { engine throws(MonitorError) in try engine.statistics(of: truck).inputCount } == 1)
    let event = other.call { $0.nextEvent() }
    #expect(event?.deviceIdentifier == "truck" && event?.event.sequence == 1)

    try fleet.checkpoint()
    #expect(devices(storage) == 2)
    crashed.rows = storage.rows
    other = try open(crashed)
    #expect(other.call { $0.currentTime } == at(3))
    #expect(try other.call { engine throws(MonitorError) in try engine.statistics(of: van).inputCount } == 2)
    #expect(other.statistics.acceptedFixes == 3 && other.statistics.store == .kept)
  }

  /// At least once, with the same sequence, until it is acknowledged.
  @Test func eventsComeAgainUntilTheyAreAcknowledged() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var fleet = try open(storage, zones)
    try zones.add(circle(100), identifier: "home", policy: .exact)
    try zones.add(circle(200), identifier: "town", policy: .exact)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 10), for: try engine.device("truck")) }
    for _ in 0..<3 {
      let crashed = MemoryFleetStorage()
      crashed.rows = storage.rows
      var again = try open(crashed)
      let event = again.call { $0.nextEvent() }
      #expect(event?.event.sequence == 1 && event?.event.identifier == "home" && event?.position == 1)
      _ = fleet.call { $0.nextEvent() }
      fleet.call { $0.abandon() }
    }
    _ = fleet.call { $0.nextEvent() }
    fleet.call { $0.acknowledge() }
    let crashed = MemoryFleetStorage()
    crashed.rows = storage.rows
    var again = try open(crashed)
    let event = again.call { $0.nextEvent() }
    #expect(event?.event.sequence == 2 && event?.event.identifier == "town" && event?.position == 2)
  }

  @Test func aFailingStorageIsToldAndTriedAgain() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var fleet = try open(storage, zones, .everyInput)
    try zones.add(circle(100), identifier: "home", policy: .exact)
    storage.failing = 4
    for second in 1...20 {
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(fix(Double(second), 500), for: try engine.device("truck"))
      }
      if second == 3 { #expect(fleet.storeStatus == .failing && fleet.statistics.store == .failing) }
    }
    #expect(fleet.storeStatus == .kept)
    storage.failing = 1
    #expect(throws: MonitorError.storeUnavailable("the test says so")) { try fleet.checkpoint() }
    try fleet.checkpoint()
    storage.isSpoilt = true
    storage.rows = [:]
    try fleet.checkpoint()
    #expect(devices(storage) == 1)
    storage.failing = 2
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(29, 500), for: 0) }
    #expect(throws: MonitorError.self) { try fleet.close() }
    #expect(storage.isClosed && fleet.storeStatus == .none)
    try fleet.close()
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(30, 10), for: 0) }
  }

  @Test func relaxedSavesAfterTheInterval() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones, .relaxed(interval: 10_000_000))
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 10), for: try engine.device("truck")) }
    let writes = storage.writes
    for second in 2...35 {
      try fleet.call { engine throws(MonitorError) in try engine.feed(fix(Double(second), 10), for: 0) }
    }
    #expect(storage.writes == writes + 3)
    #expect(throws: MonitorError.self) { try open(MemoryFleetStorage(), zones, .relaxed(interval: 0)) }
  }

  @Test func anotherTableIsRefusedAndTheStorageClosed() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones)
    try fleet.close()
    storage.isClosed = false
    let rows = storage.rows
    let stranger = Conditions()
    try stranger.add(circle(101), identifier: "home", policy: .exact)
    do {
      _ = try open(storage, stranger)
      Issue.record("it was taken")
    } catch MonitorError.tableMismatch {}
    #expect(storage.isClosed && storage.rows == rows)
    // A later version is kept at once.
    try zones.add(circle(10), identifier: "door", policy: .exact)
    fleet = try open(storage, zones)
    #expect(storage.rows.keys.count { $0.table == .conditions } == 2)
  }
}
