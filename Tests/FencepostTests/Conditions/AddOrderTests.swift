import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct AddOrderTests {
  private func live(_ order: AddOrder) -> [UInt32] { Array(order.live) }

  @Test func appendsAndRemoves() {
    var order = AddOrder()
    #expect((0..<4).map { order.append($0) } == [1, 2, 3, 4])
    order.remove(1)
    #expect(live(order) == [0, 2, 3])
    #expect(order.append(1) == 5)
    #expect(live(order) == [0, 2, 3, 1])
    #expect(order.count == 4)
    #expect(order.lastGeneration == 5)
  }

  @Test func walksOverGaps() {
    var order = AddOrder()
    for slot in 0..<5 { _ = order.append(UInt32(slot)) }
    for slot in [0, 2, 4] { order.remove(UInt32(slot)) }
    #expect(order.next(after: 0) == 1)
    #expect(order.next(after: 2) == 3)
    #expect(order.next(after: 3) == 3)
    #expect(order.next(after: 4) == nil)
  }

  /// When an add order is compacted, the order and the generations must stay the same.
  @Test func agreesWithAList() throws {
    var random = SeededGenerator("AddOrderTests")
    var order = AddOrder()
    var list: [(slot: UInt32, generation: UInt64)] = []
    var announced: Set<UInt64> = []
    var free: [UInt32] = []
    for step in 0..<8_000 {
      if step < 3_000 || list.isEmpty || random.chance(0.2) {
        let slot = free.popLast() ?? UInt32(list.count)
        let isAnnounced = random.chance(0.1)
        list.append((slot, order.append(slot, isAnnounced: isAnnounced)))
        if isAnnounced { announced.insert(order.lastGeneration) }
      } else {
        let index = random.integer(0...(list.count - 1))
        order.remove(list[index].slot)
        free.append(list[index].slot)
        list.remove(at: index)
      }
      #expect(order.count == list.count)
      if step % 400 == 0 {
        #expect(live(order) == list.map(\.slot))
        #expect(list.allSatisfy { order.generations[Int(order.place(of: $0.slot))] == $0.generation })
        let middle = UInt64(random.integer(0...Int(order.lastGeneration)))
        #expect(order.next(after: middle) == list.first { $0.generation > middle }?.slot)
        let later = list.filter { $0.generation > middle }.map(\.slot)
        #expect(Array(order.live(after: middle)) == later)
        #expect((later.count...order.placeCount).contains(order.count(after: middle)))
        let cut = random.integer(0...order.placeCount)
        #expect(Array(order.live(in: 0..<cut)) + Array(order.live(in: cut..<order.placeCount)) == list.map(\.slot))
        let expected = list.filter { $0.generation > middle && announced.contains($0.generation) }.map(\.slot)
        var found: [UInt32] = []
        order.forEachAnnounced(after: middle) { found.append($0) }
        #expect(found.suffix(expected.count) == expected[...])
        #expect((expected.count...(expected.count + 63)).contains(order.announcedCount(after: middle)))
        try order.checkInvariants()
      }
    }
    #expect(order.placeCount < 3_000)  // it was compacted
  }
}
