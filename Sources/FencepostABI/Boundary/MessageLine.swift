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
