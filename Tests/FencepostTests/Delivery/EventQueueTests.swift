import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct EventQueueTests {
  private func entry(_ change: UInt64) -> EventEntry {
    var entry = EventEntry(slot: 0, generation: 1, state: .satisfied, cause: .crossing, date: nil)
    entry.change = change
    return entry
  }

  @Test func keepsTheOrderOfTheChanges() {
    var queue = EventQueue<EventEntry>()
    for change in [1, 5, 9, 3, 7, 2, 10] as [UInt64] { queue.append(entry(change)) }
    var order: [UInt64] = []
    while let first = queue.first {
      order.append(first.change)
      queue.removeFirst()
    }
    #expect(order == [1, 2, 3, 5, 7, 9, 10])
    #expect(queue.count == 0)
  }

  @Test func filtersBothParts() {
    var queue = EventQueue<EventEntry>()
    for change in [1, 5, 9, 3, 7, 2] as [UInt64] { queue.append(entry(change)) }
    queue.filter { $0.change > 2 }
    #expect(queue.count == 4)
    var order: [UInt64] = []
    while let first = queue.first {
      order.append(first.change)
      queue.removeFirst()
    }
    #expect(order == [3, 5, 7, 9])
  }

  @Test func agreesWithASortedList() {
    var random = SeededGenerator("EventQueueTests")
    var queue = EventQueue<EventEntry>()
    var list: [UInt64] = []  // ascending
    var last: UInt64 = 0
    for step in 0..<30_000 {
      if random.chance(step < 12_000 ? 0.7 : 0.4) || list.isEmpty {
        last += 2
        // A few events are appended out of order: they sort before events that are already in the list.
        let change = random.chance(0.1) && last > 100 ? last - UInt64(random.integer(0...40)) * 2 - 1 : last
        var place = list.count
        while place > 0, list[place - 1] > change { place -= 1 }
        if place > 0, list[place - 1] == change { continue }
        queue.append(entry(change))
        list.insert(change, at: place)
      } else {
        #expect(queue.first?.change == list.first)
        queue.removeFirst()
        list.removeFirst()
      }
      #expect(queue.count == list.count)
    }
  }
}
