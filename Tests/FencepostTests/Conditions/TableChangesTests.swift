import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the log from which a tracker reads which conditions were added and removed.
@Suite struct TableChangesTests {
  private func define(_ table: inout ConditionTable, _ identifier: String, radius: Double = 100) {
    ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes in
      table.enter(Definition(subject: .circle(circle(radius)), policy: .standard, tag: 0), identifier: bytes)
    }
  }

  @Test func tellsWhatHappenedSince() throws {
    var table = ConditionTable(limit: 2)
    define(&table, "one")
    let seen = table.changes.version
    define(&table, "two")
    define(&table, "three")
    define(&table, "two", radius: 50)
    table.remove(try #require(table.slot(of: "one")))
    let changes = table.changes.since(seen)
    #expect(
      Array(changes) == [
        .entered(1, replaced: 0), .entered(2, replaced: 0), .entered(1, replaced: 2), .left(0, generation: 1),
        .promoted(2),
      ])
    #expect(!table.isOverLimit(2))
    #expect(table.changes.since(table.changes.version).isEmpty)
    table.dropChanges(through: seen + 3)
    #expect(Array(table.changes.since(seen)) == [.left(0, generation: 1), .promoted(2)], "the others were seen")
  }

  /// A reader that is late sees the same changes as a reader that reads at once, whatever the other readers have seen
  /// and dropped.
  @Test func whoFollowsLateLearnsTheSame() {
    var random = SeededGenerator("TableChangesTests")
    var log = TableChanges()
    var all: [TableChanges.Change] = []
    var slowest = 0
    for slot in 0..<1_000 as Range<UInt32> {
      log.append(.promoted(slot))
      all.append(.promoted(slot))
      let seen = random.integer(slowest...all.count)
      #expect(Array(log.since(UInt64(seen))) == Array(all[seen...]))
      if random.chance(0.1) {
        slowest = random.integer(slowest...all.count)
        log.drop(through: UInt64(slowest))
      }
      log.drop(through: UInt64(random.integer(0...slowest)))
    }
    log.drop(through: log.version)
    #expect(log.since(log.version).isEmpty)
  }

  /// An engine drops changes of its table once its tracker has read them.
  @Test func anEngineForgetsWhatItsTrackerHasSeen() throws {
    var engine = try MonitorEngine(name: "m")
    for index in 0..<200 { try engine.add(circle(100), identifier: "\(index % 50)") }
    #expect(engine.table.changes.version == 200)
    #expect(engine.table.changes.since(0).isEmpty)
  }
}
