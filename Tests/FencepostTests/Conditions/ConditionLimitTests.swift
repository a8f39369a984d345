import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ConditionLimitTests {
  @Test func theOldestThatWaitsGetsThePlace() {
    var limit = ConditionLimit(capacity: 2)
    #expect((0..<5).map { limit.enter($0) } == [true, true, false, false, false])
    #expect(limit.leave(2) == nil)  // a waiting one
    #expect(limit.leave(0) == 3)
    #expect(limit.leave(3) == 4)
    #expect(limit.leave(1) == nil)
    #expect([7, 8].map { limit.enter($0) } == [true, false])
  }

  @Test func withoutACapacityAllEnter() {
    var limit = ConditionLimit(capacity: nil)
    #expect((0..<1_000).allSatisfy { limit.enter($0) })
  }

  @Test func agreesWithAList() {
    var random = SeededGenerator("ConditionLimitTests")
    var limit = ConditionLimit(capacity: 10)
    var held: Set<UInt32> = []
    var waiting: [UInt32] = []
    var next: UInt32 = 0
    for _ in 0..<5_000 {
      if random.chance(0.52) || held.isEmpty {
        let isHeld = limit.enter(next)
        #expect(isHeld == (held.count < 10))
        if isHeld { held.insert(next) } else { waiting.append(next) }
        next += 1
      } else if random.chance(0.5), let index = waiting.indices.randomElement(using: &random) {
        #expect(limit.leave(waiting.remove(at: index)) == nil)
      } else if let slot = held.sorted().randomElement(using: &random) {
        held.remove(slot)
        let promoted = waiting.isEmpty ? nil : waiting.removeFirst()
        #expect(limit.leave(slot) == promoted)
        if let promoted { held.insert(promoted) }
      }
    }
  }
}
