import CSQLite
import FencepostCore

/// The layout of a store's file, version 2: all rows are in one table, in key order, without duplicates.
///
/// The key of a row consists of the row's kind and two numbers. The numbers identify a condition by its generation, a
/// state by its device and generation, and an event by its generation and change. Rows that change together are stored
/// together: the head, the device and the events come first, and a small store writes one page for all of them.
///
/// The SQL text of the table contains a random number, which is drawn when the file is created. The end of the head row
/// repeats the random number, so that a log that belongs to another file can be recognised. The upper half of a
/// fleet's number is its family: see ``FleetStorage/family``.
///
/// ``FirstVersion`` reads a file of version 1, and a file of version 2 replaces it.
enum Schema {
  static let version: UInt64 = 2
  /// "Fnce", which distinguishes the file from other files.
  static let applicationID: UInt64 = 0x466E_6365
  /// The page size is small, because a change to one row writes the whole page of the row.
  static let pageSize = 1_024

  /// Returns the beginning of the SQL text that creates the table; the file's random number follows it.
  private static func beginning(_ kind: StoreKind) -> String {
    switch kind {
    case .monitor: "CREATE TABLE rows(/* store "
    case .fleet: "CREATE TABLE rows(/* fleet "
    }
  }
  /// This text is a single literal, because concatenating two literals would allocate memory at the first use and
  /// never free it.
  private static let end = """
     */ kind INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL, data BLOB NOT NULL, \
    PRIMARY KEY(kind, a, b)) WITHOUT ROWID
    """

  /// Creates the table in an empty file and returns the file's number.
  ///
  /// - Parameter family: The upper half of the file's number; if it is `nil`, the upper half is random.
  static func create(_ kind: StoreKind, family: UInt32? = nil, in connection: Connection) throws(StoreFailure) -> UInt64
  {
    var number = UInt64.random(in: 1...UInt64.max)
    if let family { number = UInt64(family) << 32 | number & 0xFFFF_FFFF }
    try connection.run("PRAGMA application_id=1181639525; PRAGMA user_version=2;")
    try connection.run(text: beginning(kind) + text(number) + end)
    return number
  }

  /// Checks everything about a file except its rows, changes nothing, and returns the number of the file.
  static func verify(_ kind: StoreKind, _ connection: Connection) throws(StoreFailure) -> UInt64 {
    let application = try number(connection, "PRAGMA application_id")
    guard application == applicationID else {
      throw .foreignFile(application)
    }
    let version = try number(connection, "PRAGMA user_version")
    try check(version)
    let schema = try Statement.prepare(connection, "SELECT name, sql FROM sqlite_schema")
    guard try schema.step(), schema.text(0).hasBytes(of: "rows") else {
      throw .damaged("the table has an unexpected definition")
    }
    guard let number = parse(kind, schema.text(1)) else {
      for other in StoreKind.allCases where parse(other, schema.text(1)) != nil { throw .otherKind(other) }
      throw .damaged("the table has an unexpected definition")
    }
    guard try !schema.step() else { throw .moreTables }
    try quickCheck(connection)
    return number
  }

  static func check(_ version: UInt64) throws(StoreFailure) {
    guard version <= self.version else {
      throw .tooNew("it has version \(version), from a newer Fencepost; this one reads versions up to \(self.version)")
    }
    guard version == self.version else { throw .damaged("it has the unknown version \(version)") }
  }

  /// Checks the pages that contain no rows, such as the list of free pages, and the order of the tree.
  static func quickCheck(_ connection: Connection) throws(StoreFailure) {
    let check = try Statement.prepare(connection, "PRAGMA quick_check(1)")
    guard try check.step(), check.text(0).hasBytes(of: "ok") else {
      throw .damaged("SQLite says: \(check.text(0).replacingNewlines)")
    }
  }

  static func number(_ connection: Connection, _ sql: StaticString) throws(StoreFailure) -> UInt64 {
    let statement = try Statement.prepare(connection, sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  private static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  private static func parse(_ kind: StoreKind, _ sql: String) -> UInt64? {
    let digits = Array(sql.utf8).dropFirst(beginning(kind).utf8.count).prefix(16)
    let number = String(decoding: digits, as: UTF8.self)
    guard sql.hasBytes(of: beginning(kind) + number + end) else { return nil }
    return UInt64(number, radix: 16)
  }

  /// Returns the random number of a file, which is read from the bytes of the file's first page.
  static func number(inPage bytes: [UInt8]) -> UInt64? {
    StoreKind.allCases.lazy.compactMap { number(inPage: bytes, after: Array(beginning($0).utf8)) }.first
  }

  private static func number(inPage bytes: [UInt8], after mark: [UInt8]) -> UInt64? {
    var start = 0
    while start + mark.count + 16 <= bytes.count {
      if bytes[start] == mark[0], bytes[start..<start + mark.count].elementsEqual(mark) {
        let digits = bytes[(start + mark.count)..<(start + mark.count + 16)]
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
      }
      start += 1
    }
    return nil
  }
}

extension String {
  fileprivate var replacingNewlines: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }
}
