import CSQLite
import FencepostCore

/// Reads and writes rows with prepared statements.
final class StoreStatements {
  private let all: Statement
  private let devices: Statement
  private let one: Statement
  private let put: Statement
  private let delete: Statement
  private let eventsOf: Statement
  private let deleteEventsOf: Statement

  static func prepare(_ connection: Connection) throws(StoreFailure) -> StoreStatements {
    let all = try Statement.prepare(connection, "SELECT kind, a, b, data FROM rows")
    let devices = try Statement.prepare(connection, "SELECT count(*) FROM rows WHERE kind=5")
    let one = try Statement.prepare(connection, "SELECT data FROM rows WHERE kind=?1 AND a=?2 AND b=?3")
    let put = try Statement.prepare(connection, "INSERT OR REPLACE INTO rows(kind, a, b, data) VALUES(?1, ?2, ?3, ?4)")
    let delete = try Statement.prepare(connection, "DELETE FROM rows WHERE kind=?1 AND a=?2 AND b=?3")
    let eventsOf = try Statement.prepare(connection, "SELECT b, data FROM rows WHERE kind=2 AND a=?1")
    let deleteEventsOf = try Statement.prepare(connection, "DELETE FROM rows WHERE kind=2 AND a=?1")
    return StoreStatements(all, devices, one, put, delete, eventsOf, deleteEventsOf)
  }

  private init(
    _ all: Statement, _ devices: Statement, _ one: Statement, _ put: Statement, _ delete: Statement,
    _ eventsOf: Statement, _ deleteEventsOf: Statement
  ) {
    (self.all, self.devices, self.one, self.put) = (all, devices, one, put)
    (self.delete, self.eventsOf, self.deleteEventsOf) = (delete, eventsOf, deleteEventsOf)
  }

  /// The key of a row, in the form used in the file.
  private struct Key: Comparable {
    let kind: UInt64
    let a: UInt64
    let b: UInt64

    init(kind: UInt64, a: UInt64, b: UInt64) {
      self.kind = kind
      self.a = a
      self.b = b
    }

    init(_ row: MonitorRow) {
      kind = UInt64(row.table.place)
      switch row.table {
      case .head, .devices, .conditions: (a, b) = (row.key, 0)
      case .states: (a, b) = (row.device, row.key)
      case .fleetDevices: (a, b) = (row.key, 0)
      case .events: (a, b) = (row.generation, row.key)
      }
    }

    func row(_ bytes: UnsafeRawBufferPointer) -> MonitorRow? {
      switch kind {
      case 0 where a == 0 && b == 0: MonitorRow(table: .head, key: 0, generation: 0, bytes: bytes)
      case 1 where b == 0: MonitorRow(table: .devices, key: a, generation: 0, bytes: bytes)
      case 2: MonitorRow(table: .events, key: b, generation: a, bytes: bytes)
      case 3 where b == 0: MonitorRow(table: .conditions, key: a, generation: a, bytes: bytes)
      case 4: MonitorRow(table: .states, key: b, generation: b, device: a, bytes: bytes)
      case 5 where b == 0: MonitorRow(table: .fleetDevices, key: a, generation: 0, bytes: bytes)
      default: nil
      }
    }

    static func < (one: Key, other: Key) -> Bool { (one.kind, one.a, one.b) < (other.kind, other.a, other.b) }
  }

  // MARK: - Reading

  /// Passes every row to the receiver, the head first. Walks the tree from one end to the other and checks that the
  /// keys ascend, because only then does a search find each key.
  func forEachRow(_ body: (MonitorRow) throws(StoreFailure) -> Void) throws(StoreFailure) {
    defer { all.reset() }
    var last: Key?
    while try all.step() {
      guard all.holds(0, SQLITE_INTEGER), all.holds(1, SQLITE_INTEGER), all.holds(2, SQLITE_INTEGER),
        all.holds(3, SQLITE_BLOB)
      else { throw .damaged("a row does not consist of three numbers and bytes") }
      let key = Key(kind: all.integer(0), a: all.integer(1), b: all.integer(2))
      if let last, key <= last { throw .damaged("the rows are out of order") }
      last = key
      guard let row = key.row(all.bytes(3)) else { throw .damaged("a row has the unknown kind \(key.kind)") }
      try body(row)
    }
  }

