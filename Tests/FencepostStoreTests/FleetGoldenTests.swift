import Fencepost
import FencepostStore
import Foundation
import Testing

/// Tests a store and a snapshot of a fleet in each version of their formats, with their contents. All later versions
/// must be able to open the files of the test.
///
/// `FENCEPOST_WRITE_GOLDEN=1 swift test --filter FleetGoldenTests` writes the files of a new version.
@Suite struct FleetGoldenTests {
  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden")
  private static let writes = ProcessInfo.processInfo.environment["FENCEPOST_WRITE_GOLDEN"] == "1"

  private func at(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

  /// A fleet with devices in every state among all kinds of conditions. One device was removed while it had pending
  /// events, one has no inputs, and one does not scan for beacons. Some events are in flight and others wait in the
  /// queue, crossings are unconfirmed, and conditions were removed and replaced.
  private func live(_ fleet: inout StoredFleet, _ zones: Conditions) throws {
    func ring(_ half: Double) -> [Coordinate] {
      [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].map {
        Coordinate(latitude: $0.0 * half, longitude: $0.1 * half)
      }
    }
    let tag = BeaconUUID(high: 1, low: 2)
    func addCircle(_ radius: Double, _ name: String, _ policy: TransitionPolicy) throws {
      try zones.add(
        CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: radius), identifier: name,
        policy: policy, tag: UInt64(radius))
    }
    try addCircle(100, "home", .exact)
    try addCircle(250, "a circle with a name that is not short", .standard)
    try addCircle(50, "gone", .exact)
    try zones.add(PolygonalGeographicCondition(exterior: ring(0.003)), identifier: "square", policy: .coreLocation)
    try zones.add(BeaconIdentityCondition(uuid: tag), identifier: "tag")
    try zones.add(BeaconIdentityCondition(uuid: tag, major: 9), identifier: "announced", assuming: .unknown)
    try fleet.call { engine throws(MonitorError) in
      for name in ["truck", "van", "a device whose name is longer than most", "bus", "idle", "deaf"] {
        _ = try engine.device(name)
      }
      for (number, second) in zip([1, 2, 3, 4, 1, 2, 1, 3] as [UInt64], Int64(0)...) {
        let fix = Fix(
          latitude: [0.02, 0.0003, 0.0015, 0, 0.0005, 0.002, 0.0021, 0][Int(second)], longitude: 0, accuracy: 5,
          time: at(1_000 + second))
        try engine.feed(fix, for: number)
      }
      try engine.setScanning(false, at: at(1_000), for: 6)
      try engine.feed([BeaconSighting(uuid: tag, major: 3, minor: 4)], at: at(1_010), for: 2)
      try engine.advance(to: at(1_012))
      _ = engine.nextEvent()
      _ = engine.nextEvent()
      try engine.remove(4)
    }
    zones.remove("gone")
    try addCircle(120, "home", .exact)
    try fleet.call { engine throws(MonitorError) in
      try engine.feed(Fix(latitude: 0.0001, longitude: 0, accuracy: 5, time: at(1_020)), for: 3)
      try? engine.feed(Fix(latitude: 0.0001, longitude: 0, accuracy: 5, time: at(1_001)), for: 3)
    }
  }

