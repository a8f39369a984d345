import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SlotSetTests {
  @Test func agreesWithASet() {
    var random = SeededGenerator("SlotSetTests")
    var slots = SlotSet()
    var known: Set<UInt32> = []
    #expect(!slots.contains(0) && !slots.contains(.max))
    for _ in 0..<2_000 {
      let slot = UInt32(random.integer(0...200))
      if random.chance(0.5) {
        slots.insert(slot)
        known.insert(slot)
      } else {
        slots.remove(slot)
        known.remove(slot)
      }
      for slot in 0...200 as ClosedRange<UInt32> { #expect(slots.contains(slot) == known.contains(slot)) }
    }
    slots.remove(100_000)
    #expect(!slots.contains(100_000), "what is beyond is in no set, and taking it out needs no memory")
  }
}
