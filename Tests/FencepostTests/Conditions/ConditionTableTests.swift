import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ConditionTableTests {
  private func enter(_ table: inout ConditionTable, _ identifier: String, _ subject: Definition.Subject) {
    ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes in
      table.enter(Definition(subject: subject, policy: .standard, tag: 0), identifier: bytes)
    }
  }

  private func polygon(_ side: Double) throws -> Definition.Subject {
    let corners = [(0.0, 0.0), (0, side), (side, side), (side, 0)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
    return Definition.Subject(try .validated(PolygonalGeographicCondition(exterior: corners).multiple.definition))
  }

  /// Reused slots are sorted by the time when their conditions were added, not by slot number. A slot that occurs more
  /// than once is listed only once.
  @Test func putsSlotsInAddOrderEachOnce() throws {
    var table = ConditionTable(limit: nil)
    for name in ["a", "b", "c", "d"] { enter(&table, name, .circle(circle(100))) }
    table.remove(try #require(table.slot(of: "b")))
    enter(&table, "e", .circle(circle(100)))
    enter(&table, "a", .circle(circle(50)))
    #expect(table.slot(of: "e") == 1, "the slot is used again")
    var slots: ContiguousArray<UInt32> = [0, 1, 3, 1, 2, 0, 0, 3]
    table.putInOrder(&slots)
    #expect(slots == [2, 3, 1, 0])
    var none: ContiguousArray<UInt32> = []
    table.putInOrder(&none)
    #expect(none.isEmpty)
    #expect(slots.elementsEqual(table.live), "each of them is the whole add order")
  }

  /// A new condition with the same identifier reuses the old condition's slot. The shape, the beacon identity and the
  /// entry in the index come only from the new condition.
  @Test func aReplacementOfAnotherKindKeepsTheSlotAlone() throws {
    var table = ConditionTable(limit: nil)
    let beacon = BeaconIdentityCondition(uuid: someUUID, major: 1)
    let subjects: [Definition.Subject] = [.circle(circle(100)), .beacon(beacon), try polygon(0.01)]
    for before in subjects {
      for after in subjects {
        enter(&table, "x", before)
        enter(&table, "x", after)
        #expect(table.slot(of: "x") == 0)
        #expect(table.kind(of: 0) == after.kind)
        #expect(table.isGeographic(0) == after.kind.isGeographic)
        #expect(table.slots(of: beacon) == (after.kind == .beaconIdentity ? [0] : []))
        #expect(table.index.count == (after.kind.isGeographic ? 1 : 0))
        #expect(table.subject(of: 0).isNearlyEqual(to: after))
        #expect(table.definition(of: 0).subject.isNearlyEqual(to: after))
        try table.checkInvariants()
      }
    }
    table.remove(0)
    #expect(table.count == 0 && table.slot(of: "x") == nil && !table.isLive(0) && !table.isGeographic(0))
    try table.checkInvariants()
  }

  @Test func aSlotHoldsTheGenerationThatCameLast() throws {
    var table = ConditionTable(limit: nil)
    enter(&table, "x", .circle(circle(100)))
    let first = table.generation(of: 0)
    enter(&table, "x", .circle(circle(100)))
    #expect(!table.holds(0, first) && table.holds(0, first + 1))
    table.remove(0)
    enter(&table, "y", .circle(circle(100)))
    #expect(table.slot(of: "y") == 0 && !table.holds(0, first + 1) && table.holds(0, first + 2))
  }

  /// When a condition within the limit is removed, its place goes to the condition that has waited longest, even if
  /// waiting conditions were replaced or removed before.
  @Test func aPlaceUnderTheLimitGoesToWhoWaitsLongest() throws {
    var table = ConditionTable(limit: 1)
    for name in ["a", "b", "c", "d"] { enter(&table, name, .circle(circle(100))) }
    func waiting() -> [String] { table.live.filter(table.isOverLimit).map(table.identifiers.string) }
    #expect(waiting() == ["b", "c", "d"])
    enter(&table, "b", .circle(circle(50)))
    #expect(waiting() == ["c", "d", "b"], "a replacement goes to the end of the add order and still waits")
    table.remove(try #require(table.slot(of: "c")))
    table.remove(try #require(table.slot(of: "a")))
    #expect(waiting() == ["d"], "it keeps its place among those that wait")
    try table.checkInvariants()
  }
}
