import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Replaces each number in the bytes of fleets and of exported devices with numbers near the end of their range; see
/// ``HostileCounterTests``.
@Suite(.timeLimit(.minutes(10))) struct HostileFleetCounterTests {
  private func conditions(hasTimings: Bool) throws -> Conditions {
    let conditions = Conditions()
    var timing = ConditionTiming()
    if hasTimings {
      timing.repeatEveryMicroseconds = 5_000_000
      timing.maxEvents = .max
      timing.absentAfterMicroseconds = 600_000_000
    }
    try conditions.add(circle(100), identifier: "home", policy: .exact, timing: timing)
    if hasTimings {
      timing.absentAfterMicroseconds = 0
      try conditions.add(Rule.any(["home", "tag"]), identifier: "rule", policy: .exact, timing: timing)
      timing.absentAfterMicroseconds = 600_000_000
      timing.schedule = try Schedule([(at(0), at(100)), (at(200), at(300))])
      timing.maxEvents = 1
      try conditions.add(circle(120), identifier: "once", policy: .exact, timing: timing)
    }
    var slow = TransitionPolicy.exact
    (slow.entryDwellMicroseconds, slow.exitDwellMicroseconds) = (30_000_000, 30_000_000)
    try conditions.add(circle(200), identifier: "slow", policy: slow, tag: 7)
    try conditions.add(circle(90), identifier: "band", policy: .exact, band: AltitudeBand(min: 0, max: 50))
    try conditions.add(BeaconIdentityCondition(uuid: someUUID), identifier: "tag")
    return conditions
  }

  private func options(_ delivery: MonitorOptions.Delivery) -> FleetOptions {
    FleetOptions(
      delivery: delivery,
      plausibility: Plausibility(speed: 1_000, corroborationCount: 3, corroborationTimeMicroseconds: 0))
  }

  /// A fleet whose rows contain all kinds of counters.
  private func fleet(_ delivery: MonitorOptions.Delivery, _ conditions: Conditions) throws -> FleetEngine {
    var fleet = try FleetEngine(conditions, options: options(delivery))
    for name in ["d", "e", "f"] {
      let device = try fleet.device(name)
      try fleet.setArrivalTime(at(9))
      try fleet.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: at(10), for: device)
      let high = FixHeight(altitude: 20)
      try fleet.feed(fix(11, 500), ellipse: nil, height: high, for: device)
      try fleet.feed(fix(12, 10), ellipse: nil, height: high, for: device)
      try? fleet.feed(Fix(latitude: 91, longitude: 0, time: at(13)), for: device)
      try fleet.feed(fix(26, 150), ellipse: FixEllipse(major: 10, minor: 5, orientation: 3), height: nil, for: device)
    }
    for _ in 0..<3 { _ = fleet.nextEvent() }
    for device in 1...3 as ClosedRange<UInt64> {
      try fleet.feed(fix(27, 250), for: device)
      try fleet.feed(fix(28, 90_000), for: device)
    }
    if delivery == .every, !conditions.read({ $0.policies.hasTimings }) {
      try fleet.setHostCapabilities([], unsupported: [.beaconIdentity], at: at(28), for: 2)
    }
    try fleet.rewind(to: at(20), for: 3)
    try fleet.remove(1)
    return fleet
  }

  /// Makes calls of all kinds for all devices, and handles all events between them.
  private func live(_ fleet: inout FleetEngine) {
    for device in fleet.deviceNumbers {
      var time = max(fleet.devices.lines[UInt32(truncatingIfNeeded: device) - 1].clock, at(30).microseconds)
      func next(_ seconds: Int64) -> Timestamp {
        time = min(time &+ seconds * 1_000_000, Timestamp.latest.microseconds)
        return Timestamp(microseconds: time)
      }
      for distance in [10, 500, 10, 500, 150] as [Double] {
        var fix = fix(0, distance)
        fix.time = next(7)
        _ = try? fleet.feed(fix, ellipse: nil, height: FixHeight(altitude: distance / 4), for: device)
        try? fleet.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: next(1), for: device)
        try? fleet.feed(Fix(latitude: 91, longitude: 0, time: next(0)), for: device)
        try? fleet.feed(Fix(latitude: 1, longitude: 0, time: at(1)), for: device)
        _ = fleet.nextEvent()
      }
      fleet.acknowledge()
      try? fleet.setScanning(false, at: next(1), for: device)
      try? fleet.setScanning(true, at: next(1), for: device)
      try? fleet.setHostCapabilities(.authorizationDenied, unsupported: [], at: next(1), for: device)
      try? fleet.setHostCapabilities([], unsupported: [], at: next(1), for: device)
      _ = try? fleet.statistics(of: device)
      _ = try? fleet.inside(device)
    }
    fleet.abandon()
    let conditions = fleet.conditions
    for number in 0..<3 { try? conditions.add(circle(40), identifier: "new \(number)", policy: .exact) }
    conditions.remove("slow")
    try? fleet.advance(to: at(100_000), force: true)
    while fleet.nextEvent() != nil {}
    fleet.acknowledge()
    for device in fleet.deviceNumbers { try? fleet.rewind(to: at(20), for: device) }
    for device in fleet.deviceNumbers {
      for second in 0..<3 as Range<Int> {
        try? fleet.feed(fix(Double(21 + second * 9), Double(second) * 90), for: device)
      }
    }
    try? fleet.advance(to: .latest, force: true)
    while fleet.nextEvent() != nil {}
    fleet.acknowledge()
    if let first = fleet.deviceNumbers.first { try? fleet.remove(first) }
    _ = fleet.statistics
  }

  /// - Returns: Whether the bytes were accepted.
  private func isAccepted(_ bytes: [UInt8], _ number: UInt64, _ place: String) -> Bool {
    HostileNumbers.isAccepted(bytes, number, place) { bytes throws(MonitorError) in
      var fleet = try FleetEngine(restoring: bytes)
      live(&fleet)
      return fleet.snapshot()
    }
  }

  private static let kinds: [(MonitorOptions.Delivery, Bool)] = [
    (.every, false), (.every, true), (.first, false), (.latest, false),
  ]

  @Test(arguments: kinds)
  func snapshotsOfFleets(_ delivery: MonitorOptions.Delivery, _ hasTimings: Bool) throws {
    let snapshot = try fleet(delivery, conditions(hasTimings: hasTimings)).snapshot()
    var (accepted, refused) = (0, 0)
    try HostileNumbers.forEach(snapshot, headLength: 12) { bytes, number, place in
      if isAccepted(bytes, number, place) { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted > 100 && refused > 1_000, "\(accepted) were accepted, \(refused) refused")
  }

  /// The head of the table is a text within the head of the fleet.
  @Test func headsOfTables() throws {
    let snapshot = try fleet(.every, conditions(hasTimings: true)).snapshot()
    let rows = try HostileNumbers.rows(of: snapshot, headLength: 12)
    let head = try rows[0].bytes.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      return try FleetHeadRow(reading: &reader)
    }
    for number in HostileNumbers.all {
      for offset in head.table.indices {
        guard let table = HostileNumbers.replaced(head.table, at: offset, by: number) else { continue }
        var hostile = head
        var writer = ByteWriter(reserving: 512)
        hostile.table = table
        hostile.encode(to: &writer)
        var all = rows
        all[0].bytes = Array(writer.bytes)
        _ = isAccepted(HostileNumbers.joined(snapshot[..<12], all), number, "byte \(offset) of the table's head")
      }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func exportedDevices(_ isPortable: Bool, _ hasTimings: Bool) throws {
    let conditions = try conditions(hasTimings: hasTimings)
    let table = conditions.snapshot()
    let original = try fleet(.every, conditions)
    var (accepted, refused) = (0, 0)
    for (index, device) in try original.export([2, 3], portable: isPortable).enumerated() {
      for number in HostileNumbers.all {
        for offset in 1..<(device.count - 4) {
          guard var bytes = HostileNumbers.replaced(Array(device.dropLast(4)), at: offset, by: number) else { continue }
          var sum = Checksum()
          bytes.withUnsafeBytes { sum.add($0) }
          bytes += withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum.value).littleEndian) { Array($0) }
          var fleet = try FleetEngine(Conditions(restoring: table), options: options(.every))
          do throws(MonitorError) {
            let loaded = try fleet.load([("d", bytes)], adapt: isPortable)
            live(&fleet)
            if let device = loaded.first, fleet.hasDevice(device) { _ = try? fleet.export([device], portable: true) }
            accepted += 1
            let kept = fleet.snapshot()
            #expect(throws: Never.self, "byte \(offset) of device \(index) is \(number)") {
              try FleetEngine(restoring: kept)
            }
          } catch { refused += 1 }
        }
      }
    }
    #expect(accepted > 50 && refused > 500, "\(accepted) were accepted, \(refused) refused")
  }
}