  /// The number of device rows in a fleet's store.
  func countDevices() throws(StoreFailure) -> UInt64 {
    defer { devices.reset() }
    return try devices.step() ? devices.integer(0) : 0
  }

  // MARK: - Writing

  /// Writes changes within a transaction and returns the new checksums.
  func write(_ changes: some StoredChanges, _ before: StoreSums) throws(StoreFailure) -> StoreSums {
    var sums = before
    if !changes.isWhole { try takeAway(changes, &sums) }
    try changes.forEachRow { row throws(StoreFailure) in
      if !changes.isWhole, row.table != .head { try forget(Key(row), &sums) }
      try write(row, &sums)
    }
    return sums
  }

  /// Writes the next rows of an image and returns the new checksums. The rows of an image have different keys, so no
  /// earlier row is subtracted.
  func write(_ image: inout MonitorImage, limit: Int, _ before: StoreSums) throws(StoreFailure) -> StoreSums {
    var sums = before
    try image.forEachNextRow(limit: limit) { row throws(StoreFailure) in try write(row, &sums) }
    return sums
  }

  /// Inserts a new row. If the row is the head row, appends the checksums of all other rows to it.
  private func write(_ row: MonitorRow, _ sums: inout StoreSums) throws(StoreFailure) {
    guard row.table == .head else {
      try write(Key(row), row.bytes)
      return sums.add(row)
    }
    let bytes = Array(row.bytes) + sums.end(of: row.bytes)
    try bytes.withUnsafeBufferPointer { buffer throws(StoreFailure) in
      try write(Key(row), UnsafeRawBufferPointer(buffer))
    }
  }

  private func takeAway(_ changes: some StoredChanges, _ sums: inout StoreSums) throws(StoreFailure) {
    for generation in changes.removedConditions {
      guard try takeAway(Key(kind: 3, a: generation, b: 0), &sums) else { continue }
      _ = try takeAway(Key(kind: 4, a: 0, b: generation), &sums)
      try takeAwayEvents(of: generation, &sums)
    }
    for generation in changes.removedStates { _ = try takeAway(Key(kind: 4, a: 0, b: generation), &sums) }
    for (change, generation) in zip(changes.removedEvents, changes.generationsOfRemovedEvents) {
      _ = try takeAway(Key(kind: 2, a: generation, b: change), &sums)
    }
    for device in changes.removedDevices { _ = try takeAway(Key(kind: 5, a: device, b: 0), &sums) }
  }

  /// - Returns: Whether a row with this key existed.
  private func takeAway(_ key: Key, _ sums: inout StoreSums) throws(StoreFailure) -> Bool {
    guard try forget(key, &sums) else { return false }
    bind(delete, key)
    try delete.run()
    return true
  }

  private func takeAwayEvents(of generation: UInt64, _ sums: inout StoreSums) throws(StoreFailure) {
    eventsOf.bind(1, generation)
    defer { eventsOf.reset() }
    var isAny = false
    while try eventsOf.step() {
      isAny = true
      sums.remove(
        MonitorRow(table: .events, key: eventsOf.integer(0), generation: generation, bytes: eventsOf.bytes(1)))
    }
    guard isAny else { return }
    deleteEventsOf.bind(1, generation)
    try deleteEventsOf.run()
  }

  /// Subtracts an existing row from the checksums.
  @discardableResult
  private func forget(_ key: Key, _ sums: inout StoreSums) throws(StoreFailure) -> Bool {
    bind(one, key)
    defer { one.reset() }
    guard try one.step(), let row = key.row(one.bytes(0)) else { return false }
    sums.remove(row)
    return true
  }

  private func write(_ key: Key, _ bytes: UnsafeRawBufferPointer) throws(StoreFailure) {
    bind(put, key)
    put.bind(4, bytes)
    try put.run()
  }

  private func bind(_ statement: Statement, _ key: Key) {
    statement.bind(1, key.kind)
    statement.bind(2, key.a)
    statement.bind(3, key.b)
  }
}
