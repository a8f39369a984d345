import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the delivery `every`: each reportable change is an event, and a change without an event is recorded after the
/// earlier events of its condition.
@Suite struct EveryOutboxTests {
  private var world = DeliveryWorld()
  private var every = EveryOutbox()
  private let a = DeliveryWorld.a
  private let entries = DeliveryWorld.entries

  private mutating func observe(_ slot: UInt32, _ state: Event.State, _ number: UInt64) {
    every.observe(world.change(slot, state, 0), change: number, &world.post, world.host, world.table)
  }

  /// Delivers the next event and returns it.
  private mutating func take() -> EventEntry? {
    while let entry = world.post.takeFirst() {
      if let taken = every.take(entry, world.table) {
        world.post.waitsNoMore(taken.slot, world.table)
        return taken
      }
    }
    return nil
  }

  @Test mutating func reportedStatesAreNotReportedAgain() {
    observe(a, .satisfied, 1)
    observe(a, .satisfied, 2)
    observe(a, .unsatisfied, 3)
    #expect(world.queued == [1, 3] && world.post.pendingEvents == 2)
    #expect(world.told(a) == .unsatisfied && world.record(a) == nil, "told when it waits, in the record when handled")
  }

  @Test mutating func theRecordIsTheLastThatWasCommitted() throws {
    observe(a, .satisfied, 1)
    observe(a, .unsatisfied, 2)
    let first = try #require(take())
    every.commit(first, &world.post, world.table)
    #expect(world.record(a) == .satisfied && world.told(a) == .unsatisfied)
    let second = try #require(take())
    every.commit(second, &world.post, world.table)
    #expect(world.record(a) == .unsatisfied && world.post.pendingEvents == 0)
    let none = take()
    #expect(none == nil)
  }

  /// A change without an event is recorded at once, unless an event of its condition is still unacknowledged.
  @Test mutating func aSilentChangeWaitsForItsTurn() throws {
    observe(a, .satisfied, 1)
    observe(entries, .unsatisfied, 2)
    #expect(world.record(entries) == .unsatisfied, "other conditions do not hold it up")
    observe(entries, .satisfied, 3)
    observe(entries, .unsatisfied, 4)
    #expect(world.queued == [1, 3] && every.silent.count == 1)
    #expect(world.told(entries) == .unsatisfied && world.record(entries) == .unsatisfied)
    let first = try #require(take())
    every.commit(first, &world.post, world.table)
    #expect(every.silent.count == 1)
    let entry = try #require(take())
    #expect(entry.slot == entries && entry.state == .satisfied)
    every.commit(entry, &world.post, world.table)
    #expect(world.post.told.record(of: entries)?.change == 4 && every.silent.count == 0)
  }

  /// The journal contains each change without an event that must wait, with the event after which it is recorded.
  @Test mutating func whatIsKeptIsNoted() throws {
    world.post.beginJournal()
    observe(entries, .satisfied, 1)
    observe(entries, .unsatisfied, 2)
    guard case .put(let kept, 1) = world.post.journal.events[2] else {
      Issue.record("it is not noted behind its event")
      return
    }
    #expect(kept.slot == entries && kept.state == .unsatisfied)
    let event = try #require(take())
    every.commit(event, &world.post, world.table)
    guard case .delete = world.post.journal.events[2] else {
      Issue.record("its row stays")
      return
    }
  }

  @Test mutating func newFlagsAreReported() throws {
    observe(a, .satisfied, 1)
    world.host.flags = .accuracyLimited
    every.flagsChanged(a, date: 5, change: 2, &world.post, world.host, world.table)
    every.flagsChanged(a, date: 6, change: 3, &world.post, world.host, world.table)
    #expect(world.queued == [1, 2])
    _ = take()
    let told = try #require(take())
    #expect(told.cause == .diagnostic && told.state == .satisfied && told.diagnostics == .accuracyLimited)
    #expect(told.date == 5)
  }

  @Test mutating func eventsOfARemovedConditionAreVoid() {
    observe(a, .satisfied, 1)
    observe(entries, .satisfied, 2)
    observe(entries, .unsatisfied, 3)
    let generation = world.table.generation(of: entries)
    world.enter("entries", notify: [.initial, .entry])
    world.post.drop(entries, generation: generation)
    every.remove(entries)
    #expect(world.post.pendingEvents == 1 && every.silent.count == 1)
    let first = take()
    #expect(first?.slot == a)
    let none = take()
    #expect(none == nil && every.silent.count == 0, "the silent change goes with the event that it followed")
    observe(entries, .unsatisfied, 4)
    #expect(world.record(entries) == .unsatisfied, "the new condition waits for nothing")
  }

  @Test mutating func aSilentChangeIsRestoredBehindItsEventAlone() throws {
    let event = world.change(entries, .satisfied, 2)
    let silent = world.change(entries, .unsatisfied, 3)
    #expect(throws: Damage.self) { try every.restore(silent, follows: 2, &world.post, world.table) }
    try every.restore(event, follows: 0, &world.post, world.table)
    #expect(throws: Damage.self, "it follows itself") {
      try every.restore(silent, follows: 3, &world.post, world.table)
    }
    try every.restore(silent, follows: 2, &world.post, world.table)
    #expect(throws: Damage.self, "two follow one event") {
      try every.restore(silent, follows: 2, &world.post, world.table)
    }
    #expect(world.post.pendingEvents == 1 && every.silent.count == 1)
  }
}
