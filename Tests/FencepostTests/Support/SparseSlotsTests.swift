import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SparseSlotsTests {
  private struct Number: SparseValue, Equatable {
    var value: UInt64 = 0
  }

  /// Compares reads and writes with those of a dictionary while the table becomes nearly full and nearly empty in turn.
  /// The used slots are multiples of `stride`.
  @Test(arguments: [1, 64, 4_096]) func agreesWithADictionary(stride: Int) throws {
    for life in 0..<12 {
      var random = SeededGenerator("sparse slots", salt: UInt64(life * 10_000 + stride))
      var slots = SparseSlots<Number>()
      var known: [UInt32: Number] = [:]
      let largest = [10, 300, 5_000][life % 3]
      for step in 0..<6_000 {
        // The table becomes nearly full and nearly empty in turn, so that it grows, becomes direct, and shrinks again.
        let share = (step / 1_000) % 2 == 0 ? 0.9 : 0.1
        let slot = UInt32(random.integer(0...largest) * stride)
        if random.chance(share) {
          slots[slot] = Number(value: UInt64(step))
          known[slot] = Number(value: UInt64(step))
        } else {
          slots[slot] = nil
          known[slot] = nil
        }
        let other = UInt32(random.integer(0...(largest + 2)) * stride)
        #expect(slots[other] == known[other], "life \(life), step \(step), slot \(other)")
        #expect(slots.count == known.count, "life \(life), step \(step)")
        if step % 500 == 499 {
          try slots.checkInvariants()
          var walked: [UInt32: Number] = [:]
          slots.forEach { walked[$0] = $1 }
          #expect(walked == known, "life \(life), step \(step)")
        }
      }
    }
  }

  /// Tests the largest possible slot number, and a table in which every slot is used.
  @Test func extremesAreFound() throws {
    var slots = SparseSlots<Number>()
    for slot in [UInt32.max - 1, 0, 1 << 31] { slots[slot] = Number(value: UInt64(slot)) }
    #expect(slots[.max - 1]?.value == UInt64(UInt32.max - 1))
    #expect(slots[1] == nil)
    #expect(slots.placeCount <= 16)
    var full = SparseSlots<Number>()
    for slot in 0..<UInt32(4_096) { full[slot] = Number(value: UInt64(slot)) }
    #expect(full.placeCount == 4_096)
    #expect((0..<UInt32(4_096)).allSatisfy { full[$0]?.value == UInt64($0) })
    #expect(full[4_096] == nil && full[.max] == nil)
    try full.checkInvariants()
    for slot in 0..<UInt32(4_095) { full[slot] = nil }
    #expect(full.placeCount <= 1_024, "what is not needed is given back")
    #expect(full[4_095]?.value == 4_095)
    try full.checkInvariants()
  }
}
