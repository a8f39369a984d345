import Fencepost
import FencepostStore
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FleetStoreTests {
  private func open(
    _ folder: Folder, _ conditions: Conditions = Conditions(), _ name: String = "f", _ durability: Durability = .changes
  ) throws -> StoredFleet {
    try StoredFleet(
      name: name, conditions, options: FleetOptions(), directory: folder.path, durability: durability)
  }

  private func zones() throws -> Conditions {
    try Conditions([
      NamedCondition(
        CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100), identifier: "home",
        assuming: .unsatisfied, policy: .exact)
    ])
  }

  private func fix(_ seconds: Int64, _ metres: Double) -> Fix {
    Fix(latitude: metres / 110_574, longitude: 0, time: Timestamp(microseconds: seconds * 1_000_000))
  }

  @Test func aFleetContinuesWhereItWas() throws {
    let folder = try Folder()
    var fleet = try open(folder, try zones())
    #expect(folder.names.contains("f.fencepost"))
    try fleet.call { engine throws(MonitorError) in
      try engine.feed(fix(1, 500), for: try engine.device("truck"))
      try engine.feed(fix(2, 10), for: try engine.device("van"))
    }
    let snapshot = fleet.state.snapshot()
    try fleet.close()
    #expect(folder.names == ["f.fencepost"])
    let table = Conditions()
    var again = try open(folder, table)
    #expect(table.identifiers == ["home"])
    #expect(again.state.snapshot() == snapshot)
    #expect(throws: MonitorError.monitorInUse("f")) { try open(folder) }
    let event = again.call { $0.nextEvent() }
    #expect(event?.deviceIdentifier == "van")
    try again.close()
  }

  @Test func anActorOfAStore() async throws {
    let folder = try Folder()
    let zones = try zones()
    do {
      let fleet = try Fleet("f", zones, store: folder.path)
      try await fleet.feed(fix(1, 10), for: "truck")
      try await fleet.checkpoint()
      #expect(await fleet.statistics.store == .kept)
      try await fleet.close()
    }
    let fleet = try Fleet("f", zones, store: folder.path)
    #expect(await fleet.nextEvent()?.deviceIdentifier == "truck")
    let copy = try Fleet(restoring: await fleet.snapshot())
    #expect(await copy.nextEvent()?.event.sequence == 1)
  }

  /// A monitor's file cannot be opened as a fleet, nor a fleet's as a monitor; the file does not change.
  @Test func aMonitorsStoreIsNoFleets() throws {
    let folder = try Folder()
    var monitor = try StoredEngine(name: "m", options: MonitorOptions(), directory: folder.path)
    try monitor.close()
    var fleet = try open(folder, try zones())
    try fleet.close()
    for (name, word) in [("m", "monitor"), ("f", "fleet")] {
      let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("\(name).fencepost")))
      do {
        if name == "m" {
          _ = try open(folder, Conditions(), "m")
        } else {
          _ = try StoredEngine(name: "f", options: MonitorOptions(), directory: folder.path)
        }
        Issue.record("it was opened")
      } catch MonitorError.invalidArgument(let reason, _) {
        #expect(reason.contains("holds a \(word)") && reason.contains(folder.path))
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("\(name).fencepost"))) == before)
    }
    #expect(folder.names.sorted() == ["f.fencepost", "m.fencepost"])
  }

  @Test func aFirstVersionStoreIsNoFleets() throws {
    let folder = try Folder()
    let golden = packageRoot.appendingPathComponent("Tests/Golden/store-1.fencepost")
    try FileManager.default.copyItem(atPath: golden.path, toPath: folder.file("f.fencepost"))
    #expect(throws: MonitorError.self) { try open(folder) }
  }

  /// Each byte of the file is verified: a changed byte is detected, or has no effect.
  @Test func flippedBitsAreFound() throws {
    let folder = try Folder()
    var fleet = try open(folder, try zones())
    try fleet.call { engine throws(MonitorError) in
      for number in 0..<40 { try engine.feed(fix(1, Double(number * 10)), for: try engine.device("d\(number)")) }
    }
    let snapshot = fleet.state.snapshot()
    try fleet.close()
    let url = URL(fileURLWithPath: folder.file("f.fencepost"))
    let whole = try Data(contentsOf: url)
    var random = SeededGenerator("flips of a fleet's store")
    for _ in 0..<300 {
      var bytes = whole
      bytes[random.integer(0...bytes.count - 1)] ^= 1 << UInt8(random.integer(0...7))
      try bytes.write(to: url)
      guard var opened = try? open(folder) else { continue }
      #expect(opened.state.snapshot() == snapshot)
      try opened.close()
    }
  }
}
