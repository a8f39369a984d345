import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct RecordTableTests {
  private func entry(_ change: UInt64) -> EventEntry {
    var entry = EventEntry(slot: 0, generation: 1, state: .satisfied, cause: .crossing, date: nil)
    entry.change = change
    return entry
  }

  /// Tests inserting, updating and removing enough records to fill several blocks; the indices of removed records are
  /// reused.
  @Test func keepsEachUntilItIsFreed() throws {
    var random = SeededGenerator("RecordTableTests")
    var records = RecordTable()
    var known: [UInt32: UInt64] = [:]
    for change in 0..<20_000 as Range<UInt64> {
      if known.isEmpty || random.chance(0.7) {
        let index = records.insert(entry(change))
        #expect(known[index] == nil, "a place is given once at a time")
        known[index] = change
      } else if let index = known.keys.randomElement(using: &random) {
        if random.chance(0.5) {
          records.update(index, entry(change))
          known[index] = change
        } else {
          records.remove(index)
          known[index] = nil
        }
      }
    }
    #expect(known.count > 4_096 && Int(known.keys.max() ?? 0) < known.count + 4_000, "places are given again")
    for (index, change) in known { #expect(records[index].change == change) }
    try records.checkInvariants(Array(known.keys))
  }
}
