@testable import Fencepost
@testable import FencepostCore

/// A storage in memory: a table of bytes, written like the table of a store.
final class MemoryStorage: MonitorStorage, @unchecked Sendable {
  struct Key: Hashable {
    let table: MonitorRow.Table
    let device: UInt64
    let key: UInt64

    init(_ table: MonitorRow.Table, _ key: UInt64, device: UInt64 = 0) {
      self.table = table
      self.device = device
      self.key = key
    }
  }
  struct Row: Equatable {
    let generation: UInt64
    let bytes: [UInt8]
  }

  var rows: [Key: Row] = [:]
  var writes = 0
  var isClosed = false
  /// The number of writes that will fail, starting with the next write.
  var failing = 0
  /// True if the storage accepts images.
  var takesImages = false
  private(set) var images = 0
  private var draft: [Key: Row] = [:]

  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) {
    for (key, row) in rows {
      try row.bytes.withRawBytes { bytes throws(MonitorError) in
        try receive(
          MonitorRow(table: key.table, key: key.key, generation: row.generation, device: key.device, bytes: bytes))
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
    for key in changes.removedStates { rows[Key(.states, key)] = nil }
    for key in changes.removedEvents { rows[Key(.events, key)] = nil }
    changes.forEachRow { row in
      rows[Key(row.table, row.key, device: row.device)] = Row(generation: row.generation, bytes: Array(row.bytes))
    }
  }

  func canReplace(rows: Int) -> Bool { takesImages }

  func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool {
    if failing > 0 {
      failing -= 1
      throw .storeUnavailable("the test says so")
    }
    if !image.isBegun { draft = [:] }
    var count = 0
    image.forEachNextRow(limit: limit) { row in
      let old = draft.updateValue(
        Row(generation: row.generation, bytes: Array(row.bytes)), forKey: Key(row.table, row.key, device: row.device))
      precondition(old == nil, "an image has no row twice")
      count += 1
    }
    precondition(count <= limit && draft.count <= image.mostRows, "an image keeps its limits")
    guard image.isOver else { return false }
    rows = draft
    images += 1
    return true
  }

  func close() {
    isClosed = true
  }

  /// Restores the monitor from the stored rows, and returns its snapshot.
  var state: [UInt8] {
    get throws {
      var sorted = SortedRows()
      try read { row throws(MonitorError) in sorted.append(row) }
      var restorer = EngineRestorer(name: "m")
      try sorted.forEach { row throws(Damage) in try restorer.receive(row) }
      return try restorer.restored().engine.snapshot()
    }
  }
}
