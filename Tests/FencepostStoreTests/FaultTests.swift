import CSQLite
import FaultyVFS
import Fencepost
import FencepostStore
import Testing

/// Makes the disk fail, or the process end, at each write in turn.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FaultTests {
  private struct Failure: CustomTestStringConvertible {
    let code: Int32
    let isTorn: Bool
    let count: UInt64
    var testDescription: String { "code \(code), \(count) operations\(isTorn ? ", torn" : "")" }
  }

  private static let failures = [
    Failure(code: SQLITE_FULL, isTorn: false, count: 3), Failure(code: SQLITE_IOERR | 3 << 8, isTorn: true, count: 1),
    Failure(code: SQLITE_FULL, isTorn: true, count: 40),
  ]

  /// How a monitor saves: each change is written in place, or rows are written in parts into a draft beside the old
  /// file.
  private enum Saving: CaseIterable {
    case inPlace, inParts

    func open(_ folder: Folder) throws -> StoredEngine {
      var stored = try StoredEngine(
        name: "m", options: Drive.options, directory: folder.path,
        durability: self == .inPlace ? .changes : .relaxed(interval: 5_000_000))
      if self == .inParts { stored.limits = SaveLimits(least: 2, part: 4) }
      return stored
    }
  }

  /// A disk failure at any operation, short or long, does not change the monitor's events, apart from diagnostic
  /// events. At most two events report a failure, and once the disk works again, the store contains the whole state.
  @Test(arguments: 0..<3, Saving.allCases)
  private func everyOperationFailsInTurn(_ index: Int, _ saving: Saving) throws {
    faulty_vfs_install()
    let failure = Self.failures[index]
    let calls = Drive.calls(11, count: 70, takesAll: true)
    var first: UInt64 = 0
    var runs = 0
    var tellings = 0
    while true {
      let folder = try Folder()
      // Counts the operations on files that are opened from now on.
      faulty_vfs_watch(folder.path)
      var stored = try saving.open(folder)
      var memory = try MonitorEngine(name: "m", options: Drive.options)
      faulty_vfs_watch(folder.path)
      faulty_vfs_fail(first, failure.count, failure.code, failure.isTorn ? 1 : 0)
      var expected: [String] = []
      var told: [String] = []
      var flagged = 0
      for call in calls {
        for event in (try? call(&memory)) ?? [] { expected.append(brief(event)) }
        for event in stored.call({ engine in (try? call(&engine)) ?? [] }) {
          if event.cause == .diagnostic {
            flagged += event.persistenceUnavailable ? 1 : 0
          } else {
            told.append(brief(event))
          }
        }
        try stored.checkInvariants()
      }
      let isOver = faulty_vfs_operations() <= first
      faulty_vfs_fail(0, 0, 0, 0)
      try stored.checkpoint()
      #expect(flagged <= 2, "operation \(first)")
      tellings += flagged
      for event in memory.drained() where event.cause != .diagnostic { expected.append(brief(event)) }
      let rest = stored.call { $0.drained() }
      for event in rest where event.cause != .diagnostic { told.append(brief(event)) }
      if told != expected { Issue.record("operation \(first): \(told.difference(from: expected))") }
      try stored.close()
      let snapshot = stored.call { $0.snapshot() }
      var opened = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
      #expect(opened.call { $0.snapshot() } == abandoned(snapshot), "operation \(first)")
      try opened.checkInvariants()
      try opened.close()
      faulty_vfs_watch("")
      runs += 1
      if isOver { break }
      first += isSoak || first < 20 ? 1 : saving == .inPlace ? 11 : 43
    }
    // If one operation fails while changes are saved in parts, the failure may go unreported, because the changes are
    // then saved in place.
    #expect(runs > 15 && tellings > (saving == .inPlace ? 10 : failure.count == 1 ? -1 : 0))
  }

  /// If two fleets were created independently, opening one fleet over the other fleet's table rewrites the store of the
  /// opened fleet. Whichever write fails while a store is being rewritten, the fleet opens with its whole state, and
  /// the store later contains that state.
  @Test(arguments: 0..<3) func joiningAFamilyFailsAtEveryOperation(_ index: Int) throws {
    faulty_vfs_install()
    let failure = Self.failures[index]
    let base = try Folder()
    func open(_ name: String, _ table: Conditions, _ folder: Folder) throws -> StoredFleet {
      try StoredFleet(name: name, table, options: FleetOptions(), directory: folder.path)
    }
    func feed(_ fleet: inout StoredFleet, _ second: Int64) throws {
      let fix = Fix(latitude: 0, longitude: 0, time: at(second))
      try fleet.call { engine throws(MonitorError) in try engine.feed(fix, for: try engine.device("truck")) }
    }
    for name in ["a", "b"] {
      let table = Conditions()
      try table.add(
        CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100), identifier: "home",
        policy: .exact)
      var fleet = try open(name, table, base)
      try feed(&fleet, 1)
      try fleet.close()
    }
    var alone = try open("b", Conditions(), base)
    let expected = alone.state.snapshot()
    try alone.close()
    var (first, moved): (UInt64, Int) = (0, 0)
    while true {
      let folder = try Folder()
      try base.copy(into: folder)
      let old = try folder.bytes("b.fencepost")
      let table = Conditions()
      faulty_vfs_watch(folder.path)
      var one = try open("a", table, folder)
      faulty_vfs_watch(folder.path)
      faulty_vfs_fail(first, failure.count, failure.code, failure.isTorn ? 1 : 0)
      var other = try open("b", table, folder)
      let isOver = faulty_vfs_operations() <= first
      faulty_vfs_fail(0, 0, 0, 0)
      #expect(other.state.snapshot() == expected, "operation \(first)")
      // A rewritten store has a different file number, which is stored on its first page.
      moved += try folder.bytes("b.fencepost").prefix(1_024) == old.prefix(1_024) ? 0 : 1
      try feed(&other, 2)
      try other.close()
      try one.close()
      faulty_vfs_watch("")
      #expect(folder.names == ["a.fencepost", "b.fencepost"], "operation \(first)")
      var opened = try open("b", Conditions(), folder)
      let inputs = try opened.call { engine throws(MonitorError) in
        try engine.statistics(of: try engine.device("truck")).inputCount
      }
      #expect(inputs == 2)
      try opened.close()
      if isOver { break }
      first += 1
    }
    // At least one run rewrites the store, and in at least one run the failure prevents this.
    #expect(moved > 0 && moved <= first)
  }

  /// Before each operation, the test copies the files as a process would leave them if it ended at that moment. The
  /// copies can be opened: each contains the state after the first N calls, for some N, and every delivered event.
  @Test(arguments: Saving.allCases) private func endOfTheProcessBeforeEveryOperation(_ saving: Saving) throws {
    faulty_vfs_install()
    for seed in 1...(isSoak ? 20 : 3) as ClosedRange<UInt64> {
      let folder = try Folder()
      faulty_vfs_watch(folder.path)
      var stored = try saving.open(folder)
      let observer = Observer(folder)
      observer.note(stored.call { $0.snapshot() }, handedOut: 0)
      faulty_vfs_watch(folder.path)
      faulty_vfs_before_each(
        { context, _ in
          guard let context else { return }
          Unmanaged<Observer>.fromOpaque(context).takeUnretainedValue().lookAtFiles()
        }, Unmanaged.passUnretained(observer).toOpaque())
      for call in Drive.calls(seed, count: 60) {
        _ = stored.call { engine in try? call(&engine) }
        try stored.checkInvariants()
        let statistics = stored.call { $0.statistics }
        // With relaxed durability, events that were delivered since the last save are redelivered.
        observer.note(
          stored.call { $0.snapshot() }, handedOut: saving == .inPlace ? statistics.handedOutEvents : 0)
      }
      try stored.close()
      faulty_vfs_watch("")
      #expect(observer.looks > 50)
      #expect((observer.drafts > 20) == (saving == .inParts))
      for problem in observer.problems { Issue.record("seed \(seed): \(problem)") }
    }
  }

  /// An SQLite file system without shared memory must not claim to have it, because SQLite would then call missing
  /// functions.
  @Test func aLogWithoutSharedMemoryIsRefused() throws {
    #expect(faulty_vfs_install() == SQLITE_OK)
    let folder = try Folder()
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    try stored.close()
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    #expect(
      sqlite3_open_v2(folder.file("m.fencepost"), &database, SQLITE_OPEN_READWRITE, "unix-none") == SQLITE_OK)
    // Without shared memory, SQLite can read the store only in the exclusive locking mode, which keeps the index of the
    // log in the process's own memory.
    #expect(sqlite3_exec(database, "SELECT * FROM rows", nil, nil, nil) == SQLITE_CANTOPEN)
  }

  private func brief(_ event: Event) -> String {
    "\(event.identifier) \(event.state) \(String(describing: event.date))"
  }

  private func abandoned(_ snapshot: [UInt8]) -> [UInt8] {
    (try? MonitorEngine(restoring: snapshot))?.snapshot() ?? []
  }
}

