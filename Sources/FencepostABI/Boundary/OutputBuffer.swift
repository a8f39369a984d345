import FencepostCore

/// Texts and lists copied into memory of the caller: (pointer, capacity, out size).
enum OutputBuffer {
  /// Copies bytes. Always stores the needed size; capacity 0 only queries it.
  ///
  /// - Parameter terminator: A zero byte that must also fit but is not included in the size.
  static func write(
    _ bytes: some Collection<UInt8>, terminator: Bool, to buffer: UnsafeMutablePointer<CChar>?, capacity: Int,
    size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    _ = try Boundary.require(buffer, count: capacity, "buffer")
    let needed = bytes.count + (terminator ? 1 : 0)
    size?.pointee = bytes.count
    guard capacity > 0, let buffer else { return }
    guard capacity >= needed else { throw .bufferTooSmall(needed: needed) }
    let raw = UnsafeMutableRawPointer(buffer)
    var index = 0
    for byte in bytes {
      raw.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      index += 1
    }
    if terminator { raw.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
  }
  /// Copies numbers. Always stores the number of elements; capacity 0 only queries it.
  static func write(
    _ numbers: [UInt32], to out: UnsafeMutablePointer<UInt32>?, capacity: Int, count: UnsafeMutablePointer<Int>
  ) throws(BoundaryError) {
    count.pointee = numbers.count
    guard capacity > 0, let out else { return }
    guard numbers.count <= capacity else { throw .bufferTooSmall(needed: numbers.count, of: "elements") }
    for (index, number) in numbers.enumerated() { out[index] = number }
  }
}
