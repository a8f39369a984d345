import Fencepost

/// The open file of a store: reads and writes rows, and keeps the sums that show damage.
///
/// Until the first write nothing about the file is changed, and closing leaves it and its log as they were found.
final class StoreDatabase {
  /// The log is folded into the file when it holds so many pages, and keeps their room on the disk: a disk that is filled
  /// by others still takes the next changes.
  private static let logPages: StaticString = "PRAGMA wal_autocheckpoint=64; PRAGMA journal_size_limit=262144"
  /// A log that a large write has made longer than this is cut off at once.
  private static let longLog = 1 << 20

  private let connection: Connection
  private let statements: StoreStatements
  private let path: String
  private let hadLog: Bool
  private var isWritten = false
  /// The log that is written to; `nil` before the first write.
  private var log: FileIdentity?
  private var sums = StoreSums()

  /// Opens a file that is locked, and checks everything about it but its rows.
  init(_ path: String) throws(StoreFailure) {
    self.path = path
    hadLog = StoreFiles.size(StoreFiles.log(of: path)) != nil
    connection = try Connection(path)
    connection.leaveUntouched(true)
    do throws(StoreFailure) {
      try connection.run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
      // Without locks SQLite keeps the index of its log in memory only when it knows that it is alone.
      try connection.run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL")
      try Schema.verify(connection)
      guard !connection.isReadOnly else { throw .unavailable("it may only be read") }
      statements = try StoreStatements(connection)
    } catch {
      if !hadLog { Self.removeEmptyLog(of: path) }
      throw error
    }
  }

  deinit {
    if !isWritten, !hadLog { Self.removeEmptyLog(of: path) }
  }

  /// Hands over every row, each checked against its checksum, and in the end all of them against the head. When that
  /// or the receiver fails, this object is of no more use.
  func readAll(_ body: (MonitorRow) throws(StoreFailure) -> Void) throws(StoreFailure) {
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
  }

  /// SQLite makes an empty log when it opens a file; a log that was there stays.
  private static func removeEmptyLog(of path: String) {
    let log = StoreFiles.log(of: path)
    if StoreFiles.size(log) == 0 { StoreFiles.remove(log) }
  }

  /// Whether the log that is written to is still the one beside the file.
  var hasItsLog: Bool { log == nil || log == FileIdentity(path: StoreFiles.log(of: path)) }

  func write(_ changes: borrowing MonitorChanges) throws(StoreFailure) {
    do throws(StoreFailure) {
      if !isWritten {
        try connection.run("PRAGMA journal_mode=WAL")
        try connection.run(Self.logPages)
      }
      try connection.run("BEGIN IMMEDIATE")
      let written = try statements.write(changes, sums)
      try connection.run("COMMIT")
      sums = written
    } catch {
      connection.rollBack()
      throw error
    }
    let path = StoreFiles.log(of: path)
    if !isWritten {
      isWritten = true
      connection.leaveUntouched(false)
      log = FileIdentity(path: path)
    }
    if (StoreFiles.size(path) ?? 0) > Self.longLog { foldIn() }
  }

  /// Folds the log into the file and cuts it off. A disk that does not let it leaves the log as long as it is.
  private func foldIn() {
    try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Prepares the end of the use: what was read and accepted becomes one file.
  ///
  /// - Parameter isInPlace: Whether the file still has its name. If not, closing removes no log, which may be another's.
  func end(isInPlace: Bool) {
    if isInPlace {
      isWritten = true
      connection.leaveUntouched(false)
    } else if isWritten {
      foldIn()
      connection.leaveUntouched(true)
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