/// Opens copies of a store's files while the store is in use.
private final class Observer {
  private let folder: Folder
  private var states: Set<[UInt8]> = []
  private var handedOut: UInt64 = 0
  private(set) var looks = 0
  /// How often the observer found a draft beside the store's file.
  private(set) var drafts = 0
  private(set) var problems: [String] = []
  private var waiting: [(snapshot: [UInt8], handedOut: UInt64)] = []

  init(_ folder: Folder) {
    self.folder = folder
  }

  /// Records the state after a call; a copy that was opened during the call may already contain this state.
  func note(_ snapshot: [UInt8], handedOut: UInt64) {
    let restored = (try? MonitorEngine(restoring: snapshot))?.snapshot() ?? []
    states.insert(restored)
    for look in waiting where !states.contains(look.snapshot) {
      problems.append("the files show a state that never was, after \(states.count) calls")
    }
    waiting = []
    self.handedOut = handedOut
  }

  func lookAtFiles() {
    looks += 1
    if folder.names.contains(where: { $0.hasPrefix(".m.fencepost-") }) { drafts += 1 }
    do {
      let copy = try Folder()
      try folder.copy(into: copy)
      var opened = try StoredEngine(name: "m", options: Drive.options, directory: copy.path)
      let found = opened.call { ($0.snapshot(), $0.statistics.handedOutEvents) }
      if found.1 < handedOut { problems.append("\(handedOut) events were handed out, the files know of \(found.1)") }
      waiting.append((found.0, found.1))
      try opened.close()
    } catch {
      problems.append("\(error)")
    }
  }
}

extension MonitorEngine {
  fileprivate mutating func drained() -> [Event] {
    var events: [Event] = []
    while let event = nextEvent() { events.append(event) }
    return events
  }
}
