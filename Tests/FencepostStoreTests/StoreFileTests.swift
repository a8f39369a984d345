import CSQLite
import Fencepost
import FencepostStore
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Tests what happens if another program interferes with the files of an open store, or with files in the store's
/// folder.
@Suite(.timeLimit(.minutes(10))) struct StoreFileTests {
  private func open(_ folder: Folder, _ name: String = "m") throws(MonitorError) -> StoredEngine {
    try StoredEngine(name: name, options: MonitorOptions(), directory: folder.path)
  }

  private func add(_ identifier: String, to stored: inout StoredEngine) throws {
    try stored.call { engine throws(MonitorError) in
      try engine.add(BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 1)), identifier: identifier)
    }
  }

  private func refusal(_ body: () throws(MonitorError) -> StoredEngine) -> String {
    do throws(MonitorError) {
      _ = try body()
      return "opened"
    } catch { return "\(error)" }
  }

  // MARK: - The lock

  /// A backup in the same process opens, reads and closes the file. The lock of the store remains after the backup, so
  /// another copy of the SQLite library still cannot change the file.
  @Test func theLockSurvivesABackup() throws {
    let folder = try Folder()
    var stored = try open(folder)
    for _ in 0..<3 {
      _ = try folder.bytes("m.fencepost")
      #expect(try !change(folder.file("m.fencepost"), "DELETE FROM rows"))
    }
    #expect(throws: MonitorError.monitorInUse("m")) { try open(folder) }
    try add("a", to: &stored)
    try stored.close()
    var again = try open(folder)
    #expect(again.call { $0.identifiers } == ["a"])
  }

  @Test func oneOfManyThatOpenTogetherWins() async throws {
    for round in 0..<(isSoak ? 1_000 : 40) {
      let folder = try Folder()
      if round % 2 == 0 {
        var stored = try open(folder)
        try stored.close()
      }
      let opened = await withTaskGroup(of: StoredEngine?.self) { group in
        for _ in 0..<4 { group.addTask { try? open(folder) } }
        var opened: [StoredEngine] = []
        for await stored in group { if let stored { opened.append(stored) } }
        return opened
      }
      #expect(opened.count == 1, "round \(round)")
      for var stored in opened { try stored.close() }
      #expect(folder.names == ["m.fencepost"])
    }
  }

  // MARK: - Files that go

  @Test(arguments: ["deleted", "moved", "replaced"]) func aRemovedFileIsReported(_ how: String) throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("a", to: &stored)
    #expect(stored.storeStatus == .kept)
    let file = folder.file("m.fencepost")
    switch how {
    case "deleted": try FileManager.default.removeItem(atPath: file)
    case "moved": try FileManager.default.moveItem(atPath: file, toPath: folder.file("away"))
    default:
      try FileManager.default.removeItem(atPath: file)
      try folder.write([1, 2, 3], to: "m.fencepost")
    }
    try add("b", to: &stored)
    #expect(stored.storeStatus == .gone)
    #expect(stored.statistics.store == .gone)
    let event = stored.call { $0.nextEvent() }
    #expect(event?.persistenceUnavailable == true)
    #expect(throws: MonitorError.self) { try stored.checkpoint() }
    if how == "moved" {
      try FileManager.default.moveItem(atPath: folder.file("away"), toPath: file)
      try stored.checkpoint()
      #expect(stored.storeStatus == .kept)
      try stored.close()
      var again = try open(folder)
      #expect(again.call { $0.identifiers } == ["a", "b"])
    } else {
      #expect(throws: MonitorError.self) { try stored.close() }
      if how == "replaced" { #expect(try folder.bytes("m.fencepost") == [1, 2, 3]) }
    }
  }

  @Test func aRemovedFileIsReportedAtClosing() throws {
    let folder = try Folder()
    var stored = try open(folder)
    try FileManager.default.removeItem(atPath: folder.file("m.fencepost"))
    #expect(throws: MonitorError.self) { try stored.close() }
  }

  /// After a store is reopened, changes are written to the files in the folder, so that a copy of the folder contains
  /// them.
  @Test func whatIsWrittenAfterReopeningOutlivesTheProcess() throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("first", to: &stored)
    try stored.close()
    stored = try open(folder)
    for identifier in ["second", "third"] {
      try add(identifier, to: &stored)
      let copy = try Folder()
      try folder.copy(into: copy)
      var killed = try open(copy)
      #expect(killed.call { $0.identifiers.last } == identifier)
      try killed.close()
    }
    try stored.close()
  }

  @Test func aLogThatIsDeletedIsMadeAnew() throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("a", to: &stored)
    try FileManager.default.removeItem(atPath: folder.file("m.fencepost-wal"))
    try add("b", to: &stored)
    #expect(stored.storeStatus == .kept)
    let copy = try Folder()
    try folder.copy(into: copy)
    var opened = try open(copy)
    #expect(opened.call { $0.identifiers } == ["a", "b"])
  }

  /// If another program writes into the open file or its log, the store overwrites those writes: the call that detects
  /// them saves all data again before it returns.
  @Test(arguments: ["m.fencepost", "m.fencepost-wal"], [0, 1_000, 5_000]) func whatOthersWriteIntoItIsReplaced(
    _ name: String, _ length: Int
  ) throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("a", to: &stored)
    let bytes = try folder.bytes(name)
    for (identifier, damage) in [
      ("b", Array(bytes.prefix(length))), ("c", bytes + [UInt8](repeating: 7, count: length)),
    ] {
      let handle = try #require(FileHandle(forWritingAtPath: folder.file(name)))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: damage)
      try handle.close()
      try add(identifier, to: &stored)
      #expect(stored.storeStatus == .kept)
      let copy = try Folder()
      try folder.copy(into: copy)
      var killed = try open(copy)
      #expect(killed.call { $0.identifiers.last } == identifier)
      try killed.close()
    }
    try stored.close()
    #expect(folder.names == ["m.fencepost"])
  }

  /// If the log of another store appears beside the open file, it is neither used nor removed.
  @Test func aForeignLogThatAppearsIsLeft() throws {
    let folder = try Folder()
    let other = try Folder()
    var stored = try open(folder)
    var another = try open(other)
    try add("x", to: &another)
    let log = try other.bytes("m.fencepost-wal")
    try folder.write(log, to: "other")
    #expect(rename(folder.file("other"), folder.file("m.fencepost-wal")) == 0)
    try add("a", to: &stored)
    #expect(stored.storeStatus == .failing)
    #expect(try folder.bytes("m.fencepost-wal") == log)
    try FileManager.default.removeItem(atPath: folder.file("m.fencepost-wal"))
    try stored.checkpoint()
    #expect(stored.storeStatus == .kept)
    try stored.close()
    var again = try open(folder)
    #expect(again.call { $0.identifiers } == ["a"])
  }

  /// After a crash, a store consists of its database file and its log; opening both gives the state at the crash. If
  /// the log is missing, opening the database file gives an older state. A log is refused if its database file is
  /// missing, or if the database file belongs to another store.
  @Test func eachSubsetOfTheFilesThatIsMoved() throws {
    let folder = try Folder()
    let crashed = try Folder()
    var stored = try open(folder)
    for number in 0..<5 { try add("c\(number)", to: &stored) }
    try folder.copy(into: crashed)
    try stored.close()
    #expect(crashed.names == ["m.fencepost", "m.fencepost-wal"])

    let logOnly = try Folder()
    try crashed.copy(into: logOnly)
    try FileManager.default.removeItem(atPath: logOnly.file("m.fencepost"))
    let message = refusal { () throws(MonitorError) in try open(logOnly) }
    #expect(message.contains("m.fencepost-wal exists, but the store itself is missing"))
    #expect(logOnly.names == ["m.fencepost-wal"])

    // Another store is copied to the name of the missing store, whose log still exists.
    let other = try Folder()
    var made = try open(other)
    try add("other", to: &made)
    try made.close()
    try FileManager.default.copyItem(atPath: other.file("m.fencepost"), toPath: logOnly.file("m.fencepost"))
    let foreign = refusal { () throws(MonitorError) in try open(logOnly) }
    #expect(foreign.contains("m.fencepost-wal is the log of another store"), "\(foreign)")
    #expect(try logOnly.bytes("m.fencepost") == other.bytes("m.fencepost"))
    #expect(try logOnly.bytes("m.fencepost-wal") == crashed.bytes("m.fencepost-wal"))

    let fileOnly = try Folder()
    try crashed.copy(into: fileOnly)
    try FileManager.default.removeItem(atPath: fileOnly.file("m.fencepost-wal"))
    var older = try open(fileOnly)
    #expect(older.call { $0.identifiers }.count < 5)

    var both = try open(crashed)
    #expect(both.call { $0.identifiers } == ["c0", "c1", "c2", "c3", "c4"])
  }

  /// A log that belongs to another database is recognised by its page size before SQLite reads the log.
  @Test(arguments: [512, 4_096, 65_536]) func aLogWithOtherPagesIsLeft(_ pageSize: Int) throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("a", to: &stored)
    try stored.close()
    let store = try folder.bytes("m.fencepost")
    let log = try logOfAnother(pageSize)
    try folder.write(log, to: "m.fencepost-wal")
    let message = refusal { () throws(MonitorError) in try open(folder) }
    #expect(message.contains("m.fencepost-wal is the log of another store"), "\(message)")
    #expect(try folder.bytes("m.fencepost") == store && folder.bytes("m.fencepost-wal") == log)
  }

  /// Returns the write-ahead log that SQLite creates for another database with the given page size.
  private func logOfAnother(_ pageSize: Int) throws -> [UInt8] {
    let folder = try Folder()
    try folder.write([], to: "other")
    var database: OpaquePointer?
    #expect(sqlite3_open(folder.file("other"), &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let sql = "PRAGMA page_size=\(pageSize); PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)"
    #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    return try folder.bytes("other-wal")
  }

  /// A store has no rollback journal, but SQLite would apply a journal found beside the file.
  @Test(arguments: [true, false]) func aJournalBesideTheStoreIsNamed(_ isThere: Bool) throws {
    let folder = try Folder()
    if isThere {
      var stored = try open(folder)
      try add("a", to: &stored)
      try stored.close()
    }
    let bytes = isThere ? try folder.bytes("m.fencepost") : []
    try folder.write([UInt8](repeating: 7, count: 600), to: "m.fencepost-journal")
    let message = refusal { () throws(MonitorError) in try open(folder) }
    #expect(message.contains("m.fencepost-journal"), "\(message)")
    if isThere { #expect(try folder.bytes("m.fencepost") == bytes) }
    #expect(try folder.bytes("m.fencepost-journal").count == 600)
    try FileManager.default.removeItem(atPath: folder.file("m.fencepost-journal"))
    var again = try open(folder)
    #expect(again.call { $0.identifiers } == (isThere ? ["a"] : []))
  }

  @Test func draftsOfKilledCreatesAreSwept() throws {
    let folder = try Folder()
    try folder.write([1, 2, 3], to: ".m.fencepost-abc123")
    try folder.write([1, 2, 3], to: ".n.fencepost-abc123")
    var stored = try open(folder)
    try stored.close()
    #expect(folder.names == [".n.fencepost-abc123", "m.fencepost"])
  }

  // MARK: - Reading changes nothing

  @Test func openingAndLookingChangesNoByte() throws {
    let folder = try Folder()
    var stored = try open(folder)
    try add("a", to: &stored)
    try stored.close()
    let bytes = try folder.bytes("m.fencepost")
    var again = try open(folder)
    _ = again.call { ($0.identifiers, $0.record(for: "a")?.lastEvent, $0.statistics.inputCount) }
    try again.close()
    #expect(try folder.bytes("m.fencepost") == bytes)
    #expect(folder.names == ["m.fencepost"])
  }

  // MARK: - Messages

  @Test func messagesNameCauseAndPlace() throws {
    let folder = try Folder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("m.fencepost"), withDestinationPath: "nowhere")
    let dangling = refusal { () throws(MonitorError) in try open(folder) }
    #expect(dangling.contains("m.fencepost") && dangling.contains("symbolic link"), "\(dangling)")

    let long = folder.file(String(repeating: "d", count: 200)) + "/" + String(repeating: "e", count: 250)
    try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: true)
    let message = refusal { () throws(MonitorError) in
      try StoredEngine(name: "m", options: MonitorOptions(), directory: long)
    }
    #expect(message.contains("its path has") && message.contains("the limit is"), "\(message)")

    try folder.write([UInt8](repeating: 7, count: 4_096), to: "x.fencepost")
    let foreign = refusal { () throws(MonitorError) in try open(folder, "x") }
    #expect(foreign.contains("x.fencepost") && foreign.contains("SQLite database"), "\(foreign)")

    if getuid() != 0 {
      try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: folder.file("x.fencepost"))
      let fixed = refusal { () throws(MonitorError) in try open(folder, "x") }
      #expect(fixed.contains("x.fencepost") && fixed.contains("Permission denied"), "\(fixed)")
    }
  }

  /// A symbolic link to a store opens it; the log is beside the file, not beside the link.
  @Test func aLinkLeadsToTheStore() throws {
    let folder = try Folder()
    let far = try Folder()
    var made = try open(far)
    try made.close()
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("m.fencepost"), withDestinationPath: far.file("m.fencepost"))
    var stored = try open(folder)
    try add("a", to: &stored)
    #expect(folder.names == ["m.fencepost"])
    #expect(throws: MonitorError.monitorInUse("m")) { try open(far) }
    try stored.close()
    var again = try open(far)
    #expect(again.call { $0.identifiers } == ["a"])
  }
}
