import FencepostCore

/// Structures that start with `uint32_t struct_size` and may grow at their end.
enum SizedStruct {
  /// If `struct_size` is larger than this number, the structure is treated as uninitialised memory.
  static let largest = 4_096

  /// Returns the size that the caller stored in `struct_size`. Every `sizeof` is a multiple of the alignment; another
  /// size would end in the middle of a member, for example after half a pointer.
  static func size<Value: BitwiseCopyable>(
    of pointer: UnsafePointer<Value>, _ name: StaticString
  ) throws(BoundaryError) -> Int {
    let size = Int(clamping: UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
    guard size >= 8, size <= largest, size % MemoryLayout<Value>.alignment == 0 else {
      throw .invalidArgument("struct_size of \(name) is \(size); initialise it with its INIT macro")
    }
    return size
  }

  /// Reads a caller's structure. If the caller's size is smaller (an older caller), the missing members keep their
  /// defaults; if it is larger (a newer caller), the unknown members must be zero.
  static func read<Value: BitwiseCopyable>(
    _ pointer: UnsafePointer<Value>, defaults: Value, _ name: StaticString
  ) throws(BoundaryError) -> Value {
    let raw = UnsafeRawPointer(pointer)
    let size = try size(of: pointer, name)
    let known = MemoryLayout<Value>.size
    if size > known {
      for offset in known..<size where raw.load(fromByteOffset: offset, as: UInt8.self) != 0 {
        throw .unsupported(
          "\(name) has nonzero members that this library does not know; set them to zero, or use a newer library")
      }
    }
    return try readKnown(pointer, defaults: defaults, name)
  }

  /// Reads the members of a caller's structure that this library knows, and ignores the others: for a structure that
  /// is written later and has members that the caller sets.
  static func readKnown<Value: BitwiseCopyable>(
    _ pointer: UnsafePointer<Value>, defaults: Value, _ name: StaticString
  ) throws(BoundaryError) -> Value {
    let count = min(try size(of: pointer, name), MemoryLayout<Value>.size)
    var value = defaults
    withUnsafeMutableBytes(of: &value) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: count))
    }
    return value
  }

  /// Writes a structure into the caller's structure, but only the members that the caller knows; the caller's
  /// `struct_size` is left unchanged.
  static func write<Value: BitwiseCopyable>(
    _ value: Value, to pointer: UnsafeMutablePointer<Value>, _ name: StaticString
  ) throws(BoundaryError) {
    let raw = UnsafeMutableRawPointer(pointer)
    let size = try size(of: UnsafePointer(pointer), name)
    withUnsafeBytes(of: value) {
      let count = min(size, $0.count)
      (raw + 4).copyMemory(from: $0.baseAddress! + 4, byteCount: count - 4)
    }
  }

  /// Whether ``write(_:to:_:)`` accepts a given structure of the caller.
  static func check<Value: BitwiseCopyable>(
    _ pointer: UnsafeMutablePointer<Value>, _ name: StaticString
  ) throws(BoundaryError) {
    _ = try size(of: UnsafePointer(pointer), name)
  }
}
