/// Writes numbers with the least significant byte first, on every machine.
struct ByteWriter: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  /// The smallest capacity in bytes, so that short rows need no second allocation.
  private static let leastCapacity = 64

  init(reserving capacity: Int) {
    self.capacity = max(capacity, Self.leastCapacity)
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    start.deallocate()
  }

  /// The bytes that were written so far; valid until the next write.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  mutating func removeAll() {
    count = 0
  }

  /// Makes room for `more` bytes.
  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    start.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  @inline(__always)
  mutating func put(_ value: Double) {
    put(value.bitPattern)
  }

  @inline(__always)
  mutating func put(_ value: Bool) {
    put(value ? 1 as UInt8 : 0)
  }

  /// Writes seven bits per byte, the least significant bits first (LEB128); bit 7 is set in all bytes except the last.
  @inline(__always)
  mutating func putCompact(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a signed number so that small magnitudes need few bytes (zigzag encoding).
  @inline(__always)
  mutating func putCompact(_ value: Int64) {
    putCompact(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Writes a number that probably has few significant digits: the count of bytes, then the bytes of its bit pattern
  /// without the zero bytes at its end.
  mutating func putCompact(_ value: Double) {
    let bits = value.bitPattern
    let count = 8 - min(bits.trailingZeroBitCount, 64) / 8
    put(UInt8(count))
    for index in 0..<count { put(UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * index))) }
  }

  /// Writes a byte that is never the first byte of a number that ``putCompact(_:)-(Double)`` writes.
  mutating func putMark() { put(9 as UInt8) }

  /// Writes another byte that is never the first byte of such a number.
  mutating func putHeightMark() { put(10 as UInt8) }

  /// Writes the bytes unchanged, without their count.
  mutating func put(_ raw: UnsafeRawBufferPointer) {
    guard let source = raw.baseAddress, raw.count > 0 else { return }
    reserve(raw.count)
    (start + count).copyMemory(from: source, byteCount: raw.count)
    count += raw.count
  }
}
