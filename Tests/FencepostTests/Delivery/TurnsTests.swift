import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TurnsTests {
  private func entry(_ slot: UInt32) -> EventEntry {
    EventEntry(slot: slot, generation: 1, state: .satisfied, cause: .crossing, date: nil)
  }

  @Test func aConditionIsBusyWhileAnEventWaitsOrFlies() throws {
    var turns = Turns()
    #expect(turns.isIdle && !turns.isBusy(1))
    turns.waiting[1] = entry(1)
    turns.flying.insert(2)
    #expect(turns.isBusy(1) && turns.isBusy(2) && !turns.isBusy(3) && !turns.isIdle)
    turns.present[1] = entry(1)
    turns.flags[2] = (date: 1, change: 1)
    try turns.checkInvariants([entry(2)])
    var waiting: [UInt32] = []
    turns.forEachWaiting { waiting.append($0.slot) }
    #expect(waiting == [1])
  }

  /// When a condition is removed, all its entries are removed, so the next condition in the same slot starts without
  /// entries.
  @Test func nothingStaysOfAConditionThatGoes() throws {
    var turns = Turns()
    for slot in [1, 2] as [UInt32] {
      turns.waiting[slot] = entry(slot)
      turns.present[slot] = entry(slot)
      turns.flags[slot] = (date: 1, change: 1)
    }
    turns.flying.insert(3)
    turns.remove(1)
    #expect(!turns.isBusy(1) && turns.present[1] == nil && turns.flags[1] == nil)
    #expect(turns.isBusy(2) && turns.present[2] != nil && turns.flags[2] != nil)
    turns.remove(2)
    turns.remove(3)
    turns.remove(4)
    #expect(turns.isIdle)
    try turns.checkInvariants([])
  }
}
