/// BLAKE2s with a digest of 16 bytes and without a key (RFC 7693): different messages do not get equal digests by
/// accident (the probability is n² / 2^129 among n messages), and producing equal digests on purpose takes about 2^64
/// attempts.
package enum Blake2s {
  private static let initial: (SIMD4<UInt32>, SIMD4<UInt32>) = (
    SIMD4(0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A), SIMD4(0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)
  )

  /// Returns the order in which a round uses the 16 words of the block; each hexadecimal digit is the number of a word
  /// (RFC 7693, 2.7).
  private static func order(_ round: Int) -> UInt64 {
    switch round {
    case 0: 0x0123_4567_89AB_CDEF
    case 1: 0xEA48_9FD6_1C02_B753
    case 2: 0xB8C0_52FD_AE36_7194
    case 3: 0x7931_DCBE_265A_40F8
    case 4: 0x9057_24AF_E1BC_683D
    case 5: 0x2C6A_0B83_4D75_FE19
    case 6: 0xC51F_ED4A_0763_928B
    case 7: 0xDB7E_C139_50F4_862A
    case 8: 0x6FE9_B308_C2D7_14A5
    default: 0xA284_7615_FB9E_3CD0
    }
  }

  /// The digest of 16 bytes, as two little-endian numbers of 8 bytes.
  package static func digest(_ message: UnsafeRawBufferPointer) -> (first: UInt64, second: UInt64) {
    var state = initial
    // This value selects a digest of 16 bytes, no key, and sequential hashing (fan-out 1, depth 1).
    state.0.x ^= 0x0101_0010
    var start = 0
    repeat {
      let count = min(64, message.count - start)
      var block = SIMD16<UInt32>()
      if count == 64 {
        for word in 0..<16 {
          block[word] = UInt32(littleEndian: message.loadUnaligned(fromByteOffset: start + 4 * word, as: UInt32.self))
        }
      } else {
        for offset in 0..<count {
          block[offset / 4] |= UInt32(message[start + offset]) << UInt32(offset % 4 * 8)
        }
      }
      start += count
      compress(&state, block, length: UInt64(start), isLast: start == message.count)
    } while start < message.count
    return (
      UInt64(state.0.x) | UInt64(state.0.y) << 32, UInt64(state.0.z) | UInt64(state.0.w) << 32
    )
  }

  private static func compress(
    _ state: inout (SIMD4<UInt32>, SIMD4<UInt32>), _ block: SIMD16<UInt32>, length: UInt64, isLast: Bool
  ) {
    var (a, b, c, d) = (state.0, state.1, initial.0, initial.1)
    d.x ^= UInt32(truncatingIfNeeded: length)
    d.y ^= UInt32(truncatingIfNeeded: length >> 32)
    if isLast { d.z = ~d.z }
    for round in 0..<10 {
      let order = order(round)
      func words(_ first: UInt64) -> SIMD4<UInt32> {
        func word(_ step: UInt64) -> UInt32 { block[Int(order &>> (60 &- 4 &* step) & 15)] }
        return SIMD4(word(first), word(first &+ 2), word(first &+ 4), word(first &+ 6))
      }
      mix(&a, &b, &c, &d, words(0), words(1))
      (b, c, d) = (SIMD4(b.y, b.z, b.w, b.x), SIMD4(c.z, c.w, c.x, c.y), SIMD4(d.w, d.x, d.y, d.z))
      mix(&a, &b, &c, &d, words(8), words(9))
      (b, c, d) = (SIMD4(b.w, b.x, b.y, b.z), SIMD4(c.z, c.w, c.x, c.y), SIMD4(d.y, d.z, d.w, d.x))
    }
    state.0 ^= a ^ c
    state.1 ^= b ^ d
  }

  /// Applies the function G of RFC 7693 to all four columns, or to all four diagonals, at once.
  @inline(__always)
  private static func mix(
    _ a: inout SIMD4<UInt32>, _ b: inout SIMD4<UInt32>, _ c: inout SIMD4<UInt32>, _ d: inout SIMD4<UInt32>,
    _ one: SIMD4<UInt32>, _ other: SIMD4<UInt32>
  ) {
    a = a &+ b &+ one
    d = rotated(d ^ a, 16)
    c = c &+ d
    b = rotated(b ^ c, 12)
    a = a &+ b &+ other
    d = rotated(d ^ a, 8)
    c = c &+ d
    b = rotated(b ^ c, 7)
  }

  @inline(__always)
  private static func rotated(_ words: SIMD4<UInt32>, _ count: UInt32) -> SIMD4<UInt32> {
    (words &>> count) | (words &<< (32 &- count))
  }
}
