/// The instants at which something becomes due, earliest first.
///
/// At most one entry a slot counts; entries that were overtaken stay in the heap and are skipped when they come
/// up. What is due is decided by the detectors: an entry is a reminder to look.
struct Deadlines: Sendable {
  private struct Entry {
    var time: Int64
    var slot: UInt32
  }

  private var heap: ContiguousArray<Entry> = []
  private var scheduled: [UInt32: Int64] = [:]

  /// The earliest entry, `Int64.max` when there is none. May be earlier than anything that is due.
  private(set) var earliest: Int64 = .max

  /// Reminds of a slot at a time, or earlier when an earlier reminder is there already.
  mutating func schedule(_ slot: UInt32, at time: Int64) {
    if let known = scheduled[slot], known <= time { return }
    scheduled[slot] = time
    heap.append(Entry(time: time, slot: slot))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].time < heap[parent].time else { break }
      heap.swapAt(child, parent)
      child = parent
    }
    earliest = heap[0].time
  }

  /// Takes the slots out whose reminder is at or before a time, in no particular order.
  mutating func take(through time: Int64, into slots: inout ContiguousArray<UInt32>) {
    while let first = heap.first, first.time <= time {
      removeFirst()
      if scheduled[first.slot] == first.time {
        scheduled[first.slot] = nil
        slots.append(first.slot)
      }
    }
    earliest = heap.first?.time ?? .max
  }

  /// Forgets a slot.
  mutating func cancel(_ slot: UInt32) {
    guard !heap.isEmpty else { return }
    scheduled[slot] = nil
    if heap.count > 64, heap.count > scheduled.count * 4 {
      let live = heap.filter { scheduled[$0.slot] == $0.time }
      heap = []
      scheduled = [:]
      earliest = .max
      for entry in live { schedule(entry.slot, at: entry.time) }
    }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
      guard heap[child].time < heap[parent].time else { break }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
