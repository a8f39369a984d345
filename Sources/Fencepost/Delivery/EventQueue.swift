/// The events that wait, in the order in which the observed changes happened.
///
/// Nearly all are appended in that order. An event that is built at a commit may belong before others that wait
/// already; those few are kept in a heap beside the queue.
struct EventQueue: Sendable {
  private var entries: ContiguousArray<EventEntry> = []
  private var head = 0
  private var overtaken: ContiguousArray<EventEntry> = []

  /// Of what was read ahead; kept so that the reading is not optimised away.
  var trace: UInt64 = 0

  /// The next entries, without those that have overtaken.
  func ahead(_ limit: Int) -> ArraySlice<EventEntry> {
    entries[head..<min(head + limit, entries.count)]
  }

  /// Entries, void ones included.
  var count: Int { entries.count - head + overtaken.count }

  mutating func append(_ entry: EventEntry) {
    if let last = entries.last, head < entries.count, last.change > entry.change {
      overtaken.append(entry)
      siftUp()
    } else {
      entries.append(entry)
    }
  }

  /// The entry whose turn it is.
  var first: EventEntry? {
    guard let early = overtaken.first else { return head < entries.count ? entries[head] : nil }
    guard head < entries.count, entries[head].change < early.change else { return early }
    return entries[head]
  }

  mutating func removeFirst() {
    if let early = overtaken.first, head >= entries.count || early.change < entries[head].change {
      removeFirstOvertaken()
      return
    }
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= 65_536)
      head = 0
    } else if head > 4_096, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Drops the entries that are void.
  mutating func filter(_ isLive: (EventEntry) -> Bool) {
    let live = ContiguousArray(entries[head...].lazy.filter(isLive))
    entries = live
    head = 0
    let early = overtaken.filter(isLive)
    overtaken = []
    for entry in early {
      overtaken.append(entry)
      siftUp()
    }
  }

  private mutating func siftUp() {
    var child = overtaken.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard overtaken[child].change < overtaken[parent].change else { break }
      overtaken.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirstOvertaken() {
    let last = overtaken.removeLast()
    guard !overtaken.isEmpty else { return }
    overtaken[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < overtaken.count else { break }
      if child + 1 < overtaken.count, overtaken[child + 1].change < overtaken[child].change { child += 1 }
      guard overtaken[child].change < overtaken[parent].change else { break }
      overtaken.swapAt(child, parent)
      parent = child
    }
  }
}
