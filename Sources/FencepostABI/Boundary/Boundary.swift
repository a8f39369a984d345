import CFencepost
import FencepostCore

/// The boundary between C and Swift: only plain data crosses it, and errors leave it only as a status.
enum Boundary {
  /// Runs `body` and returns its status; if `body` fails, fills in the caller's error detail.
  @inline(__always)
  static func run(
    _ error: UnsafeMutablePointer<fencepost_error>?, _ body: () throws(BoundaryError) -> Void
  ) -> fencepost_status {
    do throws(BoundaryError) {
      try body()
      return 0
    } catch let failure {
      return report(failure, to: error)
    }
  }

  /// The size of the structure in version 0.1: every caller has at least this much memory, whatever its `struct_size`
  /// says.
  private static let smallestError = 272

  @inline(never)
  private static func report(
    _ failure: BoundaryError, to error: UnsafeMutablePointer<fencepost_error>?
  ) -> fencepost_status {
    let status = failure.status
    guard let error else { return status }
    var detail = fencepost_error()
    detail.status = status
    detail.position = UInt64(clamping: failure.position)
    withUnsafeMutableBytes(of: &detail.message) { MessageLine.write(failure.description, to: $0) }
    let raw = UnsafeMutableRawPointer(error)
    // A size larger than any structure means that the memory was never initialised.
    var stated = Int(clamping: raw.loadUnaligned(as: UInt32.self))
    if stated > SizedStruct.largest { stated = smallestError }
    withUnsafeBytes(of: detail) {
      // `struct_size` keeps the caller's value. If the caller's structure is longer than this version's structure, the
      // extra members of the caller's structure are left unchanged.
      let size = min(max(stated, smallestError), $0.count)
      UnsafeMutableRawBufferPointer(start: raw + 4, count: size - 4)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[4..<size]))
    }
    return status
  }

  /// Unwraps a pointer that must not be NULL.
  @inline(__always)
  static func require<Pointer>(_ pointer: Pointer?, _ name: StaticString) throws(BoundaryError) -> Pointer {
    guard let pointer else { throw .nullArgument("\(name)") }
    return pointer
  }

  /// Unwraps the pointer to an array, which may be NULL only if the array has no elements. Throws if the count is too
  /// large for any array, before anything is read or allocated.
  @inline(__always)
  static func require<Element>(
    _ pointer: UnsafePointer<Element>?, count: Int, _ name: StaticString
  ) throws(BoundaryError) -> UnsafePointer<Element>? {
    try check(count, stride: MemoryLayout<Element>.stride, isNull: pointer == nil, name)
    return pointer
  }

  /// Unwraps the pointer to an array of results, which may be NULL only if the array has no elements.
  @inline(__always)
  static func require<Element>(
    _ pointer: UnsafeMutablePointer<Element>?, count: Int, _ name: StaticString
  ) throws(BoundaryError) -> UnsafeMutablePointer<Element>? {
    try check(count, stride: MemoryLayout<Element>.stride, isNull: pointer == nil, name)
    return pointer
  }

  /// Unwraps the pointer to a block of bytes, which may be NULL only if the block is empty.
  @inline(__always)
  static func require<Pointer>(_ pointer: Pointer?, count: Int, _ name: StaticString) throws(BoundaryError)
    -> Pointer?
  {
    try check(count, stride: 1, isNull: pointer == nil, name)
    return pointer
  }

  @inline(__always)
  private static func check(
    _ count: Int, stride: Int, isNull: Bool, _ name: StaticString
  ) throws(BoundaryError) {
    guard count >= 0, count <= Int.max / stride else {
      throw .count(of: name, count, most: Int.max / stride)
    }
    guard count == 0 || !isNull else { throw .nullArgument("\(name)") }
  }

  /// Returns the bytes of a zero-terminated text that is to be an identifier; of a text that is too long, returns one
  /// byte more than the maximum length.
  @inline(__always)
  static func identifier(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    while length <= Int(FENCEPOST_IDENTIFIER_MAX), text[length] != 0 { length += 1 }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// A zero-terminated text of 1 to 256 bytes of UTF-8.
  static func text(_ text: UnsafePointer<CChar>, _ name: StaticString) throws(BoundaryError) -> String {
    let bytes = identifier(text)
    guard (1...Int(FENCEPOST_IDENTIFIER_MAX)).contains(bytes.count),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .invalidArgument("\(name) must have 1 to 256 bytes of UTF-8") }
    return text
  }

  /// A valid time.
  static func time(_ microseconds: Int64, _ name: StaticString) throws(BoundaryError) -> Timestamp {
    let time = Timestamp(microseconds: microseconds)
    guard time.isValid else {
      throw .invalidArgument(
        "\(name) is \(time.microseconds); must be from \(Timestamp.earliest) to \(Timestamp.latest)")
    }
    return time
  }

  /// A valid position.
  static func coordinate(
    _ latitude: Double, _ longitude: Double, named name: StaticString = "coordinate"
  ) throws(BoundaryError) -> Coordinate {
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    if let defect = coordinate.defect(named: name) { throw .invalidArgument(defect) }
    return coordinate
  }

  /// A pointer to a text that exists until the process ends.
  static func text(_ text: StaticString) -> UnsafePointer<CChar>? {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
