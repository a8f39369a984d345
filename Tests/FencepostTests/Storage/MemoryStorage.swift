@testable import Fencepost

/// A storage in memory: a table of bytes, written as a store writes it.
final class MemoryStorage: MonitorStorage, @unchecked Sendable {
  struct Key: Hashable {
    let table: MonitorRow.Table
    let key: UInt64
  }
  struct Row: Equatable {
    let generation: UInt64
    let bytes: [UInt8]
  }

  var rows: [Key: Row] = [:]
  var writes = 0
  var isClosed = false
  /// How many of the next writes fail.
  var failing = 0

  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) {
    for (key, row) in rows {
      try row.bytes.withRawBytes { bytes throws(MonitorError) in
        try receive(MonitorRow(table: key.table, key: key.key, generation: row.generation, bytes: bytes))
      }
    }
  }

  func write(_ changes: borrowing MonitorChanges) throws(MonitorError) {
    if failing > 0 {
      failing -= 1
      throw .storeUnavailable("the test says so")
    }
    writes += 1
    for generation in changes.removedConditions { rows = rows.filter { $0.value.generation != generation } }
    for key in changes.removedEvents { rows[Key(table: .events, key: key)] = nil }
    changes.forEachRow { row in
      rows[Key(table: row.table, key: row.key)] = Row(generation: row.generation, bytes: Array(row.bytes))
    }
  }

  func close() {
    isClosed = true
  }

  /// What a storage must hold that has seen everything.
  static func rows(of engine: MonitorEngine) -> [Key: Row] {
    var rows: [Key: Row] = [:]
    engine.forEachRow { row in
      rows[Key(table: row.table, key: row.key)] = Row(generation: row.generation, bytes: Array(row.bytes))
    }
    return rows
  }
}
