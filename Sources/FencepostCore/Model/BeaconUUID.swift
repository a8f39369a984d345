/// The 128-bit identifier that a beacon broadcasts (ISO/IEC 9834-8).
@frozen
public struct BeaconUUID: Sendable, Hashable {
  /// The first eight bytes, most significant first.
  public var high: UInt64
  /// The last eight bytes, most significant first.
  public var low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the 8-4-4-4-12 form, in upper or lower case; returns `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    var index = 0
    for byte in text.utf8 {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard digits < 32, let digit = BeaconUUID.value(ofHexDigit: byte) else { return nil }
        if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
        digits += 1
      }
      index += 1
    }
    guard index == 36, digits == 32 else { return nil }
    self.init(high: high, low: low)
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension BeaconUUID: CustomStringConvertible {
  /// The 8-4-4-4-12 form in lower case.
  public var description: String {
    var text = JSONText()
    text.append(self)
    return text.string
  }
}

extension JSONText {
  mutating func append(_ uuid: BeaconUUID) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { append("-" as Unicode.Scalar) }
      let half = index < 8 ? uuid.high : uuid.low
      appendHex(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8))))
    }
  }
}
