import CSQLite
import Fencepost

/// Reading and writing rows, as prepared statements.
final class StoreStatements {
  private let allHeads: Statement
  private let allConditions: Statement
  private let allEvents: Statement
  private let putHead: Statement
  private let putCondition: Statement
  private let putEvent: Statement
  private let sumOfCondition: Statement
  private let sumOfEvent: Statement
  private let sumsOfEvents: Statement
  private let deleteCondition: Statement
  private let deleteEvent: Statement
  private let deleteEvents: Statement

  init(_ connection: Connection) throws(StoreFailure) {
    allHeads = try Statement(connection, "SELECT id, data, sum FROM head")
    allConditions = try Statement(connection, "SELECT generation, data, sum FROM conditions ORDER BY generation")
    allEvents = try Statement(connection, "SELECT change, data, sum, generation FROM events ORDER BY change")
    putHead = try Statement(connection, "INSERT OR REPLACE INTO head(id, data, sum) VALUES(?1, ?2, ?3)")
    putCondition = try Statement(
      connection, "INSERT OR REPLACE INTO conditions(generation, data, sum) VALUES(?1, ?2, ?3)")
    putEvent = try Statement(
      connection, "INSERT OR REPLACE INTO events(change, data, sum, generation) VALUES(?1, ?2, ?3, ?4)")
    sumOfCondition = try Statement(connection, "SELECT sum FROM conditions WHERE generation=?1")
    sumOfEvent = try Statement(connection, "SELECT sum FROM events WHERE change=?1")
    sumsOfEvents = try Statement(connection, "SELECT sum FROM events WHERE generation=?1")
    deleteCondition = try Statement(connection, "DELETE FROM conditions WHERE generation=?1")
    deleteEvent = try Statement(connection, "DELETE FROM events WHERE change=?1")
    deleteEvents = try Statement(connection, "DELETE FROM events WHERE generation=?1")
  }

  // MARK: - Reading

  /// Hands over every row, the head first, with the checksum that it carries.
  func forEachRow(_ body: (MonitorRow, _ sum: UInt64) throws(StoreFailure) -> Void) throws(StoreFailure) {
    for (table, statement) in [(MonitorRow.Table.head, allHeads), (.conditions, allConditions), (.events, allEvents)] {
      defer { statement.reset() }
      while try statement.step() {
        guard statement.holds(1, SQLITE_BLOB), statement.holds(2, SQLITE_INTEGER) else {
          throw .damaged("a row in \(table) is not made of bytes and a checksum")
        }
        let key = statement.integer(0)
        let generation = table == .head ? 0 : table == .conditions ? key : statement.integer(3)
        try body(
          MonitorRow(table: table, key: key, generation: generation, bytes: statement.bytes(1)), statement.integer(2))
      }
    }
  }

  // MARK: - Writing

  /// Writes within a transaction and returns the new sums.
  func write(_ changes: borrowing MonitorChanges, _ before: StoreSums) throws(StoreFailure) -> StoreSums {
    var sums = before
    for generation in changes.removedConditions where generation <= before.lastGeneration {
      try takeAway(generation, from: .conditions, sumOfCondition, deleteCondition, &sums)
      try takeAway(generation, from: .events, sumsOfEvents, deleteEvents, &sums)
    }
    for change in changes.removedEvents { try takeAway(change, from: .events, sumOfEvent, deleteEvent, &sums) }
    try changes.forEachRow { row throws(StoreFailure) in
      switch row.table {
      case .head: try putHead(row, sums)
      case .conditions:
        if row.key <= before.lastGeneration { try forget(row.key, in: .conditions, sumOfCondition, &sums) }
        try put(row, putCondition, &sums)
      case .events:
        try forget(row.key, in: .events, sumOfEvent, &sums)
        try put(row, putEvent, &sums)
      }
    }
    return sums
  }

  private func takeAway(
    _ key: UInt64, from table: MonitorRow.Table, _ sumsOf: Statement, _ delete: Statement, _ sums: inout StoreSums
  ) throws(StoreFailure) {
    try forget(key, in: table, sumsOf, &sums)
    delete.bind(1, key)
    try delete.run()
  }

  /// Subtracts the rows that a statement finds.
  private func forget(
    _ key: UInt64, in table: MonitorRow.Table, _ sumsOf: Statement, _ sums: inout StoreSums
  ) throws(StoreFailure) {
    sumsOf.bind(1, key)
    defer { sumsOf.reset() }
    while try sumsOf.step() { sums.remove(table, sumsOf.integer(0)) }
  }

  private func put(_ row: MonitorRow, _ statement: Statement, _ sums: inout StoreSums) throws(StoreFailure) {
    let sum = row.checksum
    statement.bind(1, row.key)
    statement.bind(2, row.bytes)
    statement.bind(3, sum)
    if row.table == .events { statement.bind(4, row.generation) }
    try statement.run()
    sums.add(row.table, key: row.key, sum)
  }

  private func putHead(_ row: MonitorRow, _ sums: StoreSums) throws(StoreFailure) {
    let bytes = Array(row.bytes) + sums.bytes
    try bytes.withUnsafeBufferPointer { buffer throws(StoreFailure) in
      let raw = UnsafeRawBufferPointer(buffer)
      putHead.bind(1, row.key)
      putHead.bind(2, raw)
      putHead.bind(3, MonitorRow(table: .head, key: row.key, generation: 0, bytes: raw).checksum)
      try putHead.run()
    }
  }
}
