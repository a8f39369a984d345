import CSQLite

/// A connection to one database file, which must be locked by ``StoreFile``: SQLite takes no locks of its own.
final class Connection {
  /// The name of the SQLite file system interface (VFS) that accesses files without locks. SQLite's own locks belong to
  /// the process, and would be lost when other code in the process opens and closes the file.
  private static let fileSystem = "unix-none"

  let pointer: OpaquePointer

  /// Whether the connection cannot write anything, not even a log.
  let isImmutable: Bool

  /// - Parameter isForReading: Whether to open only for reading. If a file is opened for reading and has no log, SQLite
  ///   creates none, because the disk may have no room for a log, or the process may lack the permission to create one
  ///   in the directory.
  static func open(_ path: String, isForReading: Bool = false) throws(StoreFailure) -> Connection {
    var pointer: OpaquePointer?
    let isImmutable = isForReading && (StoreFiles.size(StoreFiles.log(of: path)) ?? 0) == 0
    let name = isImmutable ? immutable(path) : path
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isImmutable ? SQLITE_OPEN_URI : 0)
    let code = sqlite3_open_v2(name, &pointer, flags, fileSystem)
    guard code == SQLITE_OK, let pointer else {
      let failure = StoreFailure(code, pointer)
      sqlite3_close_v2(pointer)
      throw failure
    }
    return Connection(pointer, isImmutable)
  }

  private init(_ pointer: OpaquePointer, _ isImmutable: Bool) {
    self.pointer = pointer
    self.isImmutable = isImmutable
  }

  deinit {
    sqlite3_close_v2(pointer)
  }

  /// Converts a path to a URI which tells SQLite that the file does not change while it is open.
  private static func immutable(_ path: String) -> String {
    let plain = Set("/._-~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var uri = "file:"
    for byte in path.utf8 {
      if plain.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += byte < 16 ? "%0" : "%"
        uri += String(byte, radix: 16)
      }
    }
    return uri + "?immutable=1"
  }

  /// The longest path of a database for which the paths of the log and journal are still short enough for SQLite.
  static var longestPath: Int { Int(sqlite3_vfs_find(fileSystem)?.pointee.mxPathname ?? 512) - 8 }

  /// Configures how the file is read and written; must be called before anything else.
  func begin() throws(StoreFailure) {
    try run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
    // Without locks, SQLite keeps the index of its log in memory only if it knows that it is the only user.
    try run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL")
  }

  /// Checkpoints the log into the file and truncates the log.
  func foldLog() throws(StoreFailure) { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Runs statements that return no rows, or whose rows do not matter.
  func run(_ sql: StaticString) throws(StoreFailure) {
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    let code = sqlite3_exec(pointer, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreFailure(code, pointer) }
  }

  /// Runs a statement whose text was composed at run time.
  func run(text: String) throws(StoreFailure) {
    let code = sqlite3_exec(pointer, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreFailure(code, pointer) }
  }

  /// Rolls back a failed transaction, unless SQLite has already done so.
  func rollBack() {
    if sqlite3_get_autocommit(pointer) == 0 { sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil) }
  }

  var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

  /// Whether closing leaves the file and its log unchanged; otherwise closing checkpoints the log into the file and
  /// removes the log.
  func leaveUntouched(_ isLeft: Bool) {
    _ = csqlite_set_no_checkpoint_on_close(pointer, isLeft ? 1 : 0)
  }
}
