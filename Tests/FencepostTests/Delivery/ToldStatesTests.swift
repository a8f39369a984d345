import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ToldStatesTests {
  private let world = DeliveryWorld()
  private var table: ConditionTable { world.table }
  private let a = DeliveryWorld.a
  private let beacon = DeliveryWorld.beacon

  private func told(_ journal: inout Journal) -> ToldStates {
    var told = ToldStates()
    for slot in table.live { told.adopt(slot, date: Int64(slot) * 100, &journal) }
    return told
  }

  private func check(_ told: ToldStates, waiting: [EventEntry] = [], last: [UInt32: EventEntry] = [:]) throws {
    try told.checkInvariants(table, waiting: waiting, last: last)
  }

  @Test func theAssumptionCountsAsReportedBeforeAnyEvent() throws {
    var journal = Journal(isOn: true)
    let told = told(&journal)
    #expect(told.state(of: a, table) == .unknown)
    #expect(told.flags(of: a) == [] && told.refinement(of: beacon) == nil && told.record(of: a) == nil)
    #expect(table.live.map { told.added($0) } == [0, 100, 200, 300])
    #expect(Set(journal.slots) == Set(table.live))
    var exceptions = 0
    told.forEachException { _, _ in exceptions += 1 }
    #expect(exceptions == 0)
    try check(told)
  }

  @Test func aPendingEventCountsAsReported() throws {
    var journal = Journal(isOn: true)
    var told = told(&journal)
    journal.clear()
    var entry = world.change(a, .satisfied, 1)
    entry.diagnostics = .accuracyLimited
    told.note(entry, waits: true, table, &journal)
    #expect(told.state(of: a, table) == .satisfied && told.flags(of: a) == .accuracyLimited)
    #expect(told.record(of: a) == nil)
    #expect(Array(journal.slots) == [a])
    try check(told, waiting: [entry], last: [a: entry])
    told.handOut(a, table)
    told.write(entry, table, &journal)
    #expect(told.record(of: a)?.change == 1)
    try check(told)
  }

  /// Queueing and delivering an event do not mark the condition dirty, because the saved state is part of the event's
  /// row.
  @Test func countingIsNotSaved() {
    var journal = Journal(isOn: true)
    var told = told(&journal)
    journal.clear()
    told.wait(a, table)
    told.wait(a, table)
    var copy = told
    let waiting = copy.drop(a)
    #expect(waiting == 2)
    told.handOut(a, table)
    #expect(journal.slots.isEmpty)
    let dropped = told.drop(a)
    #expect(dropped == 1)
    let nothing = told.drop(a)
    #expect(nothing == 0)
  }

  /// There is one record per condition. Each later event overwrites the condition's record, and removing the condition
  /// frees the record.
  @Test func aRecordIsWrittenInPlace() throws {
    var journal = Journal()
    var told = told(&journal)
    for number in 1...3 as ClosedRange<UInt64> {
      let entry = world.change(a, number % 2 == 0 ? .unsatisfied : .satisfied, number)
      told.note(entry, table, &journal)
      told.write(entry, table, &journal)
      #expect(told.record(of: a)?.change == number)
      try check(told)
    }
    _ = told.drop(a)
    #expect(told.record(of: a) == nil && told.state(of: a, table) == .unknown)
    let other = world.change(DeliveryWorld.b, .satisfied, 4)
    told.note(other, table, &journal)
    told.write(other, table, &journal)
    #expect(told.record(of: a) == nil && told.record(of: DeliveryWorld.b)?.change == 4)
    try check(told)
  }

  /// The record contains the beacon of the last event, or no beacon if the last event has none.
  @Test func theLastEventNamesTheBeacon() throws {
    var journal = Journal()
    var told = told(&journal)
    var near = world.change(beacon, .satisfied, 1)
    near.setRefinement(BeaconIdentityCondition(uuid: someUUID, major: 3, minor: 9))
    told.note(near, table, &journal)
    told.write(near, table, &journal)
    #expect(told.refinement(of: beacon) == BeaconIdentityCondition(uuid: someUUID, major: 3, minor: 9))
    #expect(told.refinement(of: a) == nil)
    try check(told)
    let away = world.change(beacon, .unsatisfied, 2)
    told.note(away, table, &journal)
    told.write(away, table, &journal)
    #expect(told.refinement(of: beacon) == nil)
    told.note(near, table, &journal)
    _ = told.drop(beacon)
    #expect(told.refinement(of: beacon) == nil)
    try check(told)
  }

  @Test func whatWasSavedComesBack() throws {
    var journal = Journal()
    var told = told(&journal)
    var near = world.change(beacon, .satisfied, 1)
    near.diagnostics = .insufficientlyInUse
    near.setRefinement(BeaconIdentityCondition(uuid: someUUID, major: 3, minor: 9))
    told.note(near, table, &journal)
    told.write(near, table, &journal)
    var restored = ToldStates()
    for slot in table.live { restored.restore(added: told.added(slot)) }
    for slot in table.live { restored.restore(slot, told.saved(slot, table), table) }
    for slot in table.live {
      #expect(restored.state(of: slot, table) == told.state(of: slot, table))
      #expect(restored.flags(of: slot) == told.flags(of: slot) && restored.added(slot) == told.added(slot))
      #expect(restored.refinement(of: slot) == told.refinement(of: slot))
      #expect(restored.record(of: slot)?.change == told.record(of: slot)?.change)
    }
    var exceptions: [UInt32] = []
    restored.forEachException { slot, _ in exceptions.append(slot) }
    #expect(exceptions == [beacon], "who was told nothing costs nothing")
    try check(restored)
  }
}
