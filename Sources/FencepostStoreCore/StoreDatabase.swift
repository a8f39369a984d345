import FencepostCore

/// The open file of a store: reads and writes rows, and maintains the sums that reveal damage.
///
/// Until the first write, nothing in the file is changed, and closing leaves the file and its log as they were found.
final class StoreDatabase {
  private let connection: Connection
  private let statements: StoreStatements
  private let path: String
  private let hadLog: Bool
  private var isWritten = false
  /// The states of the file and the log as this object left them; `nil` before everything has been read or anything has
  /// been written.
  private var noted: (file: FileState?, log: FileState?)?
  private(set) var sums: StoreSums
  /// Whether a commit waits until the data is on the disk.
  private var isSynchronous = true
  /// The length of the log; `nil` before the first write.
  private var logLength: LogLength?

  /// Opens a locked file, and checks everything about it except its rows.
  ///
  /// - Parameters:
  ///   - number: The expected number in the first page of the file; `nil` to skip the comparison.
  ///   - isForReading: Whether to open the file only for reading; see ``isForReading``.
  static func open(
    _ kind: StoreKind, _ path: String, number: UInt64?, isForReading: Bool = false
  ) throws(StoreFailure) -> StoreDatabase {
    try open(path, isForReading) { connection throws(StoreFailure) in
      let sums = StoreSums(number: try Schema.verify(kind, connection))
      if let number, number != sums.number { throw .foreignLog(path) }
      return sums
    }
  }

  /// Opens a locked file that this process has just written or read completely.
  static func open(_ path: String, verified sums: StoreSums) throws(StoreFailure) -> StoreDatabase {
    try open(path, false) { _ in sums }
  }

  private static func open(
    _ path: String, _ isForReading: Bool, _ verify: (Connection) throws(StoreFailure) -> StoreSums
  ) throws(StoreFailure) -> StoreDatabase {
    try requireOwnLog(path)
    let hadLog = StoreFiles.size(StoreFiles.log(of: path)) != nil
    let connection = try Connection.open(path, isForReading: isForReading)
    connection.leaveUntouched(true)
    do throws(StoreFailure) {
      try connection.begin()
      let sums = try verify(connection)
      guard isForReading || !connection.isReadOnly else { throw .unavailable("the file is read-only") }
      return StoreDatabase(connection, try StoreStatements.prepare(connection), path, hadLog, sums)
    } catch {
      if !hadLog { StoreFiles.removeEmptyLog(of: path) }
      throw error
    }
  }

  private init(
    _ connection: Connection, _ statements: StoreStatements, _ path: String, _ hadLog: Bool, _ sums: StoreSums
  ) {
    (self.connection, self.statements, self.path) = (connection, statements, path)
    (self.hadLog, self.sums) = (hadLog, sums)
  }

  deinit {
    // SQLite creates an empty log when it opens a file; an existing log stays. A store that is only read has no log; if
    // a log exists now, the log belongs to another process.
    if !isWritten, !hadLog, !isForReading { StoreFiles.removeEmptyLog(of: path) }
  }

  /// Throws if a file next to the store cannot be the store's log; this is checked before SQLite reads that file as
  /// part of the store.
  private static func requireOwnLog(_ path: String) throws(StoreFailure) {
    // A store is always written with a write-ahead log. A rollback journal beside the store does not belong to the
    // store, but SQLite would apply this journal to the store.
    let journal = StoreFiles.journal(of: path)
    if (StoreFiles.size(journal) ?? 0) > 0 { throw .damaged("\(journal) does not belong to this store: remove it") }
    // SQLite file format, section 4.1: the page size is at byte 8 of a log, most significant byte first.
    let beginning = StoreFiles.beginning(of: StoreFiles.log(of: path), 12)
    guard beginning.count == 12 else { return }
    let pageSize = beginning[8...].reduce(0) { $0 << 8 | Int($1) }
    // SQLite ignores a log that was torn at its beginning, so such a log may belong to this store.
    if pageSize != Schema.pageSize, pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 {
      throw .foreignLog(path)
    }
  }

