import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the delivery modes `first` and `latest`: each condition has at most one pending event, and the next event may
/// follow when the pending event is acknowledged.
@Suite struct TurnOutboxTests {
  private struct Mode {
    var world = DeliveryWorld()
    var outbox: TurnOutbox
    private var flying: [EventEntry] = []

    init(replaces: Bool) {
      outbox = TurnOutbox(replaces: replaces)
    }

    mutating func observe(_ slot: UInt32, _ state: Event.State, _ number: UInt64) {
      outbox.observe(world.change(slot, state, number), &world.post, world.host, world.table)
    }

    mutating func flagsChanged(_ slot: UInt32, _ flags: Diagnostics, _ number: UInt64) {
      world.host.flags = flags
      outbox.flagsChanged(slot, date: Int64(number), change: number, &world.post, world.host, world.table)
    }

    /// Delivers the next event and returns its change number; 0 if no event is pending.
    mutating func take() -> UInt64 {
      while let entry = world.post.takeFirst() {
        if let taken = outbox.take(entry, world.table) {
          world.post.waitsNoMore(taken.slot, world.table)
          flying.append(taken)
          return taken.change
        }
      }
      return 0
    }

    /// Commits the delivered event.
    mutating func commit() throws {
      let committed = flying
      flying = []
      for entry in committed { outbox.commit(entry, &world.post, world.host, world.table) }
      try outbox.turns.checkInvariants([])
    }
  }

  private let a = DeliveryWorld.a
  private let entries = DeliveryWorld.entries

  // MARK: - first

  @Test func firstKeepsTheEventThatWaits() throws {
    var first = Mode(replaces: false)
    first.observe(a, .satisfied, 1)
    first.observe(a, .unsatisfied, 2)
    first.observe(a, .satisfied, 3)
    first.observe(a, .unsatisfied, 4)
    #expect(first.world.post.pendingEvents == 1 && first.outbox.turns.present[a]?.change == 4)
    #expect(first.world.told(a) == .unknown, "what waits was not told yet")
    #expect(first.take() == 1)
    #expect(first.take() == 0)
    try first.commit()
    #expect(first.world.record(a) == .satisfied)
    #expect(first.take() == 4, "what is observed now is the next event")
    try first.commit()
    #expect(first.world.record(a) == .unsatisfied && first.take() == 0 && first.outbox.turns.isIdle)
  }

  @Test func firstForgetsWhatCameBack() throws {
    var first = Mode(replaces: false)
    first.observe(a, .satisfied, 1)
    #expect(first.take() == 1)
    first.observe(a, .unsatisfied, 2)
    first.observe(a, .satisfied, 3)
    try first.commit()
    #expect(first.take() == 0 && first.outbox.turns.present[a] == nil)
  }

  // MARK: - latest

  @Test func latestReplacesTheEventThatWaits() throws {
    var latest = Mode(replaces: true)
    latest.observe(a, .satisfied, 1)
    latest.observe(DeliveryWorld.b, .satisfied, 2)
    latest.observe(a, .unsatisfied, 3)
    #expect(latest.world.post.pendingEvents == 2)
    #expect([latest.take(), latest.take(), latest.take()] == [2, 3, 0], "it has the place of its own change")
    try latest.commit()
    #expect(latest.world.record(a) == .unsatisfied)
  }

  @Test func latestDropsWhatIsBackAtTheRecord() throws {
    var latest = Mode(replaces: true)
    latest.observe(a, .satisfied, 1)
    #expect(latest.take() == 1)
    try latest.commit()
    latest.observe(a, .unsatisfied, 2)
    latest.observe(a, .satisfied, 3)
    #expect(latest.world.post.pendingEvents == 0 && latest.take() == 0 && latest.outbox.turns.isIdle)
  }

  @Test func latestTellsWhatIsObservedBehindAnEventInFlight() throws {
    var latest = Mode(replaces: true)
    latest.observe(a, .satisfied, 1)
    #expect(latest.take() == 1)
    latest.observe(a, .unsatisfied, 2)
    #expect(latest.world.post.pendingEvents == 0, "it waits behind what flies, in no queue")
    try latest.commit()
    #expect(latest.take() == 2)
  }

