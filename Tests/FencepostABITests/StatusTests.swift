import CFencepost
import Fencepost
import Testing

@testable import FencepostABI

/// Compares Tests/Golden/status.tsv with the C names and the Swift errors. The Python tests also read
/// Tests/Golden/status.tsv.
@Suite("Status table")
struct StatusTests {
  struct Row {
    var number: fencepost_status
    var cName: String
    var name: String
    var swiftCase: String
  }

  static func rows() throws -> [Row] {
    try Project.text("Tests/Golden/status.tsv").split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Row(
        number: try #require(fencepost_status(fields[0])), cName: fields[1], name: fields[2], swiftCase: fields[3])
    }
  }

  /// One example of every error case. A new error case does not compile until the switch in `caseName` handles it.
  static let refusals: [MonitorError] = [
    .invalidArgument("x", position: 3), .invalidName("x"), .monitorInUse("x"), .consumerAlreadyActive, .notFound("x"),
    .noSuchDevice("x", position: 3),
    .lateInput(time: Timestamp(microseconds: 0), clock: Timestamp(microseconds: 1)),
    .aheadOfClock(time: Timestamp(microseconds: 9), clock: Timestamp(microseconds: 1), limit: 5),
    .queueFull(limit: 1, position: 4), .storeUnavailable("x"), .storeCorrupt("x"), .storeTooNew("x"),
    .snapshotInvalid("x"), .tableMismatch("x"), .internalInconsistency("x"),
  ]

  static let errors: [BoundaryError] =
    [.nullArgument("x"), .bufferTooSmall(needed: 1), .unsupported("x")] + refusals.map { .monitor($0) }

  static func caseName(_ error: BoundaryError) -> String {
    switch error {
    case .nullArgument: "nullArgument"
    case .bufferTooSmall: "bufferTooSmall"
    case .unsupported: "unsupported"
    case .monitor(let refusal): caseName(refusal)
    }
  }

  static func caseName(_ error: MonitorError) -> String {
    switch error {
    case .invalidArgument: "invalidArgument"
    case .invalidName: "invalidName"
    case .monitorInUse: "monitorInUse"
    case .consumerAlreadyActive: "consumerAlreadyActive"
    case .notFound: "notFound"
    case .noSuchDevice: "noSuchDevice"
    case .lateInput: "lateInput"
    case .queueFull: "queueFull"
    case .aheadOfClock: "aheadOfClock"
    case .storeUnavailable: "storeUnavailable"
    case .storeCorrupt: "storeCorrupt"
    case .storeTooNew: "storeTooNew"
    case .snapshotInvalid: "snapshotInvalid"
    case .tableMismatch: "tableMismatch"
    case .internalInconsistency: "internal"
    }
  }

  @Test func namesAreThoseOfTheTable() throws {
    let rows = try Self.rows()
    #expect(rows.count == 19)
    for row in rows {
      #expect(String(cString: fencepost_status_name(row.number)) == row.name)
      let inFull = row.name == "ok" ? "FENCEPOST_OK" : "FENCEPOST_E_\(row.name.uppercased())"
      #expect(row.cName == inFull)
    }
    let known = Set(rows.map(\.number))
    for number in fencepost_status(-200)...200 where !known.contains(number) {
      #expect(String(cString: fencepost_status_name(number)) == "unknown_status")
    }
  }

  @Test func swiftErrorsHaveTheNumbersOfTheTable() throws {
    var numbers: [String: fencepost_status] = [:]
    for row in try Self.rows() where row.number != 0 { numbers[row.swiftCase] = row.number }
    #expect(numbers.count == Self.errors.count)
    for error in Self.errors { #expect(error.status == numbers[Self.caseName(error)], "\(error)") }
    #expect(Self.errors.map(\.position) == [0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0])
  }

  @Test func messagesAreOneLine() {
    for error in Self.errors {
      #expect(!error.description.isEmpty && !error.description.contains(where: \.isNewline))
      #expect(!error.description.hasSuffix("."))
    }
  }

  @Test func theHeaderPinsTheNumbers() throws {
    let header = try Project.text("include/fencepost.h")
    for row in try Self.rows() {
      #expect(header.contains(try Regex("\\b\(row.cName) = \(row.number)\\b")), "\(row.cName)")
    }
  }
}
