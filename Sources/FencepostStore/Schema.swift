import CSQLite

/// The layout of a store's file.
///
/// Version 1: one table for each kind of row (`MonitorRow.Table`). Each row carries the checksum of its key, its
/// condition's generation and its bytes. The head's bytes end with the version, the sum of the checksums of all
/// other rows (modulo 2⁶⁴) and their numbers, so that a row that is missing, doubled or old shows too.
///
/// A later version adds a step from each older one, taken in one transaction after the file was verified; a file of
/// each released version stays among the golden files that the tests open.
enum Schema {
  static let version: UInt64 = 1
  /// "Fnce", to tell the file from others.
  private static let applicationID: UInt64 = 0x466E_6365

  /// Makes the tables in an empty file.
  static func create(in connection: Connection) throws(StoreFailure) {
    try connection.run("PRAGMA application_id=1181639525; PRAGMA user_version=1;")
    for definition in definitions { try connection.run(definition.sql) }
  }

  /// In the order of their names.
  private static let definitions: [(name: String, sql: StaticString)] = [
    ("conditions", "CREATE TABLE conditions(generation INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER NOT NULL)"),
    (
      "events",
      "CREATE TABLE events(change INTEGER PRIMARY KEY, generation INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL)"
    ),
    ("events_by_condition", "CREATE INDEX events_by_condition ON events(generation)"),
    ("head", "CREATE TABLE head(id INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER NOT NULL)"),
  ]

  /// Checks everything about a file but its rows, and changes nothing.
  static func verify(_ connection: Connection) throws(StoreFailure) {
    let application = try number(connection, "PRAGMA application_id")
    guard application == applicationID else {
      throw .damaged("it is no store of Fencepost, its application_id is \(application)")
    }
    let version = try number(connection, "PRAGMA user_version")
    guard version <= self.version else {
      throw .tooNew("its version is \(version), from a newer Fencepost; this one reads versions up to \(self.version)")
    }
    guard version == self.version else { throw .damaged("its version is \(version)") }
    let schema = try Statement(connection, "SELECT name, sql FROM sqlite_schema ORDER BY name")
    for definition in definitions {
      guard try schema.step(), schema.text(0) == definition.name, schema.text(1) == "\(definition.sql)" else {
        throw .damaged("its table \(definition.name) is not as it should be")
      }
    }
    guard try !schema.step() else { throw .damaged("it has tables that it should not have") }
    // Rows carry checksums; what lies between them, such as the list of free pages, is SQLite's to check.
    let check = try Statement(connection, "PRAGMA quick_check(1)")
    guard try check.step(), check.text(0) == "ok" else {
      throw .damaged("SQLite says: \(check.text(0).replacingNewlines)")
    }
  }

  private static func number(_ connection: Connection, _ sql: StaticString) throws(StoreFailure) -> UInt64 {
    let statement = try Statement(connection, sql)
    return try statement.step() ? statement.integer(0) : 0
  }
}

extension String {
  fileprivate var replacingNewlines: String { String(map { $0.isNewline ? " " : $0 }) }
}
