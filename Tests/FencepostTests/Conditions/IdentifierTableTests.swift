import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct IdentifierTableTests {
  private func with<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = text
    return text.withUTF8(body)
  }

  @Test func findsWhatWasInserted() {
    var table = IdentifierTable()
    with("home") { table.insert($0, slot: 7) }
    #expect(with("home") { table.slot(of: $0) } == 7)
    #expect(with("Home") { table.slot(of: $0) } == nil)
    #expect(with("hom") { table.slot(of: $0) } == nil)
    #expect(table.string(of: 7) == "home")
    table.remove(slot: 7)
    #expect(with("home") { table.slot(of: $0) } == nil)
  }

  /// Identifiers are compared byte by byte: the two encodings of é are two identifiers.
  @Test func doesNotNormalise() {
    var table = IdentifierTable()
    with("\u{e9}") { table.insert($0, slot: 0) }
    with("e\u{301}") { table.insert($0, slot: 1) }
    #expect(with("\u{e9}") { table.slot(of: $0) } == 0)
    #expect(with("e\u{301}") { table.slot(of: $0) } == 1)
    #expect(table.length(of: 1) == 3)
  }

  /// Tests that the table agrees with a dictionary while it grows, while identifiers are added and removed, and while
  /// it is compacted.
  @Test func agreesWithADictionary() {
    var random = SeededGenerator("IdentifierTableTests")
    var table = IdentifierTable()
    var expected: [String: UInt32] = [:]
    var free: [UInt32] = []
    for step in 0..<6_000 {
      let grows = step < 2_500 || random.chance(step < 4_500 ? 0.5 : 0.05)
      if grows || expected.isEmpty {
        let name = String(repeating: "x", count: random.integer(0...100)) + "\(step)"
        let slot = free.popLast() ?? UInt32(expected.count)
        with(name) { table.insert($0, slot: slot) }
        expected[name] = slot
      } else if let (name, slot) = expected.randomElement(using: &random) {
        table.remove(slot: slot)
        expected[name] = nil
        free.append(slot)
        #expect(with(name) { table.slot(of: $0) } == nil)
      }
      if step % 500 == 0 {
        for (name, slot) in expected {
          #expect(with(name) { table.slot(of: $0) } == slot)
          #expect(table.string(of: slot) == name)
        }
      }
    }
    for (name, slot) in expected { #expect(with(name) { table.slot(of: $0) } == slot) }
  }
}
