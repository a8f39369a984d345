/// A text under construction, in UTF-8. The library writes JSON only with this type.
struct JSONText {
  var bytes: ContiguousArray<UInt8> = []

  var string: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ byte: Unicode.Scalar) {
    bytes.append(UInt8(ascii: byte))
  }

  mutating func append(_ value: UInt64) {
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Appends the shortest text that reads back as the same number (RFC 8259); `null` if the number is NaN or infinite.
  mutating func append(_ value: Double) {
    guard value.isFinite else { return append("null" as StaticString) }
    bytes.append(contentsOf: value.description.utf8)
    let length = bytes.count
    if bytes[length - 2] == UInt8(ascii: "."), bytes[length - 1] == UInt8(ascii: "0") { bytes.removeLast(2) }
  }

  /// Appends a JSON string with the escapes of RFC 8259, section 7.
  mutating func appendQuoted(_ text: String) {
    append("\"" as Unicode.Scalar)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"" as StaticString)
      case UInt8(ascii: "\\"): append("\\\\" as StaticString)
      case 0x0A: append("\\n" as StaticString)
      case 0x0D: append("\\r" as StaticString)
      case 0x09: append("\\t" as StaticString)
      case 0..<0x20, 0x7F:
        append("\\u00" as StaticString)
        appendHex(byte)
      default: bytes.append(byte)
      }
    }
    append("\"" as Unicode.Scalar)
  }

  mutating func appendHex(_ byte: UInt8) {
    let digits: StaticString = "0123456789abcdef"
    digits.withUTF8Buffer {
      bytes.append($0[Int(byte >> 4)])
      bytes.append($0[Int(byte & 15)])
    }
  }
}
