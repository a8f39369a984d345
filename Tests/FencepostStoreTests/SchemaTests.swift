import Fencepost
import Testing

@testable import FencepostStore
@testable import FencepostStoreCore

/// Tests how the layout of a store's file is created and checked.
@Suite struct SchemaTests {
  private let folder: Folder
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder.file("s.db")
    try folder.write([], to: "s.db")
  }

  /// Creates the table in the file and returns the file's number.
  private func create() throws -> UInt64 {
    let connection = try Connection.open(path)
    try connection.run("PRAGMA page_size=1024; PRAGMA journal_mode=OFF")
    return try Schema.create(.monitor, in: connection)
  }

  private func refusal() throws -> String {
    let connection = try Connection.open(path)
    try connection.begin()
    do throws(StoreFailure) {
      return "number \(try Schema.verify(.monitor, connection))"
    } catch {
      switch error {
      case .damaged(let reason): return "damaged: \(reason)"
      case .tooNew(let reason): return "too new: \(reason)"
      case .busy, .unavailable, .otherKind: return "\(error)"
      }
    }
  }

  @Test func theNumberIsInTheFileAndItsFirstPage() throws {
    let number = try create()
    #expect(number != 0)
    #expect(try refusal() == "number \(number)")
    let bytes = try folder.bytes("s.db")
    #expect(Schema.number(inPage: Array(bytes.prefix(Schema.pageSize))) == number)
    #expect(Schema.number(inPage: []) == nil && Schema.number(inPage: [UInt8](repeating: 67, count: 4_096)) == nil)
  }

  /// Two store files have different numbers, even at the same path.
  @Test func eachFileHasANumberOfItsOwn() throws {
    let first = try create()
    try folder.write([], to: "s.db")
    #expect(try create() != first)
  }

  /// A store number that is cut off at the end of the bytes read is invalid.
  @Test func aPageThatEndsWithinTheNumberHasNone() throws {
    let number = try create()
    let bytes = try folder.bytes("s.db")
    let mark = Array("CREATE TABLE rows(/* store ".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) })
    let end = start + mark.count + 16
    #expect(Schema.number(inPage: Array(bytes[..<end])) == number)
    #expect(Schema.number(inPage: Array(bytes[..<(end - 1)])) == nil)
  }

  @Test func versionsAreReported() throws {
    _ = try create()
    #expect(try change(path, "PRAGMA user_version=3"))
    #expect(try refusal() == "too new: it has version 3, from a newer Fencepost; this one reads versions up to 2")
    #expect(try change(path, "PRAGMA user_version=0"))
    #expect(try refusal() == "damaged: it has the unknown version 0")
  }

  @Test func whatIsNoStoreIsRefused() throws {
    #expect(try refusal() == "damaged: the file is not a Fencepost store; its application_id is 0")
    _ = try create()
    #expect(try change(path, "PRAGMA application_id=77"))
    #expect(try refusal() == "damaged: the file is not a Fencepost store; its application_id is 77")
  }

  @Test func otherTablesAreRefused() throws {
    _ = try create()
    #expect(try change(path, "CREATE TABLE more(a)"))
    #expect(try refusal() == "damaged: the file has unexpected tables")
    #expect(try change(path, "DROP TABLE rows"))
    #expect(try refusal() == "damaged: the table has an unexpected definition")
    let other = "CREATE TABLE rows(kind INTEGER, a INTEGER, b INTEGER, data BLOB, PRIMARY KEY(kind, a, b))"
    #expect(try change(path, "DROP TABLE more; \(other)"))
    #expect(try refusal() == "damaged: the table has an unexpected definition")
  }
}
