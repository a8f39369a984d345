@testable import Fencepost
@testable import FencepostCore

/// A storage for a fleet in memory, which finds and orders rows by the same keys as a store.
final class MemoryFleetStorage: FleetStorage, @unchecked Sendable {
  struct Key: Hashable {
    let table: MonitorRow.Table
    let key: UInt64
    var generation: UInt64 = 0

    init(_ table: MonitorRow.Table, _ key: UInt64, generation: UInt64 = 0) {
      self.table = table
      self.key = key
      if table == .events || table == .conditions { self.generation = generation }
    }

    init(_ row: MonitorRow) { self.init(row.table, row.key, generation: row.generation) }
  }

  var rows: [Key: [UInt8]] = [:]
  var writes = 0
  /// The number of writes, including failed ones.
  var attempts = 0
  var isClosed = false
  /// The number of writes that will fail, starting with the next write.
  var failing = 0
  /// True if the stored rows differ from the rows that were written.
  var isSpoilt = false
  var isFull = false
  /// The family of the fleet whose rows are stored, and the family that the next write of all rows joins; `nil` if this
  /// storage has no families.
  var families: (stored: UInt32?, next: UInt32?)?
  /// Called before each write, and before the table is locked.
  var willWrite: (() -> Void)?
  /// Called during each write, while the table is locked.
  var isWriting: (() -> Void)?
  /// Called after each successful write.
  var didWrite: (() -> Void)?

  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) {
    let sorted = rows.sorted {
      ($0.key.table.place, $0.key.generation, $0.key.key) < ($1.key.table.place, $1.key.generation, $1.key.key)
    }
    for (key, bytes) in sorted {
      try bytes.withRawBytes { bytes throws(MonitorError) in
        try receive(MonitorRow(table: key.table, key: key.key, generation: key.generation, bytes: bytes))
      }
    }
  }

  func countDevices() -> UInt64? { UInt64(rows.keys.count { $0.table == .fleetDevices }) }

  func write(_ changes: borrowing FleetChanges) throws(MonitorError) {
    attempts += 1
    isWriting?()
    if failing > 0 {
      failing -= 1
      throw .storeUnavailable("the test says so")
    }
    writes += 1
    isSpoilt = false
    if changes.isWhole {
      rows = [:]
      if let families { self.families?.stored = families.next }
    }
    for generation in changes.removedConditions { rows = rows.filter { $0.key.generation != generation } }
    for (key, generation) in zip(changes.removedEvents, changes.generationsOfRemovedEvents) {
      rows[Key(.events, key, generation: generation)] = nil
    }
    for device in changes.removedDevices { rows[Key(.fleetDevices, device)] = nil }
    changes.forEachRow { row in rows[Key(row)] = Array(row.bytes) }
    didWrite?()
  }

  func mustWriteAll() -> Bool {
    willWrite?()
    return isSpoilt
  }

  /// A copy of the rows that a crash at this moment would leave.
  func image() -> MemoryFleetStorage {
    let image = MemoryFleetStorage()
    image.rows = rows
    if let families { image.families = (families.stored, nil) }
    return image
  }

  var family: UInt32? { families?.stored }

  func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)? {
    guard let stored = families?.stored else {
      guard families != nil else { return nil }
      let joined = family ?? UInt32.random(in: 1...UInt32.max)
      families!.next = joined
      return (joined, false)
    }
    families!.next = family ?? stored
    return (family ?? stored, family ?? stored != stored)
  }

  func refused(_ error: MonitorError) -> MonitorError { error }
  func check() throws(MonitorError) {}
  var isGone: Bool { false }
  func close() { isClosed = true }
}