  /// A description of everything in a fleet that a caller can see, including events.
  private func description(_ engine: FleetEngine) throws -> String {
    var engine = engine
    let statistics = engine.statistics
    var lines = [
      "clock \(statistics.clock?.description ?? "unset"), fixes \(statistics.acceptedFixes), late \(statistics.lateInputs)",
      "sightings \(statistics.acceptedSightings), handed out \(statistics.handedOutEvents)",
      "conditions \(engine.conditions.identifiers) up to \(engine.conditions.version.generation)",
      "digest \(engine.conditions.version.digest.bytes)",
    ]
    for device in engine.deviceNumbers {
      let own = try engine.statistics(of: device)
      lines.append(
        "\(device - 1) \(engine.identifier(of: device) ?? ""): clock \(own.clock?.description ?? "unset"), inputs "
          + "\(own.inputCount), sequence \(own.handedOutEvents), next "
          + "\(try engine.nextDeadline(of: device)?.description ?? "none")")
      for presence in try engine.inside(device) {
        lines.append("  \(presence.identifier) \(presence.generation) \(presence.tag) since \(presence.since)")
      }
    }
    while let event = engine.nextEvent() { lines.append("\(event.position) \(event.row) \(event.json)") }
    try engine.advance(to: at(2_000))
    while let event = engine.nextEvent() { lines.append("\(event.position) \(event.row) \(event.json)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Adds to the fleet the contents that only the second format can store: arrival times, a rewind after an advance far
  /// ahead, and a device with a coarse fix after the rewind.
  private func liveOn(_ fleet: inout StoredFleet) throws {
    try fleet.call { engine throws(MonitorError) in
      try engine.setArrivalTime(at(5_000))
      try engine.feed(Fix(latitude: 0.02, longitude: 0, accuracy: 5, time: at(1_021)), for: 1)
      try engine.setArrivalTime(at(5_100))
      try engine.advance(to: at(1_000_000))
      try engine.rewind(to: at(1_500))
      try engine.feed(Fix(latitude: 0, longitude: 0, accuracy: 9_000, time: at(1_501)), for: 2)
      try engine.rewind(to: at(1_500), for: 2)
    }
  }

  /// Adds to a fleet with delivery `first` what only the third format can store: states that were observed behind events
  /// that wait or are in flight.
  private func liveBehind(_ fleet: inout StoredFleet) throws {
    try fleet.call { engine throws(MonitorError) in
      for (second, number) in zip(Int64(0)..., [1, 2, 3, 1, 2, 3] as [UInt64]) {
        let latitude = second % 2 == 0 ? 0.0001 : 0.02
        try engine.feed(Fix(latitude: latitude, longitude: 0, accuracy: 5, time: at(1_100 + second)), for: number)
      }
      _ = engine.nextEvent()
      try engine.feed(Fix(latitude: 0.02, longitude: 0, accuracy: 5, time: at(1_110)), for: 3)
      try engine.feed(Fix(latitude: 0.0001, longitude: 0, accuracy: 5, time: at(1_111)), for: 3)
    }
  }

  /// Adds to the fleet what only the fourth format with its feature of hosts can store: what the hosts of devices
  /// stated, a beacon that an event named, and a kind of conditions that is monitored again.
  private func liveWithHosts(_ fleet: inout StoredFleet, _ zones: Conditions) throws {
    try fleet.call { engine throws(MonitorError) in
      try engine.setHostCapabilities(
        [.authorizationDenied, .accuracyLimited], unsupported: [.polygonalGeographic], at: at(1_100), for: 1)
      try engine.setHostCapabilities(.accuracyLimited, at: at(1_100), for: 2)
      try engine.setHostCapabilities([], at: at(1_101), for: 2)
      try engine.setHostCapabilities([], unsupported: [.circularGeographic], at: at(1_100), for: 3)
      try engine.setHostCapabilities([], at: at(1_101), for: 3)
      try engine.setHostCapabilities([], unsupported: [.beaconIdentity], at: at(1_102), for: 3)
    }
    try zones.add(
      CircularGeographicCondition(center: Coordinate(latitude: 1, longitude: 0), radius: 100), identifier: "late")
  }

  /// The fleet with hosts has the fourth format, which other fleets have too.
  private func file(_ format: Int, _ kind: String) -> URL {
    Self.golden.appendingPathComponent("fleet-\(format == 4 ? "hosts" : "\(format)").\(kind)")
  }

  private func options(_ format: Int) -> FleetOptions { FleetOptions(delivery: format == 3 ? .first : .every) }

  private func live(_ fleet: inout StoredFleet, _ zones: Conditions, _ format: Int) throws {
    try live(&fleet, zones)
    if format == 2 { try liveOn(&fleet) }
    if format == 3 { try liveBehind(&fleet) }
    if format == 4 { try liveWithHosts(&fleet, zones) }
  }

  @Test(.enabled(if: writes), arguments: 1...4) func write(_ format: Int) throws {
    let folder = try Folder()
    let zones = Conditions()
    var fleet = try StoredFleet(name: "golden", zones, options: options(format), directory: folder.path)
    try live(&fleet, zones, format)
    try Data(fleet.state.snapshot()).write(to: file(format, "bin"))
    let text = try description(try FleetEngine(restoring: fleet.state.snapshot()))
    try text.write(to: file(format, "txt"), atomically: true, encoding: .utf8)
    try fleet.close()
    try Data(contentsOf: URL(fileURLWithPath: folder.file("golden.fencepost"))).write(
      to: file(format, "fencepost"))
  }

  private func expected(_ format: Int) throws -> String {
    try String(contentsOf: file(format, "txt"), encoding: .utf8)
  }

  @Test(arguments: 1...4) func theSnapshotIsRead(_ format: Int) throws {
    let bytes = [UInt8](try Data(contentsOf: file(format, "bin")))
    let fleet = try FleetEngine(restoring: bytes)
    #expect(fleet.snapshot() == bytes)
    #expect(try description(fleet) == (try expected(format)))
  }

  @Test(arguments: 1...4) func theStoreIsOpened(_ format: Int) throws {
    let folder = try Folder()
    try FileManager.default.copyItem(
      at: file(format, "fencepost"),
      to: URL(fileURLWithPath: folder.file("golden.fencepost")))
    var fleet = try StoredFleet(
      name: "golden", Conditions(), options: options(format), directory: folder.path)
    #expect(try description(fleet.state) == (try expected(format)))
    try fleet.close()
  }

  /// For the same calls, the current code writes the same snapshot bytes as the code that wrote the golden files.
  @Test(arguments: 1...4) func theBytesAreThoseOfToday(_ format: Int) throws {
    let zones = Conditions()
    var fleet = StoredFleet(try FleetEngine(zones, options: options(format)))
    try live(&fleet, zones, format)
    let bytes = [UInt8](try Data(contentsOf: file(format, "bin")))
    #expect(fleet.state.snapshot() == bytes)
  }
}
