/// Text in the making, as UTF-8: the one place where the library writes JSON.
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

  /// Shortest text that reads back as the same number (RFC 8259 form); `null` for what JSON cannot write.
  mutating func append(_ value: Double) {
    guard value.isFinite else { return append("null" as StaticString) }
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    bytes.append(contentsOf: text.utf8)
  }

  /// A JSON string with the escapes of RFC 8259, section 7.
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

  mutating func append(_ uuid: BeaconUUID) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { append("-" as Unicode.Scalar) }
      let half = index < 8 ? uuid.high : uuid.low
      appendHex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8))))
    }
  }

  /// ISO 8601 in UTC with six decimals and `Z`. Years beyond four digits carry a sign.
  mutating func append(_ time: Timestamp) {
    let (days, ofDay) = Self.dividingDown(time.microseconds, by: 86_400_000_000)
    let date = CivilDate(daysSinceEpoch: days)
    if date.year < 0 || date.year > 9999 {
      append(date.year < 0 ? "-" as Unicode.Scalar : "+")
      append(date.year.magnitude)
    } else {
      appendPadded(date.year, width: 4)
    }
    append("-" as Unicode.Scalar)
    appendPadded(date.month, width: 2)
    append("-" as Unicode.Scalar)
    appendPadded(date.day, width: 2)
    append("T" as Unicode.Scalar)
    appendPadded(ofDay / 3_600_000_000, width: 2)
    append(":" as Unicode.Scalar)
    appendPadded(ofDay / 60_000_000 % 60, width: 2)
    append(":" as Unicode.Scalar)
    appendPadded(ofDay / 1_000_000 % 60, width: 2)
    append("." as Unicode.Scalar)
    appendPadded(ofDay % 1_000_000, width: 6)
    append("Z" as Unicode.Scalar)
  }

  private mutating func appendHex(_ byte: UInt8) {
    let digits: StaticString = "0123456789abcdef"
    digits.withUTF8Buffer {
      bytes.append($0[Int(byte >> 4)])
      bytes.append($0[Int(byte & 15)])
    }
  }

  private mutating func appendPadded(_ value: Int64, width: Int) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  private static func dividingDown(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