  /// Passes every row to the receiver, and at the end checks all rows against the head. If the check or the receiver
  /// fails, this object can no longer be used.
  func readAll(_ body: (MonitorRow) throws(StoreFailure) -> Void) throws(StoreFailure) {
    var found = StoreSums(number: sums.number)
    var head: [UInt8] = []
    try statements.forEachRow { row throws(StoreFailure) in
      guard row.table == .head else {
        found.add(row)
        return try body(row)
      }
      let end = row.bytes.count - StoreSums.size
      guard end >= 0 else { throw .shortHead }
      head = Array(row.bytes)
      try body(
        MonitorRow(
          table: .head, key: row.key, generation: 0, bytes: UnsafeRawBufferPointer(rebasing: row.bytes[..<end])))
    }
    guard head.count >= StoreSums.size else { throw .noMonitor }
    let told = Array(head.suffix(StoreSums.size))
    guard told.prefix(8).elementsEqual(found.numberBytes) else { throw .foreignLog(path) }
    guard told == head.withUnsafeBytes({ found.end(of: UnsafeRawBufferPointer(rebasing: $0.dropLast(StoreSums.size))) })
    else { throw .otherRows }
    sums = found
    note()
  }

  /// The number of device rows in a fleet's store.
  func countDevices() throws(StoreFailure) -> UInt64 { try statements.countDevices() }

  /// Whether the file was opened only for reading; if so, writing requires a new object.
  var isForReading: Bool { connection.isImmutable }

  /// The log at the time of the last read or write.
  var log: FileIdentity? { noted?.log?.identity }

  /// Whether the log that is being written is still the log next to the file.
  var hasItsLog: Bool { !isWritten || log == FileIdentity(path: StoreFiles.log(of: path)) }

  /// Whether another program seems to have written into the file or its log, or to have put a log there.
  var isTouched: Bool {
    guard let noted else { return false }
    if noted.file != FileState(path: path) { return true }
    let found = FileState(path: StoreFiles.log(of: path))
    guard let log = noted.log else { return (found?.size ?? 0) > 0 }
    // A log stays readable after its name was removed, and a new file with that name does not affect the log.
    return found?.identity == log.identity ? found != log : !isWritten
  }

  private func note() {
    noted = (FileState(path: path), FileState(path: StoreFiles.log(of: path)))
  }

  /// Makes sure that the files on the disk are left unchanged when this object is destroyed.
  func leave() {
    connection.leaveUntouched(true)
  }

  func write(_ changes: some StoredChanges) throws(StoreFailure) {
    defer { note() }
    do throws(StoreFailure) {
      if !isWritten {
        try connection.run("PRAGMA journal_mode=WAL")
      }
      try boundLog()
      if changes.mustSync != isSynchronous {
        // A commit that does not wait for the disk survives a crash of the process, but it survives a crash of
        // the machine only after the next commit that waits.
        try connection.run(changes.mustSync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
        isSynchronous = changes.mustSync
      }
      try connection.run("BEGIN IMMEDIATE")
      if changes.isWhole { try connection.run("DELETE FROM rows") }
      let written = try statements.write(changes, changes.isWhole ? StoreSums(number: sums.number) : sums)
      try connection.run("COMMIT")
      sums = written
    } catch {
      connection.rollBack()
      throw error
    }
    if !isWritten {
      isWritten = true
      connection.leaveUntouched(false)
    }
    if let logLength, (StoreFiles.size(StoreFiles.log(of: path)) ?? 0) > logLength.most { foldIn() }
  }

  /// Lets the log grow as long as disk space allows this; if other programs fill the disk, the log becomes short again.
  private func boundLog() throws(StoreFailure) {
    let length: LogLength = StoreFiles.hasRoom(for: LogLength.roomForLong, beside: path) ? .long : .short
    guard length != logLength else { return }
    try connection.run(length.pragmas)
    logLength = length
  }

  /// Checkpoints the log into the file and truncates the log. If the disk does not allow the checkpoint, the log keeps
  /// its length.
  private func foldIn() {
    try? connection.foldLog()
  }

  /// Checkpoints the log into the file, so that closing does not touch the file. Call this method before another file
  /// gets this file's name.
  func foldAway() throws(StoreFailure) {
    do throws(StoreFailure) {
      try connection.foldLog()
    } catch {
      throw error.whileWriting
    }
    isWritten = true
    connection.leaveUntouched(false)
  }

  /// Prepares for closing: merges the accepted contents into one file.
  ///
  /// - Parameter isInPlace: Whether the file still has its name. If the file has lost its name, closing removes no log,
  ///   because the log may belong to another file.
  func end(isInPlace: Bool) {
    if isInPlace {
      // The log comes from a process that ended before its first write.
      if isForReading { StoreFiles.removeEmptyLog(of: path) }
      isWritten = true
      connection.leaveUntouched(false)
    } else if isWritten {
      foldIn()
      connection.leaveUntouched(true)
    }
  }
}
