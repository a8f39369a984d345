import FencepostKernel

/// The events that wait, in the order in which the observed changes happened.
///
/// Nearly all are appended in that order. An event that is built at a commit may belong before others that wait
/// already; those few are kept in a heap beside the queue.
struct EventQueue: Sendable {
  /// Room for so many events is kept when they are gone, eight megabytes at most; more is given back.
  static let largestKept = 65_536

  /// What was taken stays in front of what waits until it is more than so much, and more than half: moving the rest costs
  /// less than one step for each that was taken.
  private static let mostTaken = 4_096

  private var entries: ContiguousArray<EventEntry> = []
  private var head = 0
  private var overtaken = BinaryHeap<Overtaken>()

  private struct Overtaken: Comparable {
    var entry: EventEntry

    static func < (one: Overtaken, two: Overtaken) -> Bool { one.entry.change < two.entry.change }
    static func == (one: Overtaken, two: Overtaken) -> Bool { one.entry.change == two.entry.change }
  }

  /// The next entries, without those that have overtaken.
  func ahead(_ limit: Int) -> ArraySlice<EventEntry> {
    entries[head..<min(head + limit, entries.count)]
  }

  /// Entries, void ones included.
  var count: Int { entries.count - head + overtaken.count }

  mutating func append(_ entry: EventEntry) {
    if let last = entries.last, head < entries.count, last.change > entry.change {
      overtaken.insert(Overtaken(entry: entry))
    } else {
      entries.append(entry)
    }
  }

  /// Whether the entry whose turn it is stands in the heap.
  private var isOvertaken: Bool {
    guard let early = overtaken.first else { return false }
    return head >= entries.count || early.entry.change < entries[head].change
  }

  /// The entry whose turn it is.
  var first: EventEntry? {
    if isOvertaken { return overtaken.first?.entry }
    return head < entries.count ? entries[head] : nil
  }

  mutating func removeFirst() {
    if isOvertaken { return overtaken.removeFirst() }
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= Self.largestKept)
      head = 0
    } else if head > Self.mostTaken, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Calls `body` with each entry, in no particular order.
  func forEach(_ body: (EventEntry) -> Void) {
    for entry in entries[head...] { body(entry) }
    for early in overtaken.elements { body(early.entry) }
  }

  /// Drops the entries that are void.
  mutating func filter(_ isLive: (EventEntry) -> Bool) {
    entries = ContiguousArray(entries[head...].lazy.filter(isLive))
    head = 0
    overtaken = BinaryHeap(overtaken.elements.filter { isLive($0.entry) })
  }
}

#if FENCEPOST_INVARIANTS
  extension EventQueue {
    func checkInvariants() throws(Invariant.Broken) {
      for (one, next) in zip(entries[head...], entries[head...].dropFirst()) {
        try Invariant.hold(one.change <= next.change, "events wait in the order of their changes")
      }
    }
  }
#endif
