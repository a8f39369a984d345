import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Each method that changes saved state adds the change to the journal, and nothing else is added.
@Suite struct ObservedStatesTests {
  private struct Noted: Equatable {
    var slots: [UInt32]
    var isUrgent: Bool

    static let nothing = Noted(slots: [], isUrgent: false)
  }

  private let engine: MonitorEngine
  private let shape: UInt32
  private let beacon: UInt32
  private var table: ConditionTable { engine.table }

  init() throws {
    var engine = try MonitorEngine(name: "m")
    try engine.add(circle(100), identifier: "c")
    try engine.add(BeaconIdentityCondition(uuid: BeaconUUID(high: 1, low: 2)), identifier: "b")
    self.engine = engine
    shape = try #require(engine.table.slot(of: "c"))
    beacon = try #require(engine.table.slot(of: "b"))
  }

  private var candidate: Candidate {
    Candidate(fix: fix(1, 0), boundaryDistance: -100, deadline: 5, isTimed: true)
  }

  /// The states of the shape and the beacon, with an empty journal.
  private var known: ObservedStates {
    var known = ObservedStates()
    known.beginJournal()
    known.adopt(shape, table)
    known.adopt(beacon, table)
    known.clearJournal()
    return known
  }

  /// The slots that a change marks dirty, and whether the change must be durable before the call returns.
  private func noted(
    _ before: (inout ObservedStates) -> Void = { _ in }, by change: (inout ObservedStates) -> Void
  ) -> Noted {
    var known = known
    before(&known)
    known.clearJournal()
    change(&known)
    return Noted(slots: Array(known.journal.slots), isUrgent: known.journal.isUrgent)
  }

  @Test func whatIsSavedIsNotedByItself() {
    let changes: [(inout ObservedStates) -> Void] = [
      { $0.set(shape, from: SlotState(), to: .outside, active: SlotState.none, table) },
      { $0.open(candidate, shape) },
      { $0.forget(shape, table) },
      { $0.promote(shape) },
      { $0.adopt(shape, table) },
    ]
    for change in changes { #expect(noted(by: change) == Noted(slots: [shape], isUrgent: true)) }
    #expect(noted { $0.setTooCoarse(shape, table) } == Noted(slots: [shape], isUrgent: false))
    #expect(
      noted({ $0.open(candidate, shape) }, by: { _ = $0.closeCandidate(shape) })
        == Noted(slots: [shape], isUrgent: true))
    #expect(noted { _ = $0.closeCandidate(shape) } == .nothing)
  }

  /// If a sweep has settled a shape as outside and a fix then decides the same state, the shape is marked dirty
  /// nevertheless.
  @Test func whatWasSweptIsNotedWhenItIsDecided() {
    let result = noted(
      { $0.sweep(table) },
      by: { known in
        let state = known.shapes.state(of: shape, table)
        #expect(state.observed == .outside)
        known.set(shape, from: state, to: .outside, active: SlotState.none, table)
      })
    #expect(result == Noted(slots: [shape], isUrgent: true))
  }

  @Test func beaconsAreNotedByThemselves() {
    let first = noted { known in
      let before = known.see(beacon, at: 1, deadline: 2)
      #expect(before == .undetermined)
    }
    #expect(first == Noted(slots: [beacon], isUrgent: true))
    let again = noted(
      { _ = $0.see(beacon, at: 1, deadline: 2) },
      by: { known in
        let before = known.see(beacon, at: 2, deadline: 3)
        #expect(before == .inside)
        #expect(known.beacon(beacon)?.lastSighting == 2)
        #expect(known.beacon(beacon)?.deadline == 3)
      })
    #expect(again == Noted(slots: [beacon], isUrgent: false))
    #expect(noted { $0.countAbsence(beacon, until: 7) } == Noted(slots: [beacon], isUrgent: true))
    let absent = noted(
      { _ = $0.see(beacon, at: 1, deadline: 2) },
      by: { known in
        let before = known.settleAbsent(beacon)
        #expect(before?.observed == .inside)
        #expect(known.beacon(beacon)?.observed == .outside)
        #expect(known.beacon(beacon)?.lastSighting == 1)
        #expect(known.beacon(beacon)?.deadline == .max)
      })
    #expect(absent == Noted(slots: [beacon], isUrgent: true))
  }

  /// Calling the methods for beacons with a shape changes nothing.
  @Test func aShapeIsNoBeacon() {
    let change = noted { known in
      let seen = known.see(shape, at: 1, deadline: 2)
      let absent = known.settleAbsent(shape)
      known.endAbsence(shape)
      #expect(seen == .inside)
      #expect(absent == nil)
    }
    #expect(change == .nothing)
  }

  @Test func whatTheHostStatesIsUrgent() {
    #expect(noted { $0.state(HostState(flags: [], unsupportedKinds: 2)) } == Noted(slots: [], isUrgent: true))
    #expect(noted { $0.scan(false) } == Noted(slots: [], isUrgent: true))
    #expect(noted { $0.forgetShapes() } == Noted(slots: [], isUrgent: true))
  }

  /// Derived state is not saved.
  @Test func whatFollowsIsNotNoted() {
    let changes: [(inout ObservedStates) -> Void] = [
      { $0.set(shape, from: SlotState(), to: nil, active: 3, table) },
      { $0.setActive(shape, 3, table) },
      { $0.wait(shape, table) },
      { $0.sweep(table) },
      { $0.sweepLast(table.generation(of: shape)) },
      { _ = $0.takeListed(table) },
      { $0.rebase(table) },
      { $0.keepUndetermined(shape, table) },
      { $0.drop(shape) },
    ]
    for change in changes { #expect(noted(by: change) == .nothing) }
  }

  /// A monitor without a storage records no changes.
  @Test func nobodyIsToldWithoutAStorage() {
    var known = known
    known.endJournal()
    known.open(candidate, shape)
    known.forget(shape, table)
    known.scan(false)
    #expect(known.journal.isEmpty)
  }
}
