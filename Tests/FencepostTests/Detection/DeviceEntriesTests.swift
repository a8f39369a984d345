import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DeviceEntriesTests {
  /// Compares the result of every call with the result of the same call on a dictionary. The number of entries
  /// alternately rises above and falls below the length at which a list gets or loses its index.
  @Test(arguments: 0..<8) func agreesWithADictionary(life: Int) throws {
    var random = SeededGenerator("device entries", salt: UInt64(life))
    var entries = DeviceEntries<Int>()
    var known: [UInt32: Int] = [:]
    let most = [3, 20, 40, 400][life % 4]
    for step in 0..<4_000 {
      let slot = UInt32(random.integer(0...most)) * (life < 4 ? 1 : 1 << 20)
      let isGrowing = (step / 200) % 2 == 0
      switch random.integer(0...9) {
      case 0...2 where isGrowing, 0:
        entries[slot] = step
        known[slot] = step
      case 3, 4:
        entries[slot] = nil
        known[slot] = nil
      case 5: #expect(entries.remove(slot) == (known.removeValue(forKey: slot) != nil), "life \(life), step \(step)")
      case 6: entries[slot]? += 1; known[slot]? += 1
      case 7 where random.chance(0.02):
        entries.removeAll()
        known.removeAll()
      default:
        // The value 0 means that the slot has no entry.
        let value = isGrowing || random.chance(0.3) ? step : 0
        entries.update(slot, or: 0) { $0 = value }
        known[slot] = value == 0 ? nil : value
      }
      let other = UInt32(random.integer(0...most)) * (life < 4 ? 1 : 1 << 20)
      #expect(entries[other] == known[other], "life \(life), step \(step), slot \(other)")
      #expect(entries.count == known.count && entries.isEmpty == known.isEmpty, "life \(life), step \(step)")
      if step % 50 == 49 {
        try entries.checkInvariants()
        var all: [UInt32: Int] = [:]
        entries.forEach { all[$0] = $1 }
        #expect(all == known && Set(entries.slots) == Set(known.keys), "life \(life), step \(step)")
      }
    }
  }
}
