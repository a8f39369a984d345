/// Writes numbers with the least significant byte first, whatever the machine.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init() {}

  init(reserving capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ value: Double) {
    put(value.bitPattern)
  }

  mutating func put(_ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  /// The bytes as they are, without their number.
  mutating func put(_ raw: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: raw)
  }

  /// Overwrites what was put at an offset.
  mutating func replace(at offset: Int, by value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { new in
      for (index, byte) in new.enumerated() where offset + index < bytes.count { bytes[offset + index] = byte }
    }
  }
}
