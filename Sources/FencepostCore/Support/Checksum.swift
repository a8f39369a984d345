/// A 64-bit checksum that detects damage. It always detects a change within one 64-bit word, and misses any other
/// change with a probability of 2⁻⁶⁴.
///
/// Each step is a bijection of the state for a fixed word, and of the word for a fixed state, so two inputs that differ
/// in one word never have the same checksum. The checksum does not protect against deliberate changes.
///
/// The step is the finalizer of A. Appleby's MurmurHash3 (2011), with its constants.
public struct Checksum: Sendable {
  public private(set) var value: UInt64

  public init(seed: UInt64 = 0) {
    value = seed &+ 0x9E37_79B9_7F4A_7C15
  }

  public mutating func add(_ word: UInt64) {
    var state = value ^ word
    state = (state ^ state >> 33) &* 0xFF51_AFD7_ED55_8CCD
    state = (state ^ state >> 33) &* 0xC4CE_B9FE_1A85_EC53
    value = (state ^ state >> 33) &+ 0x9E37_79B9_7F4A_7C15
  }

  /// Adds bytes and their count.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      rest |= UInt64(bytes[offset]) << shift
      shift += 8
      offset += 1
    }
    add(rest)
    add(UInt64(bytes.count))
  }
}
