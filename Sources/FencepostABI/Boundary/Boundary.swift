import CFencepost
import Fencepost

/// The border between C and Swift: nothing but plain data crosses it, and no error leaves it as anything but a
/// status.
enum Boundary {
  /// Runs a body and returns its status; on failure fills the caller's error detail.
  @inline(__always)
  static func run(
    _ error: UnsafeMutablePointer<fencepost_error>?, _ body: () throws(MonitorError) -> Void
  ) -> fencepost_status {
    do throws(MonitorError) {
      try body()
      return 0
    } catch let failure {
      return report(failure, to: error)
    }
  }

  @inline(never)
  private static func report(
    _ failure: MonitorError, to error: UnsafeMutablePointer<fencepost_error>?
  ) -> fencepost_status {
    let status = failure.status
    guard let error, error.pointee.struct_size >= UInt32(MemoryLayout<fencepost_error>.size) else { return status }
    error.pointee.status = status
    error.pointee.position = UInt64(clamping: failure.position)
    withUnsafeMutableBytes(of: &error.pointee.message) { buffer in
      var text = failure.description
      text.withUTF8 { bytes in
        // Cut at a character, not inside one.
        var length = min(bytes.count, buffer.count - 1)
        while length > 0, length < bytes.count, bytes[length] & 0xC0 == 0x80 { length -= 1 }
        for index in 0..<length {
          buffer[index] = bytes[index] < 0x20 ? UInt8(ascii: " ") : bytes[index]  // one line, terminated
        }
        buffer[length] = 0
      }
    }
    return status
  }

  /// Unwraps a pointer that must not be NULL.
  @inline(__always)
  static func require<Pointer>(_ pointer: Pointer?, _ name: StaticString) throws(MonitorError) -> Pointer {
    guard let pointer else { throw .nullArgument("\(name)") }
    return pointer
  }

  /// Unwraps the start of an array that may be NULL only when it has no elements. A count of which no array can be is
  /// refused before anything is read or allocated.
  @inline(__always)
  static func require<Element>(
    _ pointer: UnsafePointer<Element>?, count: Int, _ name: StaticString
  ) throws(MonitorError) -> UnsafePointer<Element>? {
    try check(count, stride: MemoryLayout<Element>.stride, isNull: pointer == nil, name)
    return pointer
  }

  /// The same for an array that is written.
  @inline(__always)
  static func require<Element>(
    _ pointer: UnsafeMutablePointer<Element>?, count: Int, _ name: StaticString
  ) throws(MonitorError) -> UnsafeMutablePointer<Element>? {
    try check(count, stride: MemoryLayout<Element>.stride, isNull: pointer == nil, name)
    return pointer
  }

  /// The same for bytes.
  @inline(__always)
  static func require<Pointer>(_ pointer: Pointer?, count: Int, _ name: StaticString) throws(MonitorError)
    -> Pointer?
  {
    try check(count, stride: 1, isNull: pointer == nil, name)
    return pointer
  }

  @inline(__always)
  private static func check(
    _ count: Int, stride: Int, isNull: Bool, _ name: StaticString
  ) throws(MonitorError) {
    guard count >= 0, count <= Int.max / stride else {
      throw .invalidArgument(
        "the count of \(name) is \(UInt(bitPattern: count)); accepted are 0 to \(Int.max / stride)")
    }
    guard count == 0 || !isNull else { throw .nullArgument("\(name)") }
  }

  /// The bytes of a terminated text that is to be an identifier; at most one more than an identifier may have.
  @inline(__always)
  static func identifier(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    while length <= Int(FENCEPOST_IDENTIFIER_MAX), text[length] != 0 { length += 1 }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// The pointer to a text that lives as long as the process.
  static func text(_ text: StaticString) -> UnsafePointer<CChar>? {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
