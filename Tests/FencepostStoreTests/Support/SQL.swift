import CSQLite

/// Runs a statement on a closed store's file; returns true if the statement succeeded.
func change(_ path: String, _ sql: String) throws -> Bool {
  var database: OpaquePointer?
  guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, "unix") == SQLITE_OK else { return false }
  defer { sqlite3_close(database) }
  return sqlite3_exec(database, "PRAGMA journal_mode=DELETE; \(sql); PRAGMA journal_mode=WAL;", nil, nil, nil)
    == SQLITE_OK
}
