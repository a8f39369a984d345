import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests how a fleet reads devices whose bytes are intact but whose states are impossible. If a fleet accepts an
/// impossible state, the fleet must still work and must be able to store the device.
@Suite struct HostileDeviceTests {
  private static let beacon = BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2))

  private func table() throws -> Conditions {
    let table = Conditions()
    try table.add(circle(100), identifier: "home", policy: .exact)
    try table.add(circle(300), identifier: "town", policy: .standard)
    try table.add(Self.beacon, identifier: "tag")
    return table
  }

  /// The bytes of a device that is inside a circle, is about to leave the circle, and is near a beacon.
  private func device(
    _ table: Conditions, portable: Bool = false, unsupported: Set<ConditionKind> = []
  ) throws -> DeviceBytes {
    var fleet = try FleetEngine(table)
    let device = try fleet.device("d")
    try fleet.feed(fix(1, 50), for: device)
    try fleet.feed([BeaconSighting(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)], at: at(2), for: device)
    try fleet.feed(fix(3, 500), for: device)
    if !unsupported.isEmpty { try fleet.setHostCapabilities([], unsupported: unsupported, at: at(3), for: device) }
    return try fleet.export([device], portable: portable)[0].withRawBytes { bytes throws(Damage) in
      try DeviceBytes(reading: bytes)
    }
  }

  /// Loads a device from bytes. If a fleet accepts the bytes, the fleet is used, stored and opened again.
  private func load(_ device: DeviceBytes, into table: Conditions, adapt: Bool = false) throws {
    var writer = ByteWriter(reserving: 256)
    device.encode(to: &writer)
    var fleet = try FleetEngine(table)
    let number = try fleet.load([("d", Array(writer.bytes))], adapt: adapt)[0]
    _ = try fleet.statistics(of: number)
    try fleet.feed(fix(1_000, 5_000), for: number)
    try fleet.advance(to: at(2_000))
    while let event = fleet.nextEvent() { #expect(event.event.date?.isValid == true) }
    try fleet.checkInvariants()
    let kept = fleet.snapshot()
    #expect(try FleetEngine(restoring: kept).snapshot() == kept)
  }

  /// A device whose edges seem to be behind its clock: what follows from them would stay due for ever.
  @Test func edgesBehindTheClock() throws {
    let table = Conditions()
    var timing = ConditionTiming()
    timing.schedule = try Schedule([(at(0), at(100)), (at(200), at(300)), (at(400), at(500))])
    timing.absentAfterMicroseconds = 7_000_000
    try table.add(circle(100), identifier: "home", policy: .exact, timing: timing)
    var fleet = try FleetEngine(table)
    let number = try fleet.device("d")
    try fleet.feed(fix(205, 50), for: number)
    var device = try fleet.export([number], portable: true)[0].withRawBytes { bytes throws(Damage) in
      try DeviceBytes(reading: bytes)
    }
    for passed in [Int64.min, at(1).microseconds, at(150).microseconds] {
      device.state.timings.passed = passed
      try load(device, into: table)
      try load(device, into: table, adapt: true)
    }
  }

  private func refuses(
    _ reason: String, portable: Bool = false, unsupported: Set<ConditionKind> = [], in other: Conditions? = nil,
    _ change: (inout DeviceBytes) -> Void
  ) throws {
    let table = try table()
    var device = try device(table, portable: portable, unsupported: unsupported)
    try load(device, into: other ?? table, adapt: portable)
    change(&device)
    let error = #expect(throws: MonitorError.self) { try load(device, into: other ?? table, adapt: portable) }
    #expect("\(error as Any)".contains(reason), "\(error as Any)")
  }

  @Test func countersThatNobodyReaches() throws {
    try refuses("sightings is") { $0.state.counters.acceptedSightings = 1 << 61 }
    try refuses("accepted_fixes is") { $0.acceptedFixes = 1 << 61 }
    try refuses("sequence is") { $0.sequence = 1 << 61 }
    // Even if the counters have the largest accepted values, they can still be incremented and stored.
    let table = try table()
    var device = try device(table)
    device.acceptedFixes = 1 << 60
    device.sequence = 1 << 60
    device.state.counters.invalidFixes = 1 << 60
    device.state.counters.lateInputs = 1 << 60
    device.state.counters.aheadInputs = 1 << 60
    device.state.counters.acceptedSightings = 1 << 60
    device.state.counters.others = 1 << 60
    try load(device, into: table)
  }

  /// In a row of a snapshot, each counter may be larger than in an exported device, but the sum of the counters must
  /// not overflow.
  @Test func theSumOfAllInputs() throws {
    let table = try table()
    var device = try device(table)
    device.acceptedFixes = 1 << 62
    device.state.counters.invalidFixes = (1 << 62) - 10
    func read(_ device: DeviceBytes) throws {
      var writer = ByteWriter(reserving: 256)
      device.encodeRow(to: &writer)
      var reader = ByteReader(writer.bytes)
      _ = try DeviceBytes(readingRow: &reader)
    }
    try read(device)
    device.state.counters.others = 100
    let error = #expect(throws: Damage.self) { try read(device) }
    #expect(error?.reason.contains("input counts of a device") == true)
  }

  @Test func hostsThatSuspendNothing() throws {
    for kinds in [[.beaconIdentity], [.beaconIdentity, .corridorGeographic]] as [Set<ConditionKind>] {
      func refuses(_ reason: String, _ change: (inout DeviceState) -> Void) throws {
        for portable in [false, true] {
          try self.refuses(reason, portable: portable, unsupported: kinds) { change(&$0.state) }
        }
      }
      try refuses("states the flags") { $0.host.stated.flags = .conditionUnsupported }
      try refuses("states the flags") { $0.host.reportedKinds = 0 }
      try refuses("inside or about to cross") { $0.host.stated.flags = .accuracyLimited }
      try refuses("a condition that is suspended") { state in
        state.host.stated.unsupportedKinds |= ConditionKind.circularGeographic.bit
        state.host.reportedKinds |= ConditionKind.circularGeographic.bit
      }
      try refuses("a condition that is suspended") {
        $0.host.resumed.append(.init(kind: .circularGeographic, through: 3))
      }
      try refuses("suspended kind is resumed") { state in
        state.host.stated.unsupportedKinds |= ConditionKind.polygonalGeographic.bit
        state.host.reportedKinds |= ConditionKind.polygonalGeographic.bit
        state.host.resumed.append(.init(kind: .polygonalGeographic, through: 3))
      }
      try refuses("beacon is observed") { $0.beacons[0].track.observed = .outside }
    }
    try refuses("newer than the table", unsupported: [.beaconIdentity]) { $0.state.host.reportedThrough = 99 }
    try refuses("newer than the table", unsupported: [.beaconIdentity]) {
      $0.state.host.resumed.append(.init(kind: .polygonalGeographic, through: 99))
    }
  }

  @Test func aFleetWithAnotherDeliveryRefusesHosts() throws {
    let table = try table()
    var writer = ByteWriter(reserving: 256)
    try device(table, unsupported: [.beaconIdentity]).encode(to: &writer)
    var fleet = try FleetEngine(table, options: FleetOptions(delivery: .latest))
    #expect(throws: MonitorError.self) { try fleet.load([("d", Array(writer.bytes))]) }
    let device = try fleet.device("d")
    #expect(throws: MonitorError.self) { try fleet.setHostCapabilities([], at: at(1), for: device) }
  }

  @Test func whatIsToCome() throws {
    try refuses("newer than the table") { $0.state.beaconsTold = 99 }
    try refuses("newer than the table") { $0.seen = 99 }
  }

  @Test func timesThatNoInputHas() throws {
    try refuses("a deadline has") { $0.state.crossings[0].candidate.deadline = -(1 << 61) }
    try refuses("a deadline has") { $0.state.beacons[0].track.deadline = -(1 << 61) }
    try refuses("is inside since") { $0.state.insides[0].since = -(1 << 61) }
    try refuses("is inside since") { $0.state.insides[0].evidence = 1 << 61 }
  }

  /// A device is refused if two of its forged references match the same condition of the table.
  @Test func twoConditionsThatAreOneHere() throws {
    let other = Conditions()
    try other.add(circle(300), identifier: "town", policy: .standard)
    try other.add(circle(100), identifier: "home", policy: .exact)
    try other.add(Self.beacon, identifier: "tag")
    try refuses("one condition in this table", portable: true, in: other) { device in
      let inside = device.state.insides[0]
      let reference = device.references[Int(inside.slot)]
      device.references.append(reference)
      device.references[device.references.count - 1].generation += 100
      device.state.insides.append(
        .init(slot: UInt32(device.references.count - 1), since: inside.since, evidence: inside.evidence))
    }
    try refuses("one condition in this table", portable: true, in: other) { device in
      device.references.append(device.references[Int(device.state.insides[0].slot)])
      device.references[device.references.count - 1].generation += 100
      device.state.undecided.append(UInt32(device.references.count - 1))
    }
  }

  /// A shape with a reported state is undetermined. A device is refused if its two mentions of the shape match two
  /// conditions of the table; the fleet could not be restored otherwise.
  @Test func aReportedStateOfAnotherCondition() throws {
    let other = Conditions()
    try other.add(circle(300), identifier: "town", policy: .standard)
    try other.add(circle(100), identifier: "home", policy: .exact)
    try other.add(Self.beacon, identifier: "tag")
    var fleet = try FleetEngine(try table())
    let number = try fleet.device("d")
    try fleet.feed(fix(1, 50), for: number)
    let exported = try fleet.export([number], portable: true)[0]
    var device = try exported.withRawBytes { bytes throws(Damage) in try DeviceBytes(reading: bytes) }
    try load(device, into: other, adapt: true)
    let (one, two) = (device.state.insides[0], device.state.insides[1])
    device.state.insides.removeAll()
    device.state.undecided = [one.slot]
    device.state.rewoundThrough = device.seen
    device.state.told = [.init(slot: two.slot, state: .satisfied, since: two.since, evidence: two.evidence)]
    // In the bytes, both mentions have the same generation.
    device.references[Int(two.slot)].generation = device.references[Int(one.slot)].generation
    let error = #expect(throws: MonitorError.self) { try load(device, into: other, adapt: true) }
    #expect("\(error as Any)".contains("or one is two"), "\(error as Any)")
  }

  /// Memory is allocated for the rows that exist, not for the number of devices that the head row states.
  @Test func aHeadThatTellsOfDevicesThatAreNotThere() throws {
    var row: [UInt8] = []
    let fleet = try FleetEngine(try table())
    fleet.gate.read { table in
      var head = FleetHeadRow(fleet, table, deviceCount: 0, moment: FleetMoment(fleet))
      head.deviceCount = UInt64(FleetOptions.mostDevices)
      head.bound = head.deviceCount
      var writer = ByteWriter(reserving: 256)
      head.encode(to: &writer)
      row = Array(writer.bytes)
    }
    var restorer = FleetRestorer(deviceRows: 900)
    let error = #expect(throws: Damage.self) {
      try row.withRawBytes { bytes throws(Damage) in
        try restorer.receive(MonitorRow(table: .head, key: 0, generation: 0, bytes: bytes))
      }
    }
    #expect(error?.reason == "devices are missing")
  }
}
