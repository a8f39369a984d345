import Fencepost
import FencepostStore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteStoreTests {
  private func open(
    _ folder: Folder, _ name: String = "m", options: MonitorOptions = MonitorOptions(),
    _ durability: Durability = .changes
  ) throws -> StoredEngine {
    try StoredEngine(name: name, options: options, directory: folder.path, durability: durability)
  }

  // MARK: - Files and names

  @Test func oneFileThatOnlyItsUserReads() throws {
    let folder = try Folder()
    var stored = try open(folder)
    #expect(folder.names.contains("m.fencepost"))
    #expect(folder.names.allSatisfy { ["m.fencepost", "m.fencepost-wal", "m.fencepost-shm"].contains($0) })
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("m.fencepost"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    try stored.close()
    #expect(folder.names == ["m.fencepost"])
  }

  @Test func secondOpeningIsRefusedAndTheFirstGoesOn() throws {
    let folder = try Folder()
    var first = try open(folder)
    for _ in 0..<3 { #expect(throws: MonitorError.monitorInUse("m")) { try open(folder) } }
    try first.call { engine throws(MonitorError) in
      try engine.add(BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 1)), identifier: "b")
    }
    #expect(throws: MonitorError.monitorInUse("m")) { try open(folder) }
    var other = try open(folder, "n")
    try other.close()
    try first.close()
    var second = try open(folder)
    #expect(second.call { $0.identifiers } == ["b"])
    try second.close()
  }

  /// Closing a second connection must not release the lock of the first. A process loses its POSIX locks on a file when
  /// it closes any descriptor of the file, so a lock of this kind would be lost if the second connection came from
  /// another copy of SQLite.
  @Test func theNameStaysTakenForOtherProcesses() throws {
    let folder = try Folder()
    var first = try open(folder)
    #expect(throws: MonitorError.monitorInUse("m")) { try open(folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import fcntl, sys
      with open(sys.argv[1], "r+b") as file:
          try:
              fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
          except OSError:
              sys.exit(7)
      """,
      folder.file("m.fencepost"),
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 7)
    try first.close()
  }

  @Test func namesAreChecked() throws {
    let folder = try Folder()
    for name in ["", "a.b", "a-b", "a/b", "a b", "../m", String(repeating: "x", count: 65)] {
      #expect(throws: MonitorError.invalidName(name)) { try open(folder, name) }
    }
    for name in ["a_b", "M1", String(repeating: "x", count: 64)] {
      var stored = try open(folder, name)
      try stored.close()
    }
    #expect(folder.names.count == 3)
  }

  @Test func directoriesAreChecked() throws {
    let folder = try Folder()
    func message(_ directory: String) -> String {
      do throws(MonitorError) {
        _ = try StoredEngine(name: "m", options: MonitorOptions(), directory: directory)
        return "opened"
      } catch { return "\(error)" }
    }
    #expect(message(folder.file("none")).contains("cannot be found: No such file or directory"))
    try folder.write([1], to: "file")
    #expect(message(folder.file("file")).contains("is not a directory"))
    #expect(message("").contains("the directory's path is empty"))
    #expect(folder.names == ["file"])
  }

  // MARK: - Restart

  /// A sequence of calls with a restart after every call gives the same events as the sequence without restarts, and
  /// the same state, byte for byte.
  @Test(arguments: [Durability.changes, .everyInput, .relaxed(interval: 30_000_000)])
  func restartsChangeNothing(_ durability: Durability) throws {
    for seed in 1...(isSoak ? 40 : 6) as ClosedRange<UInt64> {
      let folder = try Folder()
      var memory = try MonitorEngine(name: "m", options: Drive.options)
      for call in Drive.calls(seed, count: 60) {
        var stored = try open(folder, options: Drive.options, durability)
        let expected = try? call(&memory)
        let events = stored.call { engine in try? call(&engine) }
        #expect(events == expected, "seed \(seed)")
        try stored.close()
        memory.abandon()
      }
      var stored = try open(folder, options: Drive.options)
      #expect(stored.call { $0.snapshot() } == memory.snapshot(), "seed \(seed)")
    }
  }

  @Test func swiftActor() async throws {
    let folder = try Folder()
    do {
      let monitor = try await Monitor("commute", store: folder.path)
      try await monitor.add(
        CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100), identifier: "home",
        policy: .exact)
      try await monitor.feed(fix(1, 0))
      let event = try await monitor.nextEvent()
      #expect(event?.sequence == 1)
      await #expect(throws: MonitorError.monitorInUse("commute")) { try await Monitor("commute", store: folder.path) }
      let copy = try Monitor(restoring: await monitor.snapshot())
      #expect(try await copy.nextEvent() == event)
      try await monitor.close()
    }
    let monitor = try await Monitor("commute", store: folder.path)
    #expect(await monitor.identifiers == ["home"])
    #expect(try await monitor.nextEvent()?.sequence == 1)
    await monitor.acknowledge()
    #expect(await monitor.record(for: "home")?.lastEvent.state == .satisfied)
    try await monitor.checkpoint()
  }

  // MARK: - Versions

  @Test func newerFileIsRefusedAndLeftAlone() throws {
    let folder = try Folder()
    var stored = try open(folder)
    try stored.close()
    // PRAGMA user_version is at byte 60 of the file, most significant byte first (SQLite file format, section 1.3).
    var bytes = try folder.bytes("m.fencepost")
    bytes[63] = 3
    try folder.write(bytes, to: "m.fencepost")
    #expect(
      throws: MonitorError.storeTooNew(
        "the store \(folder.file("m.fencepost")) cannot be read: it has version 3, from a newer Fencepost; this one "
          + "reads versions up to 2")
    ) { try open(folder) }
    #expect(try folder.bytes("m.fencepost") == bytes)
    #expect(folder.names == ["m.fencepost"])
  }

  @Test func filesOfOthersAreRefused() throws {
    let folder = try Folder()
    for bytes in [
      [UInt8]("not a database at all, but long enough to be looked at by anything that reads it".utf8), [], [0],
    ] {
      try folder.write(bytes, to: "m.fencepost")
      let error = #expect(throws: MonitorError.self) { try open(folder) }
      guard case .storeCorrupt = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(try folder.bytes("m.fencepost") == bytes)
      #expect(folder.names == ["m.fencepost"])
    }
  }
}
