import CSQLite
import FencepostCore

/// The reason why a store's file cannot be used; its text does not contain the name of the file.
enum StoreFailure: Error {
  /// The file is already open in another connection.
  case busy
  /// The file was not written by this library.
  case damaged(String)
  case tooNew(String)
  /// The file contains the wrong kind of store; the associated value is the kind of store in the file.
  case otherKind(StoreKind)
  /// The system does not allow the process to read or write the file.
  case unavailable(String)

  /// The log next to the file belongs to another file.
  static func foreignLog(_ path: String) -> StoreFailure {
    .damaged("\(StoreFiles.log(of: path)) is the log of another store: remove it, or restore the right one")
  }

  /// The file belongs to another program, or has been overwritten.
  static func foreignFile(_ application: UInt64) -> StoreFailure {
    .damaged("the file is not a Fencepost store; its application_id is \(application)")
  }

  static var moreTables: StoreFailure { .damaged("the file has unexpected tables") }
  static var shortHead: StoreFailure { .damaged("the head row is too short") }
  static var noMonitor: StoreFailure { .damaged("the file holds no monitor") }
  static var otherRows: StoreFailure { .damaged("the rows do not match the last save") }

  /// The failure that corresponds to an SQLite result code.
  init(_ code: Int32, _ connection: OpaquePointer?) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    let message = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    let text = message.map { String(cString: $0) } ?? "unknown"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    // If one of the store's own statements fails with SQLITE_ERROR or SQLITE_SCHEMA, the file does not have the tables
    // of a store.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG:
      self = .damaged("SQLite says: \(text)")
    default: self = .unavailable("SQLite says: \(text) (code \(extended))")
    }
  }

  /// Converts a failure of a file that was valid when it was opened: whatever the reason is, the store cannot be
  /// written.
  var whileWriting: StoreFailure {
    switch self {
    case .busy: .unavailable("the file is locked")
    case .otherKind: .unavailable("the file was replaced by another one")
    case .damaged(let reason), .tooNew(let reason), .unavailable(let reason): .unavailable(reason)
    }
  }

  /// Returns the error that the library throws for this failure.
  @_optimize(size)
  func error(path: String, name: String) -> MonitorError {
    switch self {
    case .busy: .monitorInUse(name)
    case .otherKind(.monitor):
      .invalidArgument("the store \(path) holds a monitor; open it as a monitor, or use another name")
    case .otherKind(.fleet):
      .invalidArgument("the store \(path) holds a fleet; open it as a fleet, or use another name")
    case .damaged(let reason): .storeCorrupt("the store \(path) is damaged: \(reason)")
    case .tooNew(let reason): .storeTooNew("the store \(path) cannot be read: \(reason)")
    case .unavailable(let reason): .storeUnavailable("the store \(path) is not available: \(reason)")
    }
  }
}
