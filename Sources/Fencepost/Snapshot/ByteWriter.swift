/// Writes numbers with the least significant byte first, whatever the machine.
struct ByteWriter: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(reserving capacity: Int) {
    self.capacity = max(capacity, 64)
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    start.deallocate()
  }

  /// What was put so far, until the next is.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  mutating func removeAll() {
    count = 0
  }

  /// Makes room for so many more bytes.
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

  /// The bytes as they are, without their number.
  mutating func put(_ raw: UnsafeRawBufferPointer) {
    guard let source = raw.baseAddress, raw.count > 0 else { return }
    reserve(raw.count)
    (start + count).copyMemory(from: source, byteCount: raw.count)
    count += raw.count
  }
}
