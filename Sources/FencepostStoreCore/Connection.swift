import CSQLite

/// A connection to one database file, which must be locked by ``StoreFile``: SQLite takes no locks of its own.
final class Connection {
  /// SQLite's way to files without locks. SQLite's own would belong to the process, and end with any other opening and
  /// closing of the file in it.
  private static let fileSystem = "unix-none"

  let pointer: OpaquePointer

  /// Whether nothing can be written through it, not even a log.
  let isImmutable: Bool

  /// - Parameter isForReading: Whether it is to be read and not written: where there is no log SQLite makes none then,
  ///   for which the disk may have no room, or the directory no permission.
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

  /// A path as the URI of a file that does not change while it is open.
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

  /// How long the path of a database may be, so that those of its log and journal are not too long for SQLite.
  static var longestPath: Int { Int(sqlite3_vfs_find(fileSystem)?.pointee.mxPathname ?? 512) - 8 }

  /// Says how the file is to be read and written, before anything else.
  func begin() throws(StoreFailure) {
    try run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
    // Without locks SQLite keeps the index of its log in memory only when it knows that it is alone.
    try run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL")
  }

  /// Folds the log into the file and cuts it off.
  func foldLog() throws(StoreFailure) { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Runs statements that give no rows, or whose rows do not matter.
  func run(_ sql: StaticString) throws(StoreFailure) {
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    let code = sqlite3_exec(pointer, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreFailure(code, pointer) }
  }

  /// Runs a statement that was made up.
  func run(text: String) throws(StoreFailure) {
    let code = sqlite3_exec(pointer, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreFailure(code, pointer) }
  }

  /// Takes back a transaction that failed, unless SQLite has done so.
  func rollBack() {
    if sqlite3_get_autocommit(pointer) == 0 { sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil) }
  }

  var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

  /// Whether closing leaves the file and its log as they are, or folds the log into the file and removes it.
  func leaveUntouched(_ isLeft: Bool) {
    _ = csqlite_set_no_checkpoint_on_close(pointer, isLeft ? 1 : 0)
  }
}
