import FencepostCore

/// Texts and lists that are copied into the caller's memory, which is described by a pointer, a capacity, and an output
/// for the size.
enum OutputBuffer {
  /// Copies bytes. The needed size is always stored; with a capacity of 0, nothing else is stored.
  ///
  /// - Parameter terminator: A zero byte that must also fit into the memory but is not included in the size.
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
  /// Copies numbers. The number of elements is always stored; with a capacity of 0, nothing else is stored.
  static func write(
    _ numbers: [UInt64], to out: UnsafeMutablePointer<UInt64>?, capacity: Int, count: UnsafeMutablePointer<Int>
  ) throws(BoundaryError) {
    count.pointee = numbers.count
    guard capacity > 0, let out else { return }
    guard numbers.count <= capacity else { throw .bufferTooSmall(needed: numbers.count, of: "elements") }
    for (index, number) in numbers.enumerated() { out[index] = number }
  }
}
