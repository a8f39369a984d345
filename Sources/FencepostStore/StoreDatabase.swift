import Fencepost

/// The open file of a store: reads and writes rows, and keeps the sums that show damage.
final class StoreDatabase {
  private let connection: Connection
  private let statements: StoreStatements
  private let path: String
  private let hadLog: Bool
  private var sums = StoreSums()

  /// Opens a file that exists, locks it, and checks everything about it but its rows. A file that is refused is left as
  /// it was.
  init(_ path: String) throws(StoreFailure) {
    self.path = path
    hadLog = StoreFiles.size(path + "-wal") != nil
    connection = try Connection(path)
    do throws(StoreFailure) {
      try connection.run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
      // Locked with the first reading, by SQLite, which knows its other connections in this process.
      try connection.run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL")
      try Schema.verify(connection)
      guard !connection.isReadOnly else { throw .unavailable("it may only be read") }
      statements = try StoreStatements(connection)
    } catch {
      Self.leaveUntouched(connection, path, hadLog)
      throw error
    }
  }

  /// Hands over every row, each checked against its checksum, and in the end all of them against the head. When that
  /// or the receiver fails, the file is left as it was, and this object is of no more use.
  func readAll(_ body: (MonitorRow) throws(StoreFailure) -> Void) throws(StoreFailure) {
    do throws(StoreFailure) {
      var found = StoreSums()
      var told: [UInt8]?
      try statements.forEachRow { row, sum throws(StoreFailure) in
        guard row.checksum == sum else { throw .damaged("the checksum of a row in \(row.table) is wrong") }
        guard row.table == .head else {
          found.add(row.table, key: row.key, sum)
          return try body(row)
        }
        let end = row.bytes.count - StoreSums.size
        guard end >= 0 else { throw .damaged("its head is too short") }
        told = Array(row.bytes[end...])
        try body(
          MonitorRow(
            table: .head, key: row.key, generation: 0, bytes: UnsafeRawBufferPointer(rebasing: row.bytes[..<end])))
      }
      guard let told else { throw .damaged("it holds no monitor") }
      guard told == found.bytes else { throw .damaged("its rows are not those that were written last") }
      sums = found
      try connection.run("PRAGMA journal_mode=WAL")
    } catch {
      Self.leaveUntouched(connection, path, hadLog)
      throw error
    }
  }

  /// Closes the connection without a trace of its having been open.
  private static func leaveUntouched(_ connection: Connection, _ path: String, _ hadLog: Bool) {
    connection.leaveUntouched()
    // SQLite makes an empty log when it opens a file; a log that was there stays.
    if !hadLog, StoreFiles.size(path + "-wal") == 0 { StoreFiles.remove(path + "-wal") }
  }

  func write(_ changes: borrowing MonitorChanges) throws(StoreFailure) {
    do throws(StoreFailure) {
      try connection.run("BEGIN IMMEDIATE")
      let written = try statements.write(changes, sums)
      try connection.run("COMMIT")
      sums = written
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Writes a whole monitor into an empty file.
  static func fill(_ path: String, _ changes: borrowing MonitorChanges) throws(StoreFailure) {
    let connection = try Connection(path)
    // Nobody else knows the file, and without its end it is thrown away: it needs no journal of its own.
    try connection.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE; BEGIN")
    try Schema.create(in: connection)
    _ = try StoreStatements(connection).write(changes, StoreSums())
    try connection.run("COMMIT")
  }
}
