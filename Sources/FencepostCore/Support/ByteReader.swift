/// The reason for which saved bytes are refused. The caller adds the source of the bytes.
struct Damage: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  // Reasons that several readers share.
  static var longNumber: Damage { Damage("an encoded number is too long") }
  static var noUUID: Damage { Damage("a beacon condition has no UUID") }
  static var unusableFix: Damage { Damage("a fix is out of range") }
  static var silentChangeAlone: Damage { Damage("a silent change follows no event") }
  static func components(_ number: UInt8) -> Damage { Damage("a beacon has the invalid components \(number)") }
  static func depth(_ depth: Double) -> Damage { Damage("a shape has the invalid depth \(depth)") }
}

/// Reads the bytes of a ``ByteWriter``. Throws if a value is missing or out of its range.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var remaining: Int { bytes.count - offset }

  mutating func take<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type = Value.self) throws(Damage) -> Value {
    let size = MemoryLayout<Value>.size
    guard size <= remaining else { throw Damage("\(bytes.count) bytes end within a value") }
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    offset += size
    return Value(littleEndian: value)
  }

  mutating func takeDouble() throws(Damage) -> Double {
    Double(bitPattern: try take(UInt64.self))
  }

  mutating func takeBool(_ name: StaticString) throws(Damage) -> Bool {
    let byte = try take(UInt8.self)
    guard byte <= 1 else { throw Damage("\(name) is \(byte)") }
    return byte == 1
  }

  mutating func takeCompact() throws(Damage) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte: UInt8 = try take()
      let bits = UInt64(byte & 0x7F)
      // Each number has exactly one encoding: no bit is lost, and the last byte is not 0.
      guard shift < 63 || bits <= 1, byte != 0 || shift == 0 else { throw Damage.longNumber }
      value |= bits << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      guard shift < 70 else { throw Damage.longNumber }
    }
  }

  mutating func takeCompact<Value: FixedWidthInteger>(
    _ name: StaticString, in range: ClosedRange<Value>
  ) throws(Damage) -> Value {
    let value = try takeCompact()
    guard let exact = Value(exactly: value), range.contains(exact) else { throw Damage("\(name) is \(value)") }
    return exact
  }

  mutating func takeSigned() throws(Damage) -> Int64 {
    let value = try takeCompact()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Skips the byte that ``ByteWriter/putMark()`` writes; returns whether it is next.
  mutating func takeMark() -> Bool { takeByte(9) }

  /// Skips the byte that ``ByteWriter/putHeightMark()`` writes; returns whether it is next.
  mutating func takeHeightMark() -> Bool { takeByte(10) }

  private mutating func takeByte(_ byte: UInt8) -> Bool {
    guard remaining > 0, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  mutating func takeCompactDouble() throws(Damage) -> Double {
    let count = UInt64(try take("length of a number", in: 0...8 as ClosedRange<UInt8>))
    var bits: UInt64 = 0
    for index in 0..<count { bits |= UInt64(try take(UInt8.self)) << (56 - 8 * index) }
    return Double(bitPattern: bits)
  }

  /// A case of an enumeration, or an option set, by its number.
  mutating func take<Value: RawRepresentable>(
    _ type: Value.Type, _ name: StaticString
  ) throws(Damage) -> Value where Value.RawValue: FixedWidthInteger & BitwiseCopyable {
    let raw = try take(Value.RawValue.self)
    guard let value = Value(rawValue: raw) else { throw Damage("\(name) is \(raw)") }
    return value
  }

  /// A number within a range.
  mutating func take<Value: FixedWidthInteger & BitwiseCopyable>(
    _ name: StaticString, in range: ClosedRange<Value>
  ) throws(Damage) -> Value {
    let value = try take(Value.self)
    guard range.contains(value) else { throw Damage("\(name) is \(value)") }
    return value
  }

  /// A probability that is not NaN.
  mutating func takeProbability() throws(Damage) -> Float {
    let probability = Float(bitPattern: try take())
    guard !probability.isNaN, probability >= 0, probability <= 1 else {
      throw Damage("a probability is \(probability)")
    }
    return probability
  }

  /// A signed distance from the limits of a band.
  mutating func takeVerticalDistance() throws(Damage) -> Double {
    let distance = try takeDouble()
    guard distance.isFinite else { throw Damage("a vertical distance is \(distance)") }
    return distance
  }

  mutating func takeBytes(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw Damage("\(bytes.count) bytes end within a text") }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  /// Throws if any bytes remain.
  func end() throws(Damage) {
    guard remaining == 0 else { throw Damage("\(remaining) unexpected bytes follow") }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes in place; throws only what `body` throws.
  func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { buffer throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}
