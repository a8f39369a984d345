import FencepostKernel
import Foundation
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Checks two things: which changes to a table lock its fleets, and which shapes are validated.
@Suite struct ConditionsTests {
  /// A polygon around the test location; if `isCrossing` is true, two of its edges cross.
  private func polygon(_ number: Int = 0, isCrossing: Bool = false) -> PolygonalGeographicCondition {
    let (south, west) = (Double(number) * 0.01, 0.0)
    let (north, east) = (south + 0.005, west + 0.005)
    let corners = [(south, west), (south, east), (north, east), (north, west)]
    return PolygonalGeographicCondition(
      exterior: (isCrossing ? [0, 2, 1, 3] : [0, 1, 2, 3]).map {
        Coordinate(latitude: corners[$0].0, longitude: corners[$0].1)
      })
  }

  /// A shape is validated before the fleets are locked, so an invalid shape never locks them.
  @Test func examiningAShapeStopsNoFleet() throws {
    let table = Conditions()
    try table.add(polygon(), identifier: "there")
    let stops = table.stops
    let refused = polygon(isCrossing: true)
    for identifier in ["there", "new"] {
      #expect(throws: MonitorError.self) { try table.add(refused, identifier: identifier) }
      #expect(throws: MonitorError.self) { try table.ensure(refused, identifier: identifier) }
      #expect(throws: MonitorError.self) { try table.ensure([NamedCondition(refused, identifier: identifier)]) }
      #expect(throws: MonitorError.self) { try table.sync([NamedCondition(refused, identifier: identifier)]) }
    }
    #expect(table.stops == stops)
    #expect(table.identifiers == ["there"])
    try table.add(polygon(1), identifier: "new")
    #expect(table.stops == stops + 1)
  }

  /// If all given conditions exist unchanged, `ensure` and `sync` lock no fleet, and their results say that nothing
  /// changed.
  @Test func whatChangesNothingStopsNoFleet() throws {
    let table = Conditions()
    let rows = (0..<5).map { NamedCondition(polygon($0), identifier: "p\($0)", assuming: .unsatisfied) }
    try table.ensure(rows)
    let version = table.read { $0.changes.version }
    let stops = table.stops
    #expect(try table.ensure(rows[2].condition, identifier: "p2") == false)
    #expect(try table.ensure(rows) == SyncResult(kept: 5))
    #expect(try table.sync(rows) == SyncResult(kept: 5))
    #expect(table.stops == stops)
    #expect(table.read { $0.changes.version } == version)
    // `ensure` accepts repeated rows, but `sync` refuses them. `sync` removes the conditions that its rows do not name.
    // Both replace conditions that differ from their rows.
    #expect(try table.ensure([rows[0], rows[0]]) == SyncResult(kept: 2))
    #expect(throws: MonitorError.self) { try table.sync([rows[0], rows[1], rows[2], rows[3], rows[3]]) }
    #expect(try table.sync(rows.dropLast()).removed == 1)
    #expect(try table.ensure(polygon(7), identifier: "p0"))
    let result = try table.sync(rows)
    #expect(result.kept == 3 && result.added == 1 && result.replaced == 1 && result.removed == 0)
  }

  /// A shape that is equal bit for bit to the previous shape is not validated again: the table keeps the previous
  /// object, even if the rest of the condition changes.
  @Test func equalShapesAreNotExaminedAgain() throws {
    func rows(tag: UInt64) -> [NamedCondition] {
      (0..<5).map { NamedCondition(polygon($0), identifier: "p\($0)", assuming: .unsatisfied, tag: tag) }
    }
    func shapes(_ table: ConditionTable) -> [ObjectIdentifier] {
      table.live.compactMap { slot in
        guard case .polygon(let shape) = table.subject(of: slot) else { return nil }
        return ObjectIdentifier(shape)
      }
    }
    let table = Conditions()
    try table.ensure(rows(tag: 1))
    let first = table.read { shapes($0) }
    #expect(first.count == 5)
    #expect(try table.sync(rows(tag: 2)).replaced == 5)
    #expect(table.read { shapes($0) } == first)
    #expect(try table.ensure(rows(tag: 3)).replaced == 5)
    #expect(table.read { shapes($0) } == first)
    #expect(try table.ensure(polygon(1), identifier: "p1", tag: 4))
    #expect(Set(table.read { shapes($0) }) == Set(first))
    // Equal shapes also stay the same objects if a monitor syncs its own table.
    var engine = try MonitorEngine()
    try engine.sync(rows(tag: 1))
    let before = shapes(engine.table)
    #expect(try engine.sync(rows(tag: 2)).replaced == 5)
    #expect(shapes(engine.table) == before)
  }

