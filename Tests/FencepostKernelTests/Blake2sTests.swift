import Testing

@testable import FencepostKernel

@Suite struct Blake2sTests {
  private func digest(_ message: [UInt8]) -> [UInt8] {
    let digest = message.withUnsafeBytes { Blake2s.digest($0) }
    return [digest.first, digest.second].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The expected digests are those of `hashlib.blake2s(message, digest_size=16)` in CPython.
  @Test func agreesWithAnotherImplementation() {
    #expect(hex(digest([])) == "64550d6ffe2c0a01a14aba1eade0200c")
    #expect(hex(digest(Array("abc".utf8))) == "aa4938119b1dc7b87cbad0ffd200d0ae")
    // The digest of the digests of all messages of 0 to 199 bytes. Such a message has zero to four blocks, and its last
    // block may be incomplete.
    let all = (0..<200).flatMap { count in
      digest((0..<count).map { UInt8(truncatingIfNeeded: count * 7 + $0 * 3) })
    }
    #expect(hex(digest(all)) == "ea598871d2c586a630ed7942931485b4")
  }
}
