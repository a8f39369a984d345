import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SilentChangesTests {
  private func entry(_ slot: UInt32, _ change: UInt64) -> EventEntry {
    var entry = EventEntry(slot: slot, generation: 1, state: .satisfied, cause: .crossing, date: nil)
    entry.change = change
    return entry
  }

  @Test func waitsForTheLastEventOfItsCondition() {
    var silent = SilentChanges()
    silent.queued(entry(1, 1))
    silent.queued(entry(1, 3))
    let waits = [silent.wait(entry(2, 4)), silent.wait(entry(1, 5)), silent.wait(entry(1, 6))]
    #expect(waits.map { $0?.event } == [nil, 3, 3])
    #expect(waits.map { $0?.replaced?.change } == [nil, nil, 5])
    let turns = [silent.handled(entry(1, 1)), silent.handled(entry(1, 3))]
    #expect(turns.map { $0?.change } == [nil, 6])
    let waitsAgain = silent.wait(entry(1, 7))
    #expect(waitsAgain == nil)
  }

  @Test func goesWithItsCondition() {
    var silent = SilentChanges()
    silent.queued(entry(1, 1))
    let waits = silent.wait(entry(1, 2))
    #expect(waits?.event == 1)
    silent.remove(1)
    silent.dropped(entry(1, 1))
    let turn = silent.handled(entry(1, 1))
    #expect(turn == nil)
    let waitsAgain = silent.wait(entry(1, 3))
    #expect(waitsAgain == nil)
  }
}
