import CFencepost
import FencepostCore

/// The errors of a call from C: errors that the boundary itself raises, and errors that the engine raises.
enum BoundaryError: Error, Hashable {
  /// A required pointer is NULL.
  case nullArgument(String)
  /// The buffer is too small for the result; the associated value is the number of elements needed.
  case bufferTooSmall(needed: Int, of: String = "bytes")
  /// A structure has members that this library does not know.
  case unsupported(String)
  case monitor(MonitorError)

  /// The error for a value that the C boundary itself finds to be out of range.
  static func invalidArgument(_ reason: String, position: Int = 0) -> BoundaryError {
    .monitor(.invalidArgument(reason, position: position))
  }

  /// The error for a count that is too large for an array.
  @_optimize(size)
  static func count(of name: StaticString, _ count: Int, most: Int) -> BoundaryError {
    .invalidArgument("the count of \(name) is \(UInt(bitPattern: count)); must be from 0 to \(most)")
  }

  /// The error for a row without an identifier.
  static var identifierIsNull: BoundaryError { .invalidArgument("the identifier is NULL") }

  /// Adds the index of a row to an engine error.
  func inRow(_ row: Int) -> BoundaryError {
    if case .monitor(let error) = self { .monitor(error.inRow(row)) } else { self }
  }

  /// The error of a call with a single element: the message does not name the row.
  var ofSingleRow: BoundaryError {
    let row = "row 0: "
    guard case .monitor(.invalidArgument(let reason, _)) = self, reason.beginsWithBytes(of: row) else { return self }
    return .invalidArgument(String(decoding: Array(reason.utf8).dropFirst(row.utf8.count), as: UTF8.self))
  }
}

extension BoundaryError: CustomStringConvertible {
  /// One line that names cause, place and accepted range.
  @_optimize(size)
  var description: String {
    switch self {
    case .nullArgument(let name): "\(name) is NULL"
    case .bufferTooSmall(let needed, let elements): "the buffer is too small; \(needed) \(elements) are needed"
    case .unsupported(let reason): reason
    case .monitor(let error): error.description
    }
  }

  /// The error's number in the C interface.
  var status: fencepost_status {
    switch self {
    case .nullArgument: fencepost_status(FENCEPOST_E_NULL_ARGUMENT)
    case .bufferTooSmall: fencepost_status(FENCEPOST_E_BUFFER_TOO_SMALL)
    case .unsupported: fencepost_status(FENCEPOST_E_UNSUPPORTED)
    case .monitor(let error): error.status
    }
  }

  /// The position of the row or element that caused the error.
  var position: Int {
    if case .monitor(let error) = self { error.position } else { 0 }
  }
}

/// Converts an engine error to an error of the C boundary.
@inline(__always)
func refusedByEngine<Result>(_ body: () throws(MonitorError) -> Result) throws(BoundaryError) -> Result {
  do throws(MonitorError) { return try body() } catch { throw .monitor(error) }
}