  /// A snapshot of a table equals, byte for byte, the snapshot of a monitor with the same conditions and without
  /// inputs, however the table was made. Earlier versions can read the snapshot of a table, because they can read the
  /// snapshot of a monitor.
  @Test func aSnapshotIsThatOfAMonitorWithoutInputs() throws {
    let table = Conditions()
    var monitor = try MonitorEngine(options: MonitorOptions.ofTable)
    for number in 0..<5 {
      try table.add(polygon(number), identifier: "p\(number % 3)", assuming: .satisfied, tag: UInt64(number))
      try monitor.add(polygon(number), identifier: "p\(number % 3)", assuming: .satisfied, tag: UInt64(number))
    }
    let beacon = BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2), major: 7)
    try table.add(beacon, identifier: "beacon", assuming: .unsatisfied, policy: .exact)
    try monitor.add(beacon, identifier: "beacon", assuming: .unsatisfied, policy: .exact)
    #expect(table.remove("p1") && monitor.remove("p1"))
    #expect(!table.remove("p1"))
    let bytes = table.snapshot()
    #expect(bytes == monitor.snapshot())
    #expect(table.read { $0.snapshotSize } == bytes.count && monitor.snapshotSize == bytes.count)
    #expect(try Conditions(restoring: bytes).snapshot() == bytes)
    #expect(try Conditions(restoring: bytes).version == table.version)
    #expect(try MonitorEngine(restoring: bytes).snapshot() == bytes)
  }

  /// A table without followers records no changes, so replacing conditions does not increase its memory.
  @Test func aTableKeepsNoLogOfChanges() throws {
    let table = Conditions()
    for number in 0..<50 { try table.add(polygon(number % 4), identifier: "p\(number % 4)") }
    #expect(table.read { $0.changes.version } == 50)
    #expect(table.read { $0.changes.since(0).isEmpty })
    let restored = try Conditions(restoring: table.snapshot())
    try restored.add(polygon(9), identifier: "new")
    #expect(restored.read { $0.changes.since(0).isEmpty })
  }

  /// The operations in which a fleet reads its table for a long time. In every case, `run` calls the given closure in
  /// the middle of the operation.
  enum LongRead: CaseIterable {
    case snapshot, save, inside, insideOne, export, poll, tableSnapshot

    func run(_ table: Conditions, _ pause: @escaping () -> Void) throws {
      var engine = try FleetEngine(table)
      let van = try engine.device("van")
      try engine.feed(fix(1, 10), for: van)
      switch self {
      case .snapshot: engine.withSnapshot { _ in pause() }
      case .save:
        let storage = MemoryFleetStorage()
        var stored = try StoredFleet(
          table, options: FleetOptions(), storage: storage, durability: .relaxed(interval: 1_000_000))
        try stored.call { engine throws(MonitorError) in
          try engine.feed(fix(1, 10), for: try engine.device("van"))
        }
        storage.isWriting = pause
        try stored.checkpoint()
      case .inside: engine.forEachDeviceInside { _ in pause() }
      case .insideOne:
        let name = Array("home".utf8)
        try name.withUnsafeBufferPointer { bytes throws(MonitorError) in
          try engine.forEachDevice(insideOf: bytes) { _ in pause() }
        }
      case .export: try engine.export([van], portable: true) { _ in pause() }
      case .poll: #expect(engine.poll(limit: 1_000) { _, _, _ in pause() } == 1)
      case .tableSnapshot: table.readLong { _ in pause() }
      }
    }
  }

  /// Records the steps of several threads in the order in which the steps happen.
  private final class Steps: Sendable {
    private let steps = Lock<[String]>([])

    var all: [String] { steps.withLock { $0 } }
    func note(_ step: String) { steps.withLock { $0.append(step) } }
    /// Returns after the step, or after some seconds if the step does not happen.
    func wait(for step: String, seconds: Double = 60) {
      let end = Date(timeIntervalSinceNow: seconds)
      while !all.contains(step), Date() < end { usleep(1_000) }
    }
  }

  /// While a change of the table waits for a long read of one fleet, other fleets can be fed, and the table answers
  /// queries. The test function is not asynchronous, because a suspended test may have to wait too long for a thread of
  /// the concurrency pool: other tests may occupy all of them.
  @Test(arguments: LongRead.allCases) func aChangeThatWaitsForALongReadStopsNoOtherFleet(_ read: LongRead) throws {
    let table = Conditions()
    try table.add(circle(100), identifier: "home", policy: .exact)
    var other = try FleetEngine(table)
    let truck = try other.device("truck")
    let steps = Steps()
    Thread.detachNewThread {
      do {
        try read.run(table) {
          steps.note("reading")
          // The wait has a time limit: if the other fleet cannot feed, the test fails instead of hanging.
          steps.wait(for: "fed", seconds: 30)
          steps.note("read")
        }
      } catch { steps.note("\(error)") }
      steps.note("end")
    }
    steps.wait(for: "reading")
    Thread.detachNewThread {
      steps.note("changing")
      _ = try? table.add(circle(50), identifier: "new")
      steps.note("changed")
    }
    steps.wait(for: "changing")
    // During this pause, the other thread should begin to wait for the long read. If that thread is slower, the test is
    // less strict, but still correct.
    usleep(20_000)
    try other.feed(fix(1, 10), for: truck)
    #expect(try table.containing(latitude: 0, longitude: 0).map(\.identifier).contains("home"))
    // While the change waits, another fleet can be created, read for a long time, and removed.
    #expect(try FleetEngine(table).snapshot().count > 0)
    #expect(other.devices(insideOf: "home")?.count == 1)
    steps.note("fed")
    steps.wait(for: "end")
    steps.wait(for: "changed")
    let order = steps.all.filter { $0 != "end" }
    #expect(order == ["reading", "changing", "fed", "read", "changed"])
    #expect(table.count == 2)
  }
}
