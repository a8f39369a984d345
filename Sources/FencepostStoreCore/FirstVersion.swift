import CSQLite
import FencepostCore

/// Reads a store of version 1, which Fencepost 0.1 wrote: it has a table for each kind of row, a checksum in each row,
/// and an index over the events. Reading a file of version 1 changes neither the file nor its log; only ``foldLog()``
/// changes them.
final class FirstVersion {
  private static let definitions: [(name: String, sql: StaticString)] = [
    ("conditions", "CREATE TABLE conditions(generation INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER NOT NULL)"),
    (
      "events",
      "CREATE TABLE events(change INTEGER PRIMARY KEY, generation INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL)"
    ),
    ("events_by_condition", "CREATE INDEX events_by_condition ON events(generation)"),
    ("head", "CREATE TABLE head(id INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER NOT NULL)"),
  ]
  /// The size of the end of the head, in bytes: four numbers, which are the version, the sum of all other checksums,
  /// the number of conditions and the number of events.
  private static let endSize = 32

  private let connection: Connection
  private let path: String
  private let hadLog: Bool

  /// Opens a locked file, and checks everything about it except its rows.
  static func open(_ path: String) throws(StoreFailure) -> FirstVersion {
    let hadLog = StoreFiles.size(StoreFiles.log(of: path)) != nil
    let connection = try Connection.open(path, isForReading: true)
    connection.leaveUntouched(true)
    do throws(StoreFailure) { try verify(connection) } catch {
      if !hadLog { StoreFiles.removeEmptyLog(of: path) }
      throw error
    }
    return FirstVersion(connection, path, hadLog)
  }

  private init(_ connection: Connection, _ path: String, _ hadLog: Bool) {
    (self.connection, self.path, self.hadLog) = (connection, path, hadLog)
  }

  deinit {
    // Opening a file makes SQLite create an empty write-ahead log.
    if !hadLog { StoreFiles.removeEmptyLog(of: path) }
  }

  private static func verify(_ connection: Connection) throws(StoreFailure) {
    try connection.begin()
    let schema = try Statement.prepare(connection, "SELECT name, sql FROM sqlite_schema ORDER BY name")
    for definition in definitions {
      guard try schema.step(), schema.text(0).hasBytes(of: definition.name),
        schema.text(1).hasBytes(of: "\(definition.sql)")
      else {
        throw .damaged("the table \(definition.name) has an unexpected definition")
      }
    }
    guard try !schema.step() else { throw .moreTables }
    try Schema.quickCheck(connection)
  }

  /// Passes every row to the receiver, beginning with the header row. Checks each row against its checksum, and at the
  /// end checks all rows against the header row.
  @_optimize(size)
  func readAll(_ body: (MonitorRow) throws(StoreFailure) -> Void) throws(StoreFailure) {
    var told: [UInt8]?
    var numbers: [UInt64] = [1, 0, 0, 0]
    for (table, sql) in [
      (MonitorRow.Table.head, "SELECT id, data, sum FROM head" as StaticString),
      (.conditions, "SELECT generation, data, sum FROM conditions ORDER BY generation"),
      (.events, "SELECT change, data, sum, generation FROM events ORDER BY change"),
    ] {
      let statement = try Statement.prepare(connection, sql)
      while try statement.step() {
        guard statement.holds(1, SQLITE_BLOB), statement.holds(2, SQLITE_INTEGER) else {
          throw .damaged("a row in \(table) does not consist of bytes and a checksum")
        }
        let key = statement.integer(0)
        let generation = table == .head ? 0 : table == .conditions ? key : statement.integer(3)
        let row = MonitorRow(table: table, key: key, generation: generation, bytes: statement.bytes(1))
        guard row.checksum == statement.integer(2) else {
          throw .damaged("the checksum of a row in \(table) is wrong")
        }
        guard table == .head else {
          numbers[1] &+= row.checksum
          numbers[table == .conditions ? 2 : 3] += 1
          try body(row)
          continue
        }
        let end = row.bytes.count - Self.endSize
        guard end >= 0 else { throw .shortHead }
        told = Array(row.bytes[end...])
        try body(
          MonitorRow(table: .head, key: key, generation: 0, bytes: UnsafeRawBufferPointer(rebasing: row.bytes[..<end])))
      }
    }
    guard let told else { throw .noMonitor }
    let found = numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
    guard told == found else { throw .otherRows }
  }

  /// Checkpoints the write-ahead log into the database file, so that the file alone is the store. When a file of
  /// version 2 replaces the database file, no old log may be beside it.
  func foldLog() throws(StoreFailure) {
    try connection.foldLog()
    connection.leaveUntouched(false)
  }
}
