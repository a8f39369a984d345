import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct JournalTests {
  private func entry(_ change: UInt64, slot: UInt32 = 0, generation: UInt64 = 1) -> EventEntry {
    var entry = EventEntry(slot: slot, generation: generation, state: .satisfied, cause: .crossing, date: at(0))
    entry.change = change
    return entry
  }

  @Test func notesNothingForNobody() throws {
    var journal = Journal()
    journal.touch(3)
    journal.markUrgent()
    journal.remove(generation: 1)
    journal.put(entry(1))
    journal.delete(entry(1))
    #expect(journal.isEmpty && !journal.mustSync && journal.revision == 0)
    #expect(journal.slots.isEmpty && journal.removed.isEmpty && journal.events.isEmpty)
    try journal.checkInvariants()
  }

  @Test func aRowIsNotedOnceUntilItIsSaved() throws {
    var journal = Journal(isOn: true)
    #expect(journal.isEmpty)
    for slot in [200, 3, 200, 0, 3] as [UInt32] { journal.touch(slot, isUrgent: false) }
    #expect(journal.slots == [200, 3, 0])
    #expect(!journal.isEmpty && !journal.isUrgent && journal.revision == 0, "it may wait")
    journal.touch(3)
    #expect(journal.slots.count == 3 && journal.isUrgent && journal.mustSync && journal.revision == 1)
    try journal.checkInvariants()
    journal.clear()
    #expect(journal.isEmpty && !journal.isUrgent && !journal.mustSync && journal.revision == 1)
    journal.touch(3)
    #expect(journal.slots == [3])
    try journal.checkInvariants()
  }

  @Test func theLastWordOnAnEventStands() throws {
    var journal = Journal(isOn: true)
    journal.put(entry(7))
    journal.put(entry(8), follows: 7)
    journal.delete(entry(7, generation: 5))
    #expect(journal.events.count == 2)
    if case .delete(let generation)? = journal.events[7] { #expect(generation == 5) } else { Issue.record("deleted") }
    if case .put(_, let follows)? = journal.events[8] { #expect(follows == 7) } else { Issue.record("put") }
    try journal.checkInvariants()
  }

  /// If a save fails, the next save also writes the changes of the failed save. If the failed save and the next save
  /// both change the same event, the change of the next save is written.
  @Test func takesInWhatWasNotSaved() throws {
    var earlier = Journal(isOn: true)
    earlier.touch(1)
    earlier.put(entry(7))
    earlier.put(entry(9))
    earlier.remove(generation: 4)
    var journal = Journal(isOn: true)
    journal.touch(1, isUrgent: false)
    journal.touch(2, isUrgent: false)
    journal.delete(entry(7, generation: 6))
    journal.remove(generation: 5)
    journal.add(earlier: earlier)
    #expect(journal.isUrgent && journal.mustSync)
    #expect(Set(journal.slots) == [1, 2] && journal.slots.count == 2)
    #expect(journal.removed.sorted() == [4, 5])
    if case .delete(let generation)? = journal.events[7] { #expect(generation == 6) } else { Issue.record("deleted") }
    #expect(journal.events[9] != nil)
    try journal.checkInvariants()
  }
}
