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

  private func add(_ identifier: String, to table: Conditions) throws {
    try table.add(
      CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100), identifier: identifier,
      assuming: .unsatisfied, policy: .exact)
  }

  /// Changes a table so that it has no identifier in common with the table before the change.
  private func change(_ table: Conditions, to identifier: String) throws {
    for identifier in table.identifiers { table.remove(identifier) }
    try add(identifier, to: table)
  }

  /// Returns the upper half of the number in a fleet store's first page: the store's family.
  private func family(_ folder: Folder, _ name: String) throws -> Substring {
    let page = try String(decoding: folder.bytes("\(name).fencepost").prefix(1_024), as: UTF8.self)
    let start = try #require(page.range(of: "/* fleet ")).upperBound
    return page[start...].prefix(8)
  }

  /// Two fleets share a table of conditions, and only one of them has saved the latest change of the table before a
  /// crash. After the crash, one fleet is opened, the table is changed, and then the other fleet is opened.
  @Test(arguments: [["a", "b"], ["b", "a"]], [false, true])
  func fleetsOfOneTableOpenInAnyOrder(order: [String], wereApart: Bool) throws {
    let folder = try Folder()
    let table = wereApart ? nil : Conditions()
    for name in order {
      var fleet = try open(folder, table ?? Conditions(), name)
      try fleet.close()
    }
    // Each store was created with its own table, as was always the case before stores could share a table.
    #expect(try (family(folder, "a") == family(folder, "b")) == !wereApart)
    let shared = Conditions()
    var fleets = try ["a", "b"].map { try open(folder, shared, $0) }
    #expect(try family(folder, "a") == family(folder, "b"))
    for index in fleets.indices {
      try add("first \(index)", to: shared)
      try fleets[index].call { engine throws(MonitorError) in
        try engine.feed(fix(1, 10), for: try engine.device("truck"))
      }
    }
    try change(shared, to: "second")
    try fleets[1].call { engine throws(MonitorError) in try engine.feed(fix(2, 10), for: 1) }
    let crashed = try Folder()
    try folder.copy(into: crashed)
    for index in fleets.indices { try fleets[index].close() }

    let again = Conditions()
    for (index, name) in order.enumerated() {
      let before = again.identifiers
      var fleet = try open(crashed, again, name)
      // Opening the second store must not change the table: the change made after the first opening is preserved, even
      // if the versions of the table differ only in an identifier.
      #expect(index == 0 || again.identifiers == before)
      try fleet.call { engine throws(MonitorError) in
        try engine.feed(fix(3 + Int64(index), 500), for: try engine.device("truck"))
        try engine.feed(fix(5 + Int64(index), 10), for: 1)
      }
      try change(again, to: "third \(index)")
    }
    for name in order {
      var fleet = try open(crashed, again, name)
      #expect(try fleet.call { engine throws(MonitorError) in try engine.statistics(of: 1).inputCount } >= 3)
      try fleet.close()
    }
    #expect(crashed.names == ["a.fencepost", "b.fencepost"])

    // A store that belongs to another table is refused.
    let foreign = try zones()
    var other = try open(crashed, foreign, "c")
    for number in 1...20 { try add("foreign \(number)", to: foreign) }
    try other.close()
    #expect { _ = try open(crashed, again, "c") } throws: { error in
      if case MonitorError.tableMismatch(let reason) = error { reason.contains("over an empty table") } else { false }
    }
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

  /// A monitor's file cannot be opened as a fleet, and a fleet's file cannot be opened as a monitor; a refused file
  /// does not change.
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
