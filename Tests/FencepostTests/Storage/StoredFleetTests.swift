import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

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
    // Another fleet opens a copy of the store, which contains neither the van's inputs nor the advance, because they
    // are not saved yet.
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

  /// Events are delivered at least once, with the same sequence, until they are acknowledged.
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
    for second in 1...28 {
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
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(29, 500), for: 1) }
    #expect(throws: MonitorError.self) { try fleet.close() }
    #expect(storage.isClosed && fleet.storeStatus == .none)
    try fleet.close()
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(30, 10), for: 1) }
  }

  /// A full disk must not stop the work. Each failed attempt to save leaves more data to be written next time, so
  /// attempts become rarer. Read-only calls do not try to save. A failed checkpoint does not postpone the store's own
  /// next attempt to save.
  @Test(arguments: [Durability.changes, .everyInput, .relaxed(interval: 1_000_000)])
  func attemptsAreInProportionToTheWork(durability: Durability) throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones, durability)
    let devices = 2_000
    storage.failing = .max
    let before = storage.attempts
    for device in 0..<devices {
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(fix(1, 10), for: try engine.device("truck \(device)"))
      }
      _ = fleet.call { $0.nextDeadline() }
    }
    // At first, the number of inputs between two attempts to save doubles each time; later, one attempt is made for
    // every 8 × N inputs, where N is the number of rows.
    #expect((2...16).contains(storage.attempts - before), "\(storage.attempts - before) attempts")
    let attempts = storage.attempts
    for _ in 0..<1_000 { _ = fleet.call { $0.hasEvents } }
    #expect(storage.attempts == attempts)
    #expect(!fleet.statistics.isAllKept)

    // Failing checkpoints do not postpone the next attempt: a day of event time always triggers an attempt.
    for _ in 0..<20 { #expect(throws: MonitorError.self) { try fleet.checkpoint() } }
    storage.failing = 0
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(86_500, 10), for: 1) }
    #expect(fleet.storeStatus == .kept)
    try fleet.checkpoint()
    #expect(fleet.statistics.isAllKept && self.devices(storage) == devices)
  }

  /// Queries save nothing and do not retry a failing storage, however many queries there are.
  @Test func questionsSaveNothing() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var fleet = try open(storage, zones)
    try zones.add(circle(100), identifier: "home", policy: .exact)
    let truck = try fleet.call { engine throws(MonitorError) in try engine.device("truck") }
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 10), for: truck) }
    func ask() throws {
      for _ in 0..<100 {
        #expect(
          try fleet.read { engine throws(MonitorError) in try engine.state(of: "home", for: truck) } == .satisfied)
        _ = try fleet.read { engine throws(MonitorError) in try engine.explain("home", for: truck) }
        _ = try fleet.read { engine throws(MonitorError) in try engine.export([truck]) }
        _ = fleet.ask { $0.nextDeadline() }
        #expect(fleet.ask { $0.devices(insideOf: "home")?.count } == 1)
      }
    }
    // The change to the table is unsaved until the next input.
    try zones.add(circle(300), identifier: "town", assuming: .unknown, policy: .exact)
    let attempts = storage.attempts
    try ask()
    #expect(storage.attempts == attempts)
    storage.failing = 1_000
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(2, 500), for: truck) }
    #expect(storage.attempts == attempts + 1 && fleet.storeStatus == .failing)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(3, 10), for: truck) }
    let failed = storage.attempts
    try ask()
    #expect(storage.attempts == failed)
    storage.failing = 0
    try fleet.checkpoint()
    #expect(storage.attempts == failed + 1 && fleet.storeStatus == .kept)
  }

  /// While the storage stays full, the number of inputs triggers no attempts to save, and event time triggers only a
  /// few.
  @Test func aFullStorageIsTriedByEventTimeAlone() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones)
    storage.failing = .max
    for device in 0..<2 { feed(&fleet, "\(device)", 1, 10) }
    storage.isFull = true
    let attempts = storage.attempts
    for device in 0..<1_000 { feed(&fleet, "\(device)", 2, 10) }
    for _ in 0..<10_000 { feed(&fleet, "1", 2, 10) }
    #expect(storage.attempts == attempts)
    // In an hour with a fix per second, the attempts come after 1, 2, 4, 8, 16 and 32 minutes.
    for second in 2...3_602 { feed(&fleet, "1", Double(second), 10) }
    #expect(storage.attempts - attempts <= 6)
    #expect(storage.attempts - attempts >= 5)
    storage.isFull = false
    storage.failing = 0
    for _ in 0..<20_000 { feed(&fleet, "1", 3_602, 10) }
    #expect(fleet.storeStatus == .kept && devices(storage) == 1_000)
  }

  /// The disk fails while 30 000 inputs arrive within 30 seconds, and the number of inputs triggers the attempts to
  /// save. Then inputs become rare, and the next attempt to save comes after about a minute of event time.
  @Test func busyWorkDoesNotDelayAttemptsByEventTime() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones)
    storage.failing = .max
    for second in 0..<30_000 { feed(&fleet, "\(second % 50)", Double(second) / 1_000, 10) }
    #expect(storage.attempts > 30)
    storage.failing = 0
    feed(&fleet, "1", 95, 10)
    #expect(fleet.storeStatus == .kept && devices(storage) == 50)
  }

  /// Tests the check that a host makes before it acknowledges its inputs to a broker.
  @Test func allIsKeptOnceTheStorageHasIt() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones)
    #expect(fleet.statistics.isAllKept)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 500), for: try engine.device("truck")) }
    #expect(!fleet.statistics.isAllKept)  // the device moved without an event
    try fleet.checkpoint()
    #expect(fleet.statistics.isAllKept)
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(2, 10), for: 1) }
    #expect(fleet.statistics.isAllKept)  // if there is an event, all changes are saved before the call returns
    try zones.add(circle(10), identifier: "door", policy: .exact)
    #expect(!fleet.statistics.isAllKept)
    storage.failing = 1
    #expect(throws: MonitorError.self) { try fleet.checkpoint() }
    #expect(!fleet.statistics.isAllKept)
    try fleet.checkpoint()
    #expect(fleet.statistics.isAllKept)
    try fleet.close()
    #expect(!fleet.statistics.isAllKept)  // the fleet has no storage any more
  }

  /// A device moves without causing an event, and then a condition is added at the device's new position. A save of the
  /// condition must not contain the device's row from before the move. With the old row, a crash would cause the move
  /// to be fed again, and the device would enter a condition that is newer than the move.
  @Test func aTableChangeKeepsTheDevicesThatMoved() throws {
    func life(_ isCut: Bool) throws -> [String] {
      let storage = MemoryFleetStorage()
      var zones = Conditions()
      try zones.add(circle(100), identifier: "far", policy: .exact)
      var fleet = try open(storage, zones)
      let inputs: [(Double, Double)] = [(1, 5_000), (2, 3_000), (3, 3_000), (4, 3_001), (5, 9_000)]
      for (second, place) in inputs.prefix(2) {
        try fleet.call { engine throws(MonitorError) in
          try engine.feed(fix(second, place), for: try engine.device("truck"))
        }
      }
      try zones.add(circle(100, latitude: 3_000 / 110_574), identifier: "here", policy: .exact)
      // This call also saves the change to the table.
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(fix(1, 500), for: try engine.device("van"))
      }
      if isCut {
        let crashed = MemoryFleetStorage()
        crashed.rows = storage.rows
        zones = Conditions()
        fleet = try open(crashed, zones)
      }
      let count = (try? fleet.engine.statistics(of: 1).inputCount) ?? 0
      for (second, place) in inputs.dropFirst(Int(count)) {
        try fleet.call { engine throws(MonitorError) in
          try engine.feed(fix(second, place), for: try engine.device("truck"))
        }
      }
      var events: [String] = []
      while let event = fleet.call({ $0.nextEvent() }) {
        events.append("\(event.deviceIdentifier) \(event.event.brief)")
      }
      return events
    }
    #expect(try life(true) == life(false))
  }

  /// Two fleets share a table, each with its own storage. When the process ended, only one fleet had saved a change to
  /// the table. If `changesBetween` is true, the table is changed in another way after one store was opened again.
  @Test(arguments: [[0, 1], [1, 0]], [false, true])
  func twoFleetsWithOneTableOpenInAnyOrder(order: [Int], changesBetween: Bool) throws {
    let storages = [MemoryFleetStorage(), MemoryFleetStorage()]
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    try zones.add(circle(300), identifier: "town", policy: .exact)
    var fleets = try storages.map { try open($0, zones) }
    for index in fleets.indices {
      try fleets[index].call { engine throws(MonitorError) in
        try engine.feed(fix(1, 200), for: try engine.device("truck"))
      }
    }
    zones.remove("home")
    try zones.add(circle(210), identifier: "ring", policy: .exact)
    // Only the second fleet saves the change to the table, and its device enters the new condition "ring".
    try fleets[1].call { engine throws(MonitorError) in try engine.feed(fix(2, 200), for: 1) }

    let crashed = storages.map { storage in
      let crashed = MemoryFleetStorage()
      crashed.rows = storage.rows
      return crashed
    }
    let again = Conditions()
    if changesBetween {
      _ = try open(crashed[0], again)
      crashed[0].isClosed = false
      try again.add(circle(120), identifier: "yard", policy: .exact)
      try again.add(circle(210), identifier: "ring", policy: .exact)
    }
    var opened: [Int: StoredFleet] = [:]
    for index in order { opened[index] = try open(crashed[index], again) }
    for index in order {
      try opened[index]!.engine.checkInvariants()
      // The device is still inside the condition `town`, and it accepts further fixes.
      #expect(try opened[index]!.engine.inside(1).contains { $0.identifier == "town" })
      try opened[index]!.call { engine throws(MonitorError) in try engine.feed(fix(9, 900), for: 1) }
      var left: Set<String> = []
      var sequences: [UInt64] = []
      while let event = opened[index]!.call({ $0.nextEvent() }) {
        if event.event.state == .unsatisfied { left.insert(event.event.identifier) }
        sequences.append(event.event.sequence)
      }
      #expect(left.contains("town"))
      #expect(sequences == Array(1...UInt64(sequences.count)))
      try opened[index]!.close()
      crashed[index].isClosed = false
    }
    // In each store, the saved device fits the saved table, so the store can be opened again.
    for index in order { _ = try open(crashed[index], Conditions()) }
  }

  /// After a crash at any time, the storage contains a table and the input count of each device. No input from before a
  /// saved change to the table is missing, and no input from after an unsaved change is included. `isAllKept` is true
  /// only if no input and no change is missing. Writes fail at random. The table changes between calls, between the
  /// parts of a save, and just before a write locks the table.
  @Test(arguments: [Durability.changes, .everyInput, .relaxed(interval: 3_000_000)], 0..<4)
  func eachImageHasTheTableAndTheDevicesOfOneMoment(durability: Durability, seed: Int) throws {
    var random = SeededGenerator("images of a table and its devices \(seed)")
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var fleet = try open(storage, zones, durability)
    fleet.limits = SaveLimits(least: 3, part: 2)
    var inputs: [String: UInt64] = [:]
    var changes: [(generation: UInt64, inputs: [String: UInt64])] = []
    func changeTable() throws {
      let generation = UInt64(changes.count + 1)
      let radius = random.uniform(50...2_000)
      _ = try zones.ensure(circle(radius), identifier: "z\(generation % 9)", policy: .exact)
      let last = zones.read { $0.order.lastGeneration }
      #expect(last == generation)
      changes.append((last, inputs))
    }
    func look(isAll: Bool) throws {
      let kept = try open(storage.image())
      let generation = kept.engine.conditions.read { $0.order.lastGeneration }
      for (device, count) in inputs {
        let found = try kept.engine.number(of: device).map { try kept.engine.statistics(of: $0).inputCount } ?? 0
        #expect(found <= count && (!isAll || found == count))
        for change in changes {
          let before = change.inputs[device] ?? 0
          #expect(change.generation <= generation ? found >= before : found <= before)
        }
      }
      if isAll { #expect(generation == UInt64(changes.count)) }
    }
    storage.willWrite = { if random.chance(0.1) { #expect(throws: Never.self) { try changeTable() } } }
    storage.didWrite = { #expect(throws: Never.self) { try look(isAll: false) } }
    for second in 1...150 {
      if random.chance(0.1) { try changeTable() }
      if random.chance(0.1) { storage.failing = random.integer(0...4) }
      let name = "d\(random.integer(0...11))"
      // A move far outside all conditions changes no state, and with the durability `changes` such a move is not saved
      // at once.
      let place = random.chance(0.5) ? random.uniform(0...2_500) : random.uniform(5_000...9_000)
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(fix(Double(second), place), for: try engine.device(name))
        inputs[name, default: 0] += 1
      }
      if random.chance(0.05) { try? fleet.checkpoint() }
      while random.chance(0.4), fleet.call({ $0.nextEvent() }) != nil { fleet.call { $0.acknowledge() } }
      if fleet.statistics.isAllKept { try look(isAll: true) }
      try fleet.engine.checkInvariants()
    }
    storage.failing = 0
    storage.willWrite = nil
    try fleet.checkpoint()
    #expect(fleet.statistics.isAllKept)
    try look(isAll: true)
  }

  /// Three fleets with one table run and crash together several times. Each run opens the fleets in a different order,
  /// and changes the table between two openings. With `hasFamilies`, no identifier is common to all versions of the
  /// table, and only the families of the stores show that these versions belong together.
  @Test(arguments: 0..<6, [false, true]) func fleetsOfOneTableOpenInAllOrders(seed: Int, hasFamilies: Bool) throws {
    var random = SeededGenerator("fleets of one table", salt: UInt64(seed))
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    var changes = 0
    func changeTable(_ zones: Conditions) throws {
      if hasFamilies {
        changes += 1
        for identifier in zones.identifiers where random.chance(0.7) { zones.remove(identifier) }
        try zones.add(circle(Double(random.integer(1...4)) * 100), identifier: "z\(changes)", policy: .exact)
        // The condition "town" may be replaced, but is never removed.
      } else if random.chance(0.3) {
        zones.remove(["home", "ring"][random.integer(0...1)])
      } else {
        let name = ["home", "ring", "town"][random.integer(0...2)]
        _ = try zones.ensure(circle(Double(random.integer(1...4)) * 100), identifier: name, policy: .exact)
      }
    }
    func definitions(_ zones: Conditions) -> [UInt64: UInt32] {
      zones.read { table in
        var found: [UInt64: UInt32] = [:]
        for slot in table.live {
          found[table.identifierHash(of: slot)] = table.definitionHash(of: slot)
        }
        return found
      }
    }
    func hash(_ identifier: String, _ zones: Conditions) -> UInt64? {
      zones.read { table in
        for slot in table.live where table.identifier(of: slot) == identifier {
          return table.identifierHash(of: slot)
        }
        return nil
      }
    }
    var storages = (0..<3).map { _ in MemoryFleetStorage() }
    if hasFamilies { for storage in storages { storage.families = (nil, nil) } }
    var second = 0.0
    let first = Conditions()
    if !hasFamilies { try first.add(circle(300), identifier: "town", policy: .exact) }
    for storage in storages { _ = try open(storage, first) }
    for _ in 0..<12 {
      // In whatever order the fleets are opened, each fleet must have the state that the crash left.
      for order in orders {
        let images = storages.map { $0.image() }
        let zones = Conditions()
        var changed: Set<String> = []
        for index in order {
          let before = try open(images[index].image())
          var fleet = try open(images[index], zones)
          // Opening a store must not undo a change that was made to the table after the previous store was opened.
          #expect(changed.isSubset(of: zones.identifiers))
          try fleet.engine.checkInvariants()
          // After opening, the device may be inside only those conditions that it was inside before, and only if their
          // definitions are unchanged.
          if let device = fleet.engine.number(of: "truck") {
            let known = try Set(before.engine.inside(device).map { $0.identifier })
            let found = try Set(fleet.engine.inside(device).map { $0.identifier })
            #expect(found.isSubset(of: known))
            for identifier in known where found.contains(identifier) {
              let hash = hash(identifier, zones)!
              #expect(definitions(zones)[hash] == definitions(before.engine.conditions)[hash])
            }
          }
          try fleet.close()
          changed = []
          if random.chance(0.5) {
            let version = zones.read { $0.changes.version }
            try changeTable(zones)
            // A call that changes nothing leaves the table an earlier version, which may be brought up to date.
            if zones.read({ $0.changes.version }) != version { changed = Set(zones.identifiers) }
          }
        }
      }
      let zones = Conditions()
      var fleets: [StoredFleet?] = [nil, nil, nil]
      for index in orders[random.integer(0...5)] {
        fleets[index] = try open(storages[index], zones)
        if random.chance(0.3) { try changeTable(zones) }
      }
      for _ in 0..<random.integer(1...10) {
        if random.chance(0.4) { try changeTable(zones) }
        let (index, place) = (random.integer(0...2), random.uniform(0...500))
        second += 1
        try fleets[index]!.call { engine throws(MonitorError) in
          try engine.feed(fix(second, place), for: try engine.device("truck"))
        }
      }
      storages = storages.map { $0.image() }
    }
  }

  /// A fleet that was opened over an empty table saves the conditions that the table got when another fleet was opened.
  @Test func aTableIsTakenAfterAFleetWithoutConditionsWasOpened() throws {
    let (empty, full) = (MemoryFleetStorage(), MemoryFleetStorage())
    for storage in [empty, full] { storage.families = (nil, nil) }
    var fleet = try open(empty, Conditions())
    try fleet.close()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    fleet = try open(full, zones)
    feed(&fleet, "truck", 1, 0)
    try fleet.close()
    let table = Conditions()
    let (one, other) = (empty.image(), full.image())
    var first = try open(one, table)
    _ = try open(other, table)
    #expect(table.identifiers == ["home"])
    feed(&first, "car", 2, 0)
    let again = try open(one.image())
    #expect(again.engine.conditions.identifiers == ["home"])
    #expect(try again.engine.inside(try #require(again.engine.number(of: "car"))).map(\.identifier) == ["home"])
  }

  @Test func relaxedSavesAfterTheInterval() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    var fleet = try open(storage, zones, .relaxed(interval: 10_000_000))
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(1, 10), for: try engine.device("truck")) }
    let writes = storage.writes
    for second in 2...35 {
      try fleet.call { engine throws(MonitorError) in try engine.feed(fix(Double(second), 10), for: 1) }
    }
    #expect(storage.writes == writes + 3)
    #expect(throws: MonitorError.self) { try open(MemoryFleetStorage(), zones, .relaxed(interval: 0)) }
  }

  private static let interval: Int64 = 10_000_000

  private func relaxed(_ storage: MemoryFleetStorage) throws -> StoredFleet {
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    return try open(storage, zones, .relaxed(interval: Self.interval))
  }

  private func feed(_ fleet: inout StoredFleet, _ device: String, _ seconds: Double, _ metres: Double = 500) {
    fleet.call { engine in
      do throws(MonitorError) {
        try engine.feed(fix(seconds, metres), for: try engine.device(device))
      } catch {}
    }
  }

  /// Each second, devices whose clocks are hours apart get inputs one after the other. Each device is saved about once
  /// per interval.
  @Test(arguments: [1, 2, 7, 50]) func relaxedWithClocksThatAreApart(devices: Int) throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    var random = SeededGenerator("clocks that are apart")
    let offsets = (0..<devices).map { _ in random.uniform(0...1e6).rounded() }
    for second in 1...300 {
      for device in 0..<devices { feed(&fleet, "d\(device)", offsets[device] + Double(second)) }
    }
    // Three hundred seconds are thirty save intervals. In each interval, at most one save is due because of the largest
    // clock, and at most one more because of the clocks of all devices together.
    #expect((28...62).contains(storage.writes), "\(storage.writes) saves")
    try fleet.state.checkInvariants()
  }

  /// If the device whose clock is ahead of all others falls silent, the others are still saved.
  @Test func relaxedWhenTheLargestClockStands() throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    feed(&fleet, "wrong", 1e9)
    let writes = storage.writes
    for second in 1...100 {
      for device in 0..<20 { feed(&fleet, "d\(device)", Double(second)) }
    }
    #expect((8...10).contains(storage.writes - writes), "\(storage.writes - writes) saves")
    // If all devices except one fall silent, that device is next saved after at most sixteen intervals, and then at its
    // usual rate.
    let before = storage.writes
    for second in 101...500 { feed(&fleet, "d7", Double(second)) }
    #expect((20...24).contains(storage.writes - before), "\(storage.writes - before) saves")
  }

  /// If devices report less often than the save interval, the store saves about once per round of reports (one report
  /// per device), not after each report.
  @Test func relaxedWithRareReports() throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    feed(&fleet, "wrong", 1e9)
    let writes = storage.writes
    for round in 0..<30 {
      for device in 0..<100 { feed(&fleet, "d\(device)", Double(round * 300 + device * 2) - 1e6) }
    }
    #expect((10...30).contains(storage.writes - writes), "\(storage.writes - writes) saves of 3 000 inputs")
  }

  /// One device catches up on a whole day while the clocks of many other devices continue; this causes few additional
  /// saves.
  @Test func relaxedWhenOneCatchesUp() throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    for device in 0..<100 { feed(&fleet, "d\(device)", 1e6) }
    try fleet.checkpoint()
    let writes = storage.writes
    for minute in 0..<1_440 {
      feed(&fleet, "late", Double(minute * 60))
      feed(&fleet, "d\(minute % 100)", 1e6 + Double(minute) * 0.005)
    }
    #expect((1...100).contains(storage.writes - writes), "\(storage.writes - writes) saves")
    try fleet.state.checkInvariants()
  }

  /// Refused inputs do not count as passing time, whether they are late, too far ahead, or have invalid times.
  @Test func refusedInputsDoNotSave() throws {
    let storage = MemoryFleetStorage()
    let zones = Conditions()
    var options = FleetOptions()
    options.maxTimeStepMicroseconds = 60_000_000
    var fleet = try StoredFleet(
      zones, options: options, storage: storage, durability: .relaxed(interval: Self.interval))
    feed(&fleet, "a", 1_000)
    feed(&fleet, "b", 1_001)
    let writes = storage.writes
    for number in 0..<1_000 {
      feed(&fleet, "a", Double(number % 900))
      feed(&fleet, "b", 1e6 + Double(number) * 1_000)
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(Fix(latitude: 0, longitude: 0, accuracy: -1, time: at(Double(number) * 100)), for: 1)
        let rows: [(device: UInt64, fix: Fix)] = [
          (1, Fix(latitude: 99, longitude: 0, time: at(5_000 + Double(number) * 100))), (2, fix(3, 1)),
          (2, fix(1e7, 1)),
        ]
        let result = try engine.feed(rows)
        #expect(result.accepted == 0 && result.invalid == 1 && result.late == 2)
      }
    }
    #expect(storage.writes == writes)
    #expect(fleet.state.statistics.lateInputs > 1_000)
    feed(&fleet, "a", 1_012)
    #expect(storage.writes == writes + 1)
  }

  /// A jump of a device's clock counts as one interval of passed time, however far the clock jumps. An advance counts
  /// as passed time, and its time is still known after the store was opened again.
  @Test func relaxedWithJumpsAndAdvances() throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    feed(&fleet, "wrong", 1e9)
    for device in 0..<10 { feed(&fleet, "d\(device)", 1) }
    try fleet.checkpoint()
    var writes = storage.writes
    for device in 0..<10 { feed(&fleet, "d\(device)", 2) }
    feed(&fleet, "d0", 1e6)
    feed(&fleet, "d1", 1e7)
    #expect(storage.writes == writes)
    try fleet.call { engine throws(MonitorError) in try engine.advance(to: at(1e9 + 9)) }
    #expect(storage.writes == writes)
    try fleet.call { engine throws(MonitorError) in try engine.advance(to: at(1e9 + 10)) }
    #expect(storage.writes == writes + 1)
    try fleet.close()
    storage.isClosed = false
    fleet = try open(storage, Conditions(), .relaxed(interval: Self.interval))
    writes = storage.writes
    feed(&fleet, "new", 1e9 + 11)
    #expect(storage.writes == writes)
    feed(&fleet, "new", 1e9 + 20)
    #expect(storage.writes == writes + 1)
  }

  /// Tests the longest and shortest interval, and the first and last possible time.
  @Test(arguments: [1, 7, 1_000_000_000_000_000] as [Int64]) func relaxedAtTheEndsOfTime(interval: Int64) throws {
    let storage = MemoryFleetStorage()
    var fleet = try open(storage, Conditions(), .relaxed(interval: interval))
    let times = [
      Timestamp.earliest, Timestamp(microseconds: -1), Timestamp(microseconds: 0), Timestamp(microseconds: 1),
      Timestamp.latest,
    ]
    for time in times {
      for device in ["a", "b"] {
        try fleet.call { engine throws(MonitorError) in
          let fix = Fix(latitude: 0, longitude: 0, time: time)
          try engine.feed(fix, for: try engine.device(device))
        }
      }
    }
    #expect(storage.writes >= 4 && fleet.state.statistics.acceptedFixes == 10)
    try fleet.state.checkInvariants()
  }

  /// Feeding batches causes as many saves as feeding single fixes, both inside the safe region and outside. Feeding
  /// inputs to a fork causes no save.
  @Test func batchesAndSingleCallsSaveAlike() throws {
    let (one, other) = (MemoryFleetStorage(), MemoryFleetStorage())
    var single = try relaxed(one)
    var batch = try relaxed(other)
    var random = SeededGenerator("batches and single calls")
    var time = 0.0
    for _ in 0..<200 {
      time += random.uniform(0...5)
      let device = random.integer(0...4)
      let metres = random.chance(0.2) ? 50.0 : 500 + random.uniform(0...20)
      let seconds = time + Double(device * 1_000) - (random.chance(0.1) ? 60 : 0)
      feed(&single, "d\(device)", seconds, metres)
      try batch.call { engine throws(MonitorError) in
        _ = try engine.feed([(try engine.device("d\(device)"), fix(seconds, metres))])
      }
      var fork = batch.state
      _ = try fork.feed([(try fork.device("d\(device)"), fix(1e8, 0))])
      #expect(one.writes == other.writes)
    }
    #expect(one.writes > 10 && one.rows == other.rows)
    try single.state.checkInvariants()
  }

  /// If an intact head states more devices than exist, no memory is allocated for the missing devices.
  @Test(arguments: [(1, 1 << 25), (1 << 25, 1 << 25), (3, 2), (0, 0)] as [(UInt64, UInt64)])
  func aHeadThatTellsTooMuch(count: UInt64, bound: UInt64) throws {
    let storage = MemoryFleetStorage()
    var fleet = try relaxed(storage)
    for device in 0..<2 { feed(&fleet, "d\(device)", 1) }
    try fleet.close()
    storage.isClosed = false
    let key = MemoryFleetStorage.Key(.head, 0)
    var head = try storage.rows[key]!.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      return try FleetHeadRow(reading: &reader)
    }
    head.deviceCount = count
    head.bound = bound
    var writer = ByteWriter(reserving: 512)
    head.encode(to: &writer)
    storage.rows[key] = Array(writer.bytes)
    let rows = storage.rows
    #expect(throws: MonitorError.self) { try open(storage) }
    #expect(storage.rows == rows && storage.isClosed)
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
    // A newer version of the same table is accepted, and is saved at once.
    try zones.add(circle(10), identifier: "door", policy: .exact)
    fleet = try open(storage, zones)
    #expect(storage.rows.keys.count { $0.table == .conditions } == 2)
  }

  /// An update of a table to the saved table may change nothing but a generation. The table's digest was computed
  /// before the update, so it must be recomputed.
  @Test func aTableThatIsBroughtForwardHasTheDigestOfTheKeptOne() throws {
    func zones() throws -> Conditions {
      let zones = Conditions()
      for name in ["a", "b", "c"] { try zones.add(circle(100), identifier: name, policy: .exact) }
      return zones
    }
    let storage = MemoryFleetStorage()
    let kept = try zones()
    var fleet = try open(storage, kept)
    try kept.add(circle(100), identifier: "d", policy: .exact)
    #expect(kept.remove("d"))
    try fleet.close()
    storage.isClosed = false
    let given = try zones()
    let before = given.version
    fleet = try open(storage, given)
    #expect(given.version.generation == kept.version.generation && before.generation < kept.version.generation)
    #expect(given.version.digest == kept.version.digest && given.version.digest != before.digest)
    try fleet.close()
  }
}
