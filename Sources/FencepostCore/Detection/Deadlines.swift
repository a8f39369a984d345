import FencepostKernel

/// The times at which conditions become due, earliest first.
///
/// At most one entry of each slot is valid. Outdated entries stay in the heap and are skipped when they come first. An
/// entry is only a reminder to look at the slot; the detectors decide whether something is due.
struct Deadlines: Sendable {
  private struct Entry: Comparable {
    var time: Int64
    var slot: UInt32

    static func < (one: Entry, two: Entry) -> Bool { one.time < two.time }
  }

  /// If the valid entries are fewer than one in `shareInForce`, the outdated entries are removed. Removal visits the
  /// whole heap, and each outdated entry makes other operations slower.
  private static let shareInForce = 4
  /// A heap with at most this many entries is never cleaned.
  private static let fewEntries = 64

  private var heap = BinaryHeap<Entry>()
  private var scheduled = DeviceEntries<Int64>()

  /// A time that is not later than the earliest entry; `Int64.max` without entries.
  private(set) var earliest: Int64 = .max
  /// The next edge of a schedule; `Int64.max` without edges.
  private(set) var edge: Int64 = .max

  /// Sets the next edge of a schedule.
  mutating func setEdge(_ time: Int64) {
    edge = time
    refresh()
  }

  /// The earliest reminder; `Int64.max` without reminders.
  var earliestReminder: Int64 { heap.first?.time ?? .max }

  private mutating func refresh() { earliest = min(earliestReminder, edge) }

  /// Schedules a reminder for a slot; an earlier reminder stays.
  mutating func schedule(_ slot: UInt32, at time: Int64) {
    if let known = scheduled[slot], known <= time { return }
    scheduled[slot] = time
    heap.insert(Entry(time: time, slot: slot))
    refresh()
  }

  /// Removes the reminders at or before a time and appends their slots, in no particular order.
  mutating func take(through time: Int64, into slots: inout ContiguousArray<UInt32>) {
    while let first = heap.first, first.time <= time {
      heap.removeFirst()
      if scheduled[first.slot] == first.time {
        scheduled[first.slot] = nil
        slots.append(first.slot)
      }
    }
    refresh()
  }

  /// The slots in the heap: those with a reminder, some of them more than once, and some whose reminder is outdated.
  var remindedSlots: some Sequence<UInt32> { heap.elements.lazy.map { $0.slot } }

  /// Removes all reminders.
  mutating func removeAll() {
    guard heap.count > 0 else { return }
    heap = BinaryHeap()
    scheduled.removeAll()
    refresh()
  }

  /// Removes the reminder of a slot.
  mutating func cancel(_ slot: UInt32) {
    guard heap.count > 0 else { return }
    scheduled[slot] = nil
    if heap.count > Self.fewEntries, heap.count > scheduled.count * Self.shareInForce {
      heap = BinaryHeap(heap.elements.filter { scheduled[$0.slot] == $0.time })
      refresh()
    }
  }
}

#if FENCEPOST_INVARIANTS
  extension Deadlines {
    /// The time of the reminder of a slot; `nil` if it has none.
    func reminder(of slot: UInt32) -> Int64? { scheduled[slot] }

    func checkInvariants() throws(Invariant.Broken) {
      let times = Dictionary(grouping: heap.elements, by: { $0.slot }).mapValues { Set($0.map { $0.time }) }
      try scheduled.checkInvariants()
      for slot in scheduled.slots {
        try Invariant.hold(
          reminder(of: slot).map { times[slot]?.contains($0) == true } ?? false, "each reminder is in the heap")
      }
      try Invariant.hold(
        earliest == min(edge, heap.elements.map { $0.time }.min() ?? .max), "the earliest reminder comes first")
    }
  }
#endif