  // MARK: - Both

  @Test(arguments: [false, true]) func aSilentChangeIsTheRecordAtOnce(_ replaces: Bool) throws {
    var mode = Mode(replaces: replaces)
    mode.observe(entries, .satisfied, 1)
    #expect(mode.take() == 1)
    try mode.commit()
    mode.observe(entries, .unsatisfied, 2)
    #expect(mode.world.record(entries) == .unsatisfied && mode.world.told(entries) == .unsatisfied)
    #expect(mode.take() == 0 && mode.outbox.turns.isIdle)
  }

  @Test(arguments: [false, true]) func flagsBehindAnEventAreReportedAfterIt(_ replaces: Bool) throws {
    var mode = Mode(replaces: replaces)
    mode.observe(a, .satisfied, 1)
    #expect(mode.take() == 1)
    mode.flagsChanged(a, .accuracyLimited, 2)
    #expect(mode.world.post.pendingEvents == 0 && mode.outbox.turns.flags[a]?.change == 2)
    try mode.commit()
    #expect(mode.world.post.pendingEvents == 1)
    #expect(mode.take() == 2)
    try mode.commit()
    let record = try #require(mode.world.post.told.record(of: a))
    #expect(record.cause == .diagnostic && record.state == .satisfied && record.diagnostics == .accuracyLimited)
    #expect(mode.outbox.turns.flags[a] == nil)
  }

  @Test(arguments: [false, true]) func flagsThatWereTakenBackAreNoNews(_ replaces: Bool) throws {
    var mode = Mode(replaces: replaces)
    mode.observe(a, .satisfied, 1)
    #expect(mode.take() == 1)
    mode.flagsChanged(a, .accuracyLimited, 2)
    mode.flagsChanged(a, [], 3)
    try mode.commit()
    #expect(mode.take() == 0 && mode.outbox.turns.isIdle && mode.outbox.turns.flags.isEmpty)
  }

  @Test(arguments: [false, true]) func whatIsObservedBehindAnEventCanBeForgotten(_ replaces: Bool) throws {
    var mode = Mode(replaces: replaces)
    mode.observe(a, .satisfied, 1)
    #expect(mode.take() == 1)
    mode.observe(a, .unsatisfied, 2)
    mode.outbox.forgetPresent(a, &mode.world.post)
    #expect(mode.outbox.turns.present.isEmpty)
    try mode.commit()
    #expect(mode.take() == 0 && mode.world.record(a) == .satisfied)
  }

  @Test(arguments: [false, true]) func nothingOfARemovedConditionIsHandedOut(_ replaces: Bool) {
    var mode = Mode(replaces: replaces)
    mode.observe(a, .satisfied, 1)
    mode.observe(DeliveryWorld.b, .satisfied, 2)
    let generation = mode.world.table.generation(of: a)
    mode.world.enter("a")
    mode.world.post.drop(a, generation: generation)
    mode.outbox.remove(a)
    #expect(mode.take() == 2)
    #expect(mode.take() == 0)
  }

  @Test(arguments: [false, true]) func twoEventsOfAConditionAreNotRestored(_ replaces: Bool) throws {
    var mode = Mode(replaces: replaces)
    let table = mode.world.table
    var flying = mode.world.change(a, .satisfied, 1)
    flying.sequence = 1
    let waiting = mode.world.change(DeliveryWorld.b, .satisfied, 2)
    try mode.outbox.restore(flying, follows: 0, &mode.world.post, table)
    try mode.outbox.restore(waiting, follows: 0, &mode.world.post, table)
    let world = mode.world
    for another in [flying, waiting, world.change(a, .unsatisfied, 3), world.change(DeliveryWorld.b, .satisfied, 3)] {
      #expect(throws: Damage.self) { try mode.outbox.restore(another, follows: 0, &mode.world.post, table) }
    }
    #expect(throws: Damage.self, "only `every` has changes that follow events") {
      try mode.outbox.restore(world.change(entries, .satisfied, 4), follows: 1, &mode.world.post, table)
    }
    #expect(mode.world.post.pendingEvents == 1)
    try mode.outbox.turns.checkInvariants([flying])
  }
}
