import CSQLite

/// A prepared statement.
final class Statement {
  private let pointer: OpaquePointer

  /// The statement keeps the connection open.
  private let connection: Connection

  /// Prepares SQL. This is a function instead of an initializer, as for all objects of a store, because Embedded Swift
  /// does not free the memory of an object whose initializer throws.
  static func prepare(_ connection: Connection, _ sql: StaticString) throws(StoreFailure) -> Statement {
    var pointer: OpaquePointer?
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    let code = sqlite3_prepare_v2(connection.pointer, text, Int32(sql.utf8CodeUnitCount), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw StoreFailure(code, connection.pointer) }
    return Statement(pointer, connection)
  }

  private init(_ pointer: OpaquePointer, _ connection: Connection) {
    self.pointer = pointer
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  func bind(_ index: Int32, _ value: UInt64) {
    sqlite3_bind_int64(pointer, index, Int64(bitPattern: value))
  }

  /// The bytes must not move or change until the statement is reset.
  func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Steps to the next row; returns `false` after the last row.
  func step() throws(StoreFailure) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw StoreFailure(code, connection.pointer)
    }
  }

  /// Runs a statement that returns no rows.
  func run() throws(StoreFailure) {
    defer { reset() }
    _ = try step()
  }

  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  func integer(_ column: Int32) -> UInt64 {
    UInt64(bitPattern: sqlite3_column_int64(pointer, column))
  }

  /// Whether a column contains a value of the given SQLite type.
  func holds(_ column: Int32, _ type: Int32) -> Bool {
    sqlite3_column_type(pointer, column) == type
  }

  /// The bytes of a column, which are valid until the next step.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, column)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
  }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(pointer, column).map { String(cString: $0) } ?? ""
  }
}
