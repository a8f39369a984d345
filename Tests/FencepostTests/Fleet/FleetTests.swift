import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct FleetTests {
  /// Tests that `position` is the device's position, rounded to the nearest ten-millionth of a degree, inside and
  /// outside the safe region and for coordinates of both signs. A refused fix does not change the device's position.
  @Test func whereADeviceIs() throws {
    var fleet = try FleetEngine(Conditions())
    let device = try fleet.device("a")
    #expect(try fleet.position(of: device) == nil)
    var random = SeededGenerator("positions")
    let ends = [(90.0, 180.0), (-90, -180), (0, 0), (-0.0, -0.0), (89.99999999, -179.99999999), (5e-8, -5e-8)]
    let places = ends + (0..<200).map { _ in (random.uniform(-90...90), random.uniform(-180...180)) }
    for (second, (latitude, longitude)) in places.enumerated() {
      for offset in [0, 1e-6] {
        let latitude = latitude > 0 ? latitude - offset : latitude + offset
        let time = at(Double(second) + offset * 1e5)
        try fleet.feed(Fix(latitude: latitude, longitude: longitude, time: time), for: device)
        for refused in [Fix(latitude: 91, longitude: 0, time: time), Fix(latitude: 0, longitude: 0, time: at(-1))] {
          #expect(throws: MonitorError.self) { try fleet.feed(refused, for: device) }
        }
        let found = try #require(try fleet.position(of: device))
        #expect((found.latitude - latitude).magnitude < 5.1e-8 && (found.longitude - longitude).magnitude < 5.1e-8)
        #expect(found.isValid && found.latitude == (found.latitude * 1e7).rounded() / 1e7)
      }
    }
    // The next device that gets this slot has no position yet.
    fleet.devices.free.fewest = 0
    try fleet.remove(device)
    #expect(throws: MonitorError.self) { try fleet.position(of: device) }
    let other = try fleet.device("b")
    #expect(other == DeviceNumber.of(DeviceNumber.place(of: device), generation: 1, lap: 0))
    #expect(try fleet.position(of: other) == nil)
    try fleet.checkInvariants()
  }

  /// A table with a circle of 100 m around the test location.
  private func zones(_ policy: TransitionPolicy = .exact) throws -> Conditions {
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: policy)
    return zones
  }

  @Test func aDeviceEntersAndLeaves() async throws {
    let fleet = try Fleet(try zones())
    try await fleet.feed(fix(1, 500), for: "truck")
    #expect(await fleet.nextEvent() == nil)
    #expect(await fleet.state(of: "home", for: "truck") == .unsatisfied)
    try await fleet.feed(fix(2, 50), for: "truck")
    try await fleet.feed(fix(2, 40), for: "van")
    let events = await fleet.nextEvents(10)
    #expect(events.map(\.event.brief) == ["home satisfied@2.0 crossing", "home satisfied@2.0 determination"])
    #expect(events.map(\.deviceIdentifier) == ["truck", "van"])
    #expect(events.map(\.position) == [1, 2])
    #expect(events.map(\.event.sequence) == [1, 1])
    #expect(await fleet.inside("van")?.map(\.identifier) == ["home"])
    #expect(events[0].json.hasPrefix(#"{"device":"truck","sequence":1,"identifier":"home","state":"satisfied""#))
    #expect(await fleet.statistics(of: "truck")?.acceptedFixes == 2)
  }

  /// If an option needs a feature that fleets do not have, the error message names the feature.
  @Test func whatAFleetDoesNotHaveIsRefused() throws {
    for options in [
      MonitorOptions(conditionLimit: 3), MonitorOptions(delivery: .first), MonitorOptions(delivery: .latest),
      MonitorOptions(path: .geodesic(maxGapMicroseconds: 60_000_000)),
    ] {
      let monitor = try MonitorEngine(options: options)
      #expect(throws: MonitorError.self) { try Conditions(restoring: monitor.snapshot()) }
    }
    var fed = try MonitorEngine()
    try fed.feed(fix(1, 0))
    #expect(throws: MonitorError.self) { try Conditions(restoring: fed.snapshot()) }
    for options in [
      FleetOptions(maxPendingEvents: 0), FleetOptions(deviceLimit: 0), FleetOptions(deviceLimit: .max),
      FleetOptions(beaconExitTimeoutMicroseconds: 0), FleetOptions(beaconInitialTimeoutMicroseconds: .max),
      FleetOptions(maxTimeStepMicroseconds: 0),
    ] {
      #expect(throws: MonitorError.self) { try FleetEngine(Conditions(), options: options) }
    }
  }

  /// A device is not added if its first input is refused.
  @Test func aRefusedInputEntersNoDevice() async throws {
    let fleet = try Fleet(try zones(), options: FleetOptions(deviceLimit: 1))
    let nowhere = Fix(latitude: .nan, longitude: 0, time: Timestamp(microseconds: 1))
    await #expect(throws: MonitorError.self) { try await fleet.feed(nowhere, for: "truck") }
    try await fleet.advance(to: Timestamp(microseconds: 2_000_000))
    await #expect(throws: MonitorError.self) { try await fleet.feed(fix(1, 0), for: "van") }
    await #expect(throws: MonitorError.self) { try await fleet.feed([], at: Timestamp(microseconds: 1), for: "bus") }
    await #expect(throws: MonitorError.self) {
      try await fleet.advance(to: Timestamp(microseconds: 1), for: "tram")
    }
    #expect(await fleet.deviceCount == 0)
    #expect(await fleet.statistics.invalidFixes == 1)
    try await fleet.feed(fix(3, 0), for: "truck")
    await #expect(throws: MonitorError.self) { try await fleet.feed(nowhere, for: "truck") }
    #expect(await fleet.deviceCount == 1)
    #expect(await fleet.nextEvent()?.deviceIdentifier == "truck")
  }

  @Test func namesAndNumbersThatAreNoneAreRefused() throws {
    var fleet = try FleetEngine(try zones(), options: FleetOptions(deviceLimit: 2))
    for name in ["", "a\0b", String(repeating: "x", count: 257)] {
      #expect(throws: MonitorError.self) { try fleet.device(name) }
    }
    let truck = try fleet.device("truck")
    #expect(try fleet.device("truck") == truck)
    _ = try fleet.device("van")
    #expect(throws: MonitorError.self) { try fleet.device("third") }
    #expect(throws: MonitorError.self) { try fleet.feed(fix(1, 0), for: 3) }
    #expect(throws: MonitorError.self) { try fleet.feed(fix(1, 0), for: 0) }
    #expect(throws: MonitorError.self) { try fleet.feed(fix(1, 0), for: .max) }
    let text = "row 1: no device has the number 7; it may have been removed"
    #expect(throws: MonitorError.noSuchDevice(text, position: 1)) {
      try fleet.feed([(truck, fix(1, 0)), (7, fix(1, 0))])
    }
    #expect(!fleet.hasEvents)
    #expect(fleet.identifier(of: 9) == nil)
    #expect(try fleet.state(of: "nowhere", for: truck) == nil)
    #expect(throws: MonitorError.self) { try fleet.inside(5) }
    #expect(throws: MonitorError.self) { try fleet.export([5]) }
    try fleet.checkInvariants()
  }

  /// A batch stops at the first row for which the queue has no room; the remaining rows are accepted after polling.
  /// After pending events have become void, the queue has room for new events.
  @Test func aFullQueueStopsABatch() throws {
    let zones = try zones()
    var fleet = try FleetEngine(zones, options: FleetOptions(maxPendingEvents: 2))
    let devices = try (0..<4).map { try fleet.device("d\($0)") }
    let rows = devices.map { (device: $0, fix: fix(1, 0)) }
    #expect(throws: MonitorError.queueFull(limit: 2, position: 2)) { try fleet.feed(rows) }
    #expect(throws: MonitorError.queueFull(limit: 2)) { try fleet.feed(fix(1, 0), for: devices[2]) }
    #expect(throws: MonitorError.queueFull(limit: 2)) { try fleet.advance(to: at(9)) }
    #expect(fleet.poll(limit: 10) { _, _, _ in } == 2)
    try fleet.feed(Array(rows[2...]))
    zones.remove("home")
    #expect(!fleet.hasEvents)
    #expect(fleet.statistics.pendingEvents == 0)
    try fleet.feed(fix(2, 0), for: devices[0])
    #expect(fleet.nextEvent() == nil)
    try fleet.checkInvariants()
  }

  /// A copy continues independently; the table is shared.
  @Test func aCopyIsAnotherFleet() throws {
    let zones = try zones()
    var one = try FleetEngine(zones)
    let device = try one.device("d")
    try one.feed(fix(1, 500), for: device)
    var other = one
    try other.feed(fix(2, 0), for: device)
    _ = try other.device("e")
    try one.feed(fix(3, 501), for: device)
    #expect(one.nextEvent() == nil)
    #expect(other.nextEvent()?.event.state == .satisfied)
    #expect(try one.state(of: "home", for: device) == .unsatisfied)
    #expect(one.deviceCount == 1 && other.deviceCount == 2)
    try one.checkInvariants()
    try other.checkInvariants()
  }

  /// A removed device keeps its number and its name at least until its events are acknowledged.
  @Test func aRemovedDeviceKeepsItsNumber() throws {
    var fleet = try FleetEngine(try zones())
    let device = try fleet.device("d")
    try fleet.feed(fix(1, 0), for: device)
    try fleet.remove(device)
    #expect(try fleet.device("d") != device)
    #expect(fleet.nextEvent()?.deviceIdentifier == "d")
    fleet.abandon()
    #expect(fleet.nextEvent()?.event.sequence == 1)
    #expect(fleet.nextEvent() == nil)
    #expect(fleet.identifier(of: device) == "d")
    let other = try fleet.device("f")
    #expect(other != device)
    #expect(fleet.expire(before: at(100)) == [])
    try fleet.feed(fix(2, 900), for: other)
    #expect(fleet.expire(before: at(100)) == [other])
    #expect(fleet.identifier(of: other) == "f")
    try fleet.checkInvariants()
  }

  /// A slot that is reused 1 000 times gives 1 000 different numbers, and only the last one names a device. The slots
  /// beside it keep their numbers.
  @Test func aNumberIsNeverGivenAgain() throws {
    var fleet = try FleetEngine(try zones())
    fleet.devices.free.fewest = 0
    let first = try fleet.device("first")
    var numbers = [try fleet.device("second")]
    for name in 0..<1_000 {
      try fleet.remove(numbers.last!)
      numbers.append(try fleet.device("d\(name)"))
    }
    let last = try fleet.device("last")
    #expect(Set(numbers).count == numbers.count && Set(numbers.map { $0 % (1 << 32) }) == [2])
    #expect(numbers.last! >> 32 == 1_000 && first == 1 && last == 3)
    for number in numbers.dropLast() {
      #expect(!fleet.hasDevice(number) && fleet.identifier(of: number) == nil)
      #expect(throws: MonitorError.self) { try fleet.feed([(number, fix(1, 0))]) }
    }
    try fleet.feed([(numbers.last!, fix(1, 0)), (first, fix(1, 0)), (last, fix(1, 0))])
    #expect(fleet.identifier(of: numbers.last!) == "d999")
    try fleet.checkInvariants()
  }

  /// Adds and removes devices at random; the slots of removed devices are reused early. An old device number never acts
  /// on another device.
  @Test(arguments: [0, 3]) func noNumberActsOnAnotherDevice(fewest: Int) throws {
    var random = SeededGenerator("noNumberActsOnAnotherDevice", salt: UInt64(fewest))
    var fleet = try FleetEngine(try zones())
    fleet.devices.free.fewest = fewest
    var live: [UInt64: String] = [:]
    var known: [(number: UInt64, name: String)] = []
    var (entered, time) = (0, 0)
    for _ in 0..<4_000 {
      switch random.integer(0...5) {
      case 0...2:
        let name = "d\(entered)"
        let number = try fleet.device(name)
        #expect(live[number] == nil)
        live[number] = name
        known.append((number, name))
        entered += 1
      case 3:
        guard let number = live.keys.sorted().randomElement(using: &random) else { continue }
        try fleet.remove(number, droppingEvents: random.integer(0...1) == 0)
        live[number] = nil
      case 4:
        guard let number = live.keys.sorted().randomElement(using: &random) else { continue }
        time += 1
        try fleet.feed(fix(Double(time), Double(random.integer(0...3)) * 300), for: number)
      default:
        if let event = fleet.nextEvent() {
          #expect(known.contains { $0.number == event.device && $0.name == event.deviceIdentifier })
        }
      }
      for _ in 0..<8 {
        guard let each = known.suffix(300).randomElement(using: &random) else { continue }
        let isLive = live[each.number] == each.name
        #expect(fleet.hasDevice(each.number) == isLive)
        if let name = fleet.identifier(of: each.number) { #expect(name == each.name) }
        if !isLive {
          #expect(throws: MonitorError.self) { try fleet.feed(fix(Double(time), 0), for: each.number) }
          #expect(throws: MonitorError.self) { try fleet.feed([(each.number, fix(Double(time), 0))]) }
        }
      }
      #expect(Set(fleet.deviceNumbers) == Set(live.keys))
    }
    #expect(live.keys.contains { $0 >= 1 << 32 }, "lines were used again")
    try fleet.checkInvariants()
  }

  /// After many changes between two queries the index is rebuilt, and the answer is the same.
  @Test func whoIsInsideIsFoundAfterManyEvents() throws {
    var fleet = try FleetEngine(try zones())
    let numbers = try (0..<40).map { try fleet.device("d\($0)") }
    var found = fleet.devices(insideOf: "home")
    #expect(found == [])
    for round in 0..<300 {
      for number in numbers { try fleet.feed(fix(Double(round), round % 2 == 0 ? 0 : 900), for: number) }
      while fleet.nextEvent() != nil {}
      guard [7, 8, 9, 250, 298, 299].contains(round) else { continue }
      found = fleet.devices(insideOf: "home")
      #expect(found?.map(\.device) == (round % 2 == 0 ? numbers : []))
      #expect(found?.allSatisfy { $0.since == at(Double(round)) } == true)
    }
    try fleet.checkInvariants()
    // The copy is independent of the original.
    var copy = fleet
    try copy.feed(fix(400, 0), for: numbers[3])
    found = copy.devices(insideOf: "home")
    #expect(found?.map(\.device) == [numbers[3]])
    found = fleet.devices(insideOf: "home")
    #expect(found == [])
  }

  // MARK: - Devices as bytes

  /// Exported devices can be imported into a fleet over the same version of the table, even if that table was restored.
  /// A fleet with another version of the table refuses exported devices, unless they were exported with `portable` and
  /// are loaded with `adapt`.
  @Test func devicesMove() throws {
    let zones = try zones(.standard)
    try zones.add(circle(300), identifier: "town", policy: .exact)
    var fleet = try FleetEngine(zones)
    let device = try fleet.device("d")
    try fleet.feed(fix(1, 50), for: device)
    try fleet.feed(fix(10, 200), for: device)  // starts a crossing of "home"
    let bytes = try fleet.export([device])[0]
    #expect(bytes == (try fleet.export([device])[0]))
    let copy = try Conditions(restoring: zones.snapshot())
    #expect(copy.version == zones.version)
    var other = try FleetEngine(copy)
    try other.load([("d", bytes)])
    try other.checkInvariants()
    #expect(try other.export([other.number(of: "d")!])[0] == bytes)
    try other.advance(to: at(30))
    #expect(other.nextEvent()?.event.brief == "home unsatisfied@30.0 crossing")
    #expect(throws: MonitorError.self) { try other.load([("d", bytes)]) }

    // In the other version of the table, the circle "home" is different, and the condition "town" has a different
    // generation.
    let later = Conditions()
    try later.add(circle(300), identifier: "town", policy: .exact)
    try later.add(circle(110), identifier: "home", policy: .standard)
    try later.add(circle(250), identifier: "new", policy: .standard)
    var third = try FleetEngine(later)
    #expect { try third.load([("d", bytes)]) } throws: {
      if case .tableMismatch = $0 as? MonitorError { true } else { false }
    }
    #expect { try third.load([("d", bytes)], adapt: true) } throws: {
      if case .tableMismatch = $0 as? MonitorError { true } else { false }
    }
    let portable = try fleet.export([device], portable: true)[0]
    let number = try third.load([("d", portable)], adapt: true)[0]
    #expect(try third.inside(number).map(\.identifier) == ["town"])
    #expect(try third.nextDeadline(of: number) == nil)
    // The state of a new condition counts as determined. So the device enters the new condition by a crossing, which is
    // reported after the dwell time.
    try third.feed(fix(40, 200), for: number)
    #expect(third.nextEvent() == nil)
    try third.advance(to: at(60))
    #expect(third.nextEvent()?.event.brief == "new satisfied@60.0 crossing")
    try third.checkInvariants()
  }

  /// Damaged bytes are refused, and bytes that are accepted give a fleet whose invariants hold.
  @Test func damagedDevicesAreRefused() throws {
    let zones = try zones(.standard)
    try zones.add(BeaconIdentityCondition(uuid: someUUID), identifier: "beacon")
    var fleet = try FleetEngine(zones)
    let device = try fleet.device("d")
    try fleet.feed(fix(1, 0), for: device)
    try fleet.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: at(2), for: device)
    try fleet.feed(fix(3, 200), for: device)
    let bytes = try fleet.export([device], portable: true)[0]
    for length in 0..<bytes.count {
      var other = try FleetEngine(zones)
      #expect(throws: MonitorError.self) { try other.load([("d", Array(bytes[..<length]))]) }
    }
    var random = SeededGenerator("damaged devices")
    var taken = 0
    for _ in 0..<4_000 {
      var damaged = bytes
      for _ in 0...random.integer(0...2) {
        damaged[random.integer(0...bytes.count - 5)] = UInt8(random.integer(0...255))
      }
      // Give the damaged bytes a correct checksum, as an attacker would.
      var sum = Checksum()
      damaged[..<(damaged.count - 4)].withUnsafeBytes { sum.add($0) }
      for byte in 0..<4 { damaged[damaged.count - 4 + byte] = UInt8(truncatingIfNeeded: sum.value >> UInt64(8 * byte)) }
      var other = try FleetEngine(zones)
      guard (try? other.load([("d", damaged)], adapt: random.chance(0.5))) != nil else { continue }
      taken += 1
      try other.checkInvariants()
      let number = try #require(other.number(of: "d"))
      try? other.feed(fix(100, 200), for: number)
      try? other.feed([], at: at(200), for: number)
      try? other.advance(to: at(1_000_000))
      while other.nextEvent() != nil {}
      _ = try other.inside(number)
      _ = try other.explain("home", for: number)
      try other.checkInvariants()
    }
    #expect(taken > 0)
  }

  /// Feeds the parts of one batch to several fleets. If the events of the fleets are merged by row, they equal the
  /// events of a single fleet.
  @Test func shardsAreMergedByRow() throws {
    let zones = try zones()
    var random = SeededGenerator("shards")
    var one = try FleetEngine(zones)
    var shards = [try FleetEngine(zones), try FleetEngine(zones), try FleetEngine(zones)]
    for name in 0..<9 {
      _ = try one.device("d\(name)")
      _ = try shards[name % 3].device("d\(name)")
    }
    let rows = (0..<600).map { row in (name: random.integer(0...8), fix: fix(Double(row), random.uniform(0...200))) }
    try one.feed(rows.map { (UInt64($0.name + 1), $0.fix) })
    var merged: [(row: Int, json: String)] = []
    for (index, row) in rows.enumerated() {
      let number = try #require(shards[row.name % 3].number(of: "d\(row.name)"))
      try shards[row.name % 3].feed([(number, row.fix)])
      while let event = shards[row.name % 3].nextEvent() { merged.append((index, event.json)) }
    }
    var expected: [(row: Int, json: String)] = []
    while let event = one.nextEvent() { expected.append((event.row, event.json)) }
    #expect(expected.count > 100)
    #expect(merged.map(\.row) == expected.map(\.row))
    #expect(merged.map(\.json) == expected.map(\.json))
  }

  // MARK: - Threads

  /// Fleets on several threads that share one table are fed while another thread changes the table.
  @Test func fleetsShareATableThatChanges() async throws {
    let zones = Conditions()
    for index in 0..<50 {
      try zones.add(circle(100, longitude: Double(index) * 0.001), identifier: "c\(index)", policy: .exact)
    }
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for shard in 0..<8 {
        group.addTask {
          var random = SeededGenerator("shared table", salt: UInt64(shard) + 1)
          var fleet = try FleetEngine(zones)
          let devices = try (0..<20).map { try fleet.device("d\($0)") }
          var events = 0
          for round in 0..<100 {
            let rows = (0..<50).map { row in
              (
                device: devices[row % 20],
                fix: Fix(
                  latitude: 0, longitude: random.uniform(0...0.05),
                  time: Timestamp(microseconds: Int64(round * 50 + row)))
              )
            }
            try fleet.feed(rows)
            events += fleet.poll(limit: .max) { _, _, _ in }
            if round % 20 == 0 { try fleet.checkInvariants() }
          }
          return events
        }
      }
      group.addTask {
        for round in 0..<200 {
          try zones.add(circle(80, longitude: Double(round % 50) * 0.001), identifier: "c\(round % 60)", policy: .exact)
          if round % 7 == 0 { zones.remove("c\(round % 50)") }
          _ = zones.version
        }
        return 1
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.allSatisfy { $0 > 0 })
  }
}
