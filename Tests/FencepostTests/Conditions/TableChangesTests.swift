import Testing

@testable import Fencepost

/// The log from which a tracker learns what came and went.
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
    let changes = try #require(table.changes.since(seen))
    #expect(
      Array(changes) == [
        .entered(1, replaced: 0), .entered(2, replaced: 0), .entered(1, replaced: 2), .left(0, generation: 1),
        .promoted(2),
      ])
    #expect(!table.isOverLimit(2))
    #expect(table.changes.since(table.changes.version)?.isEmpty == true)
  }

  /// Who follows late learns the same as who follows at once, or that it has to look at everything.
  @Test func whoIsTooFarBehindIsTold() throws {
    var random = SeededGenerator("TableChangesTests")
    var log = TableChanges()
    var all: [TableChanges.Change] = []
    for slot in 0..<1_000 as Range<UInt32> {
      log.append(.promoted(slot))
      all.append(.promoted(slot))
      let behind = random.integer(0...all.count)
      let latest = log.since(log.version - UInt64(behind))
      if let latest { #expect(Array(latest) == Array(all.suffix(behind))) }
      #expect(latest != nil || behind > TableChanges.kept)
    }
    #expect(log.since(0) == nil)
  }
}
