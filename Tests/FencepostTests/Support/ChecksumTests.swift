import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ChecksumTests {
  private func sum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    var sum = Checksum(seed: seed)
    bytes.withUnsafeBytes { sum.add($0) }
    return sum.value
  }

  /// Stored files contain these checksums, so the algorithm must never change.
  @Test func isWhatFilesHold() {
    #expect(Checksum().value == 0x9E37_79B9_7F4A_7C15)
    var word = Checksum()
    word.add(0x9E37_79B9_7F4A_7C15 as UInt64)
    #expect(word.value == 0x9E37_79B9_7F4A_7C15, "the finalizer leaves 0 alone")
    #expect(Checksum(seed: 1).value == 0x9E37_79B9_7F4A_7C16)
  }

  @Test func everyBitOfEveryLengthCounts() {
    for length in 0..<40 {
      let bytes = (0..<length).map { UInt8($0 * 7 % 251) }
      let whole = sum(bytes)
      #expect(sum(bytes, seed: 1) != whole)
      #expect(sum(bytes + [0]) != whole, "a zero more, after \(length) bytes")
      for bit in 0..<length * 8 {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        #expect(sum(damaged) != whole, "bit \(bit) of \(length) bytes")
      }
    }
  }

  @Test func orderCounts() {
    #expect(sum(Array(0..<16)) != sum(Array(8..<16) + Array(0..<8)))
  }
}
