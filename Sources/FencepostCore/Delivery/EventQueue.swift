import FencepostKernel

/// When a list becomes empty, its memory is kept for at most this many events (eight megabytes); more memory is
/// released.
private let largestKept = 65_536

/// An entry of an ``EventQueue``.
protocol QueuedEntry: Sendable {
  /// The number of the observed change that caused the entry; changes are numbered in the order in which they happened.
  var change: UInt64 { get }
}

extension EventEntry: QueuedEntry {}

/// The waiting events of a monitor or a fleet, in the order in which the observed changes happened.
///
/// Almost all events are appended in that order. An event that is built at a commit may have to come before events that
/// are already waiting. The few events that are appended after later ones are kept in a heap beside the queue.
struct EventQueue<Entry: QueuedEntry>: Sendable {
  /// Taken entries stay at the front of the array until they number more than this and are more than half of the array.
  /// Moving the other entries then costs less than one step for each taken entry.
  private static var mostTaken: Int { 4_096 }

  private var entries: ContiguousArray<Entry> = []
  private var head = 0
  private var overtaken = BinaryHeap<Overtaken>()

  private struct Overtaken: Comparable {
    var entry: Entry

    static func < (one: Overtaken, two: Overtaken) -> Bool { one.entry.change < two.entry.change }
    static func == (one: Overtaken, two: Overtaken) -> Bool { one.entry.change == two.entry.change }
  }

  /// The number of next entries that are consecutive in the array; 0 while the heap has entries, because these come
  /// between the others.
  var straightCount: Int { overtaken.count == 0 ? entries.count - head : 0 }

  /// One of the next entries that are consecutive in the array.
  @inline(__always)
  subscript(ahead index: Int) -> Entry {
    _read { yield entries[head &+ index] }
  }

  /// Removes some of the next entries that are consecutive in the array.
  mutating func removeFirst(straight removed: Int) {
    count -= removed
    head += removed
    dropTaken()
  }

  /// The number of entries, including void ones.
  private(set) var count = 0

  mutating func append(_ entry: Entry) {
    count += 1
    if head < entries.count, entries[entries.count - 1].change > entry.change {
      overtaken.insert(Overtaken(entry: entry))
    } else {
      entries.append(entry)
    }
  }

  /// Appends the entry of the latest change; `complete` sets its remaining members.
  @inline(__always)
  mutating func append(latest entry: Entry, complete: (inout Entry) -> Void) {
    count += 1
    entries.append(entry)
    complete(&entries[entries.count - 1])
  }

  /// The entry that was added last by ``append(latest:complete:)``.
  @inline(__always)
  var latest: Entry { entries[entries.count - 1] }

  /// Whether the next entry is in the heap.
  private var isOvertaken: Bool {
    guard overtaken.count > 0, let early = overtaken.first else { return false }
    return head >= entries.count || early.entry.change < entries[head].change
  }

  /// The next entry.
  var first: Entry? {
    if isOvertaken { return overtaken.first?.entry }
    return head < entries.count ? entries[head] : nil
  }

  /// Removes and returns the next entry.
  mutating func takeFirst() -> Entry? {
    let entry: Entry
    if overtaken.count == 0 {
      guard head < entries.count else { return nil }
      entry = entries[head]
    } else {
      guard let next = first else { return nil }
      entry = next
    }
    removeFirst()
    return entry
  }

  mutating func removeFirst() {
    count -= 1
    if isOvertaken { return overtaken.removeFirst() }
    head += 1
    dropTaken()
  }

  /// Frees the places of the taken entries if they are many.
  @inline(__always)
  private mutating func dropTaken() {
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= largestKept)
      head = 0
    } else if head > Self.mostTaken, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Calls `body` with each entry, in no particular order.
  func forEach(_ body: (Entry) -> Void) {
    for entry in entries[head...] { body(entry) }
    for early in overtaken.elements { body(early.entry) }
  }

  func contains(where isLive: (Entry) -> Bool) -> Bool {
    entries[head...].contains(where: isLive) || overtaken.elements.contains { isLive($0.entry) }
  }

  /// Drops the void entries.
  mutating func filter(_ isLive: (Entry) -> Bool) {
    entries = ContiguousArray(entries[head...].lazy.filter(isLive))
    head = 0
    overtaken = BinaryHeap(overtaken.elements.filter { isLive($0.entry) })
    count = entries.count + overtaken.count
  }
}

/// The events of a monitor or a fleet that were delivered and are not committed, in the order of their first delivery.
struct InFlight<Entry: Sendable>: Sendable {
  private(set) var entries: ContiguousArray<Entry> = []
  /// The number of entries that were delivered to the present consumer.
  private(set) var handedOut = 0

  init() {}

  /// Restores the events that were in flight before a crash. The present consumer has not received any of them.
  init(left entries: ContiguousArray<Entry>) { self.entries = entries }

  /// The entries that were delivered to a previous consumer, are not committed, and have not been redelivered yet.
  var left: ArraySlice<Entry> { ArraySlice(entries[handedOut...]) }

  @inline(__always)
  var hasLeft: Bool { handedOut < entries.count }

  /// Redelivers the next entry that a previous consumer did not commit; returns `nil` if there is no such entry.
  mutating func takeLeft() -> Entry? {
    guard hasLeft else { return nil }
    defer { handedOut += 1 }
    return entries[handedOut]
  }

  /// Adds an entry at its first delivery.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    handedOut += 1
  }

  /// The entry that was added last, for modification.
  @inline(__always)
  var last: Entry {
    _read { yield entries[entries.count - 1] }
    _modify { yield &entries[entries.count - 1] }
  }

  /// Removes the entries that were delivered to the present consumer.
  mutating func commit() {
    if handedOut == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= largestKept)
    } else {
      entries.removeFirst(handedOut)
    }
    handedOut = 0
  }

  /// The consumer has gone away, so all its entries will be redelivered.
  mutating func abandon() { handedOut = 0 }

  /// Drops the void entries.
  mutating func filter(_ isLive: (Entry) -> Bool) {
    handedOut = entries[..<handedOut].count(where: isLive)
    entries.removeAll { !isLive($0) }
  }
}

#if FENCEPOST_INVARIANTS
  extension EventQueue {
    func checkInvariants() throws(Invariant.Broken) {
      for (one, next) in zip(entries[head...], entries[head...].dropFirst()) {
        try Invariant.hold(one.change <= next.change, "events wait in the order of their changes")
      }
      try Invariant.hold(count == entries.count - head + overtaken.count, "each waiting event counts once")
    }
  }
#endif
