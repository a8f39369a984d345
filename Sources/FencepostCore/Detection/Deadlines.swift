import FencepostKernel

/// The instants at which something becomes due, earliest first.
///
/// At most one entry a slot counts; entries that were overtaken stay in the heap and are skipped when they come
/// up. What is due is decided by the detectors: an entry is a reminder to look.
struct Deadlines: Sendable {
  private struct Entry: Comparable {
    var time: Int64
    var slot: UInt32

    static func < (one: Entry, two: Entry) -> Bool { one.time < two.time }
  }

  /// Entries that were overtaken are dropped when they are most of the heap, all but one of so many: each time costs a look
  /// at all of it, and each that stays is one step more for some others.
  private static let shareInForce = 4
  /// A heap of at most so many entries is left as it is.
  private static let fewEntries = 64

  private var heap = BinaryHeap<Entry>()
  private var scheduled = DeviceEntries<Int64>()

  /// A time that is not later than the earliest entry; `Int64.max` without entries.
  private(set) var earliest: Int64 = .max

  /// Reminds of a slot at a time, or earlier when an earlier reminder is there already.
  mutating func schedule(_ slot: UInt32, at time: Int64) {
    if let known = scheduled[slot], known <= time { return }
    scheduled[slot] = time
    heap.insert(Entry(time: time, slot: slot))
    earliest = heap.first?.time ?? .max
  }

  /// Takes the slots out whose reminder is at or before a time, in no particular order.
  mutating func take(through time: Int64, into slots: inout ContiguousArray<UInt32>) {
    while let first = heap.first, first.time <= time {
      heap.removeFirst()
      if scheduled[first.slot] == first.time {
        scheduled[first.slot] = nil
        slots.append(first.slot)
      }
    }
    earliest = heap.first?.time ?? .max
  }

  /// The slots that have a reminder, some of them more than once, and slots that had one.
  var remindedSlots: some Sequence<UInt32> { heap.elements.lazy.map { $0.slot } }

  /// Forgets everything.
  mutating func removeAll() {
    guard heap.count > 0 else { return }
    heap = BinaryHeap()
    scheduled.removeAll()
    earliest = .max
  }

  /// Forgets a slot.
  mutating func cancel(_ slot: UInt32) {
    guard heap.count > 0 else { return }
    scheduled[slot] = nil
    if heap.count > Self.fewEntries, heap.count > scheduled.count * Self.shareInForce {
      heap = BinaryHeap(heap.elements.filter { scheduled[$0.slot] == $0.time })
      earliest = heap.first?.time ?? .max
    }
  }
}

#if FENCEPOST_INVARIANTS
  extension Deadlines {
    /// When a slot is looked at; `nil` when nothing reminds of it.
    func reminder(of slot: UInt32) -> Int64? { scheduled[slot] }

    func checkInvariants() throws(Invariant.Broken) {
      let times = Dictionary(grouping: heap.elements, by: { $0.slot }).mapValues { Set($0.map { $0.time }) }
      try scheduled.checkInvariants()
      for slot in scheduled.slots {
        try Invariant.hold(
          reminder(of: slot).map { times[slot]?.contains($0) == true } ?? false, "each reminder is in the heap")
      }
      try Invariant.hold(
        earliest == heap.elements.map { $0.time }.min() ?? .max, "the earliest reminder comes first")
    }
  }
#endif
