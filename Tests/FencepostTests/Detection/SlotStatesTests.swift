import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the states of shapes: a shape without an entry is outside if it has been swept, and undetermined if it has
/// not.
@Suite struct SlotStatesTests {
  private var table = ConditionTable(limit: nil)
  private var states = SlotStates()

  private mutating func add(_ identifier: String) -> UInt32 {
    ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes in
      table.enter(Definition(subject: .circle(circle(100)), policy: .standard, tag: 0), identifier: bytes)
    }
    let slot = table.slot(of: identifier)!
    states.adopt(generation: table.generation(of: slot))
    return slot
  }

  private mutating func remove(_ slot: UInt32) {
    table.remove(slot)
    states.drop(slot)
  }

  private func exceptions() -> [UInt32] {
    var slots: [UInt32] = []
    states.forEachException { slot, _ in slots.append(slot) }
    return slots.sorted()
  }

  @Test mutating func whatIsSweptIsOutsideWithoutAnEntry() throws {
    let slots = (0..<10).map { add("\($0)") }
    #expect(!states.isSwept && !states.isSettled)
    #expect(slots.allSatisfy { states.observed($0, table) == .undetermined })
    #expect(states.waitingCount(table) == 10 && states.containsWaiting(table) { $0 == 3 })
    states.sweep(table)
    #expect(states.isSettled && exceptions().isEmpty)
    #expect(slots.allSatisfy { states.isSettledOutside($0, table) })
    try states.checkInvariants(table)
  }

  @Test mutating func anEntryGoesWithWhatMadeItOne() throws {
    let slot = add("a")
    states.sweep(table)
    states.set(slot, .inside, active: 0, table)
    #expect(exceptions() == [slot] && !states.isSettledOutside(slot, table))
    states.setActive(slot, 5, table)
    #expect(states.state(of: slot, table).active == 5)
    states.set(slot, .outside, active: SlotState.none, table)
    #expect(exceptions().isEmpty && states.isSettledOutside(slot, table))
    states.setTooCoarse(slot, table)
    #expect(states.state(of: slot, table).hasMetCoarseFix && states.observed(slot, table) == .undetermined)
    states.setUndetermined(slot, table)
    #expect(!states.state(of: slot, table).hasMetCoarseFix)
    try states.checkInvariants(table)
  }

  /// Each waiting shape is listed once, and the shapes are listed in the order in which they were added. If a waiting
  /// shape is removed and another shape takes its slot, the new shape is not listed.
  @Test mutating func whoWaitsComesInAddOrder() throws {
    let slots = (0..<6).map { add("\($0)") }
    states.sweep(table)
    for slot in [4, 1, 3, 1, 0].map({ slots[$0] }) {
      states.setUndetermined(slot, table)
      states.wait(slot, table)
    }
    remove(slots[3])
    let reused = add("again")
    #expect(reused == slots[3])
    try states.checkInvariants(table)
    #expect(states.takeListed(table) == [slots[0], slots[1], slots[4]], "the new one is not swept through yet")
    #expect(states.takeListed(table).isEmpty)
    #expect(states.observed(reused, table) == .undetermined)
    try states.checkInvariants(table)
  }

  /// A single new shape is swept at once, so that it needs no entry if it is outside. Two new shapes that are added
  /// together are not swept.
  @Test mutating func oneThatComesAloneIsSweptThrough() {
    let first = add("a")
    states.sweepLast(table.generation(of: first))
    #expect(states.isSwept && states.isSettledOutside(first, table))
    let alone = add("alone")
    states.sweepLast(table.generation(of: first))
    #expect(states.observed(alone, table) == .undetermined, "an earlier shape is determined")
    states.sweepLast(table.generation(of: alone))
    let two = [add("b"), add("c")]
    states.sweepLast(table.generation(of: two[1]))
    #expect(!states.isSwept && two.allSatisfy { states.observed($0, table) == .undetermined })
  }

  /// Rebasing chooses whether all shapes or no shapes count as swept, so that fewer entries are needed. Rebasing does
  /// not change the state of any shape.
  @Test mutating func rebasingBelievesTheSame() throws {
    var random = SeededGenerator("SlotStatesTests")
    for share in [0.1, 0.9] {
      self = SlotStatesTests()
      let slots = (0..<200).map { add("\($0)") }
      states.sweep(table)
      for (index, slot) in slots.enumerated() {
        if random.chance(share) {
          states.setUndetermined(slot, table)
          states.wait(slot, table)
        } else if random.chance(0.1) {
          states.set(slot, .inside, active: UInt32(index), table)
        }
      }
      let before = slots.map { states.state(of: $0, table) }
      states.rebase(table)
      for (slot, old) in zip(slots, before) {
        let new = states.state(of: slot, table)
        #expect(new.observed == old.observed && new.active == old.active && new.hasMetCoarseFix == old.hasMetCoarseFix)
      }
      #expect(exceptions().count < 100, "\(exceptions().count) entries")
      let undetermined = slots.filter { states.observed($0, table) == .undetermined }
      #expect(slots.filter { slot in states.containsWaiting(table) { $0 == slot } }.count >= undetermined.count)
      try states.checkInvariants(table)
    }
    states.forgetAll()
    #expect(table.live.allSatisfy { states.observed($0, table) == .undetermined } && exceptions().isEmpty)
  }
}
