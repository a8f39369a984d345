import TestSupport
import Testing

@testable import FencepostKernel

@Suite struct BinaryHeapTests {
  /// Compares a heap with a sorted list under random inserts and removals, for both orders of the elements.
  @Test(arguments: [false, true]) func agreesWithASortedList(isReversed: Bool) {
    var random = SeededGenerator("BinaryHeapTests", salt: isReversed ? 1 : 0)
    let precedes: (Int, Int) -> Bool = isReversed ? { $0 > $1 } : { $0 < $1 }
    var heap = BinaryHeap<Int>()
    var list: [Int] = []
    for _ in 0..<3_000 {
      let element = random.integer(0...50)
      switch random.integer(0...4) {
      case 0...2:
        heap.insert(element, by: precedes)
        list.append(element)
      case 3 where !list.isEmpty:
        heap.replaceFirst(with: element, by: precedes)
        list[0] = element
      default:
        heap.removeFirst(by: precedes)
        if !list.isEmpty { list.removeFirst() }
      }
      list.sort(by: precedes)
      #expect(heap.first == list.first)
      #expect(heap.count == list.count)
    }
    #expect(heap.elements.sorted(by: precedes) == list)
  }
}
