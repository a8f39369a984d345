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

/// Identifiers in the order in which their conditions were added, each followed by a zero byte.
struct IdentifierList: Sendable {
  private var bytes: ContiguousArray<UInt8> = []
  private var count = 0

  init(_ table: borrowing ConditionTable) {
    var after: UInt64 = 0
    while let slot = table.slot(after: after) {
      after = table.generation(of: slot)
      table.withIdentifierBytes(of: slot) { bytes.append(contentsOf: $0) }
      bytes.append(0)
      count += 1
    }
  }

  func write(
    to buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    try OutputBuffer.write(bytes, terminator: false, to: buffer, capacity: capacity, size: out_size)
    out_count?.pointee = count
  }
}

/// Writes a message as one zero-terminated line of UTF-8 into a C buffer.
enum MessageLine {
  /// A blank, U+2026 as UTF-8, and a blank. The bytes are written as numbers, because an array of numbers needs no
  /// allocation.
  private static let ellipsis: [UInt8] = [0x20, 0xE2, 0x80, 0xA6, 0x20]

  /// Writes a text. Line breaks and control characters become blanks. If a text is too long, its middle is left out,
  /// because the beginning names the subject, and the end contains the reason and the accepted range.
  static func write(_ text: String, to buffer: UnsafeMutableRawBufferPointer) {
    var line: [UInt8] = []
    for scalar in text.unicodeScalars {
      line.append(contentsOf: breaksLine(scalar) ? [UInt8(ascii: " ")] : Array(UTF8.encode(scalar) ?? .init()))
    }
    let room = buffer.count - 1
    if line.count > room {
      let kept = room - ellipsis.count
      var head = kept / 2
      while head > 0, isContinuation(line[head]) { head -= 1 }
      var tail = line.count - (kept - kept / 2)
      while tail < line.count, isContinuation(line[tail]) { tail += 1 }
      line.replaceSubrange(head..<tail, with: ellipsis)
    }
    buffer.copyBytes(from: line)
    buffer[line.count] = 0
  }

  /// Control characters of the ranges C0 and C1 (which includes U+0085), and the line and paragraph separators.
  private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
