import FencepostKernel

/// Room for so many events is kept when they are gone, eight megabytes at most; more is given back.
private let largestKept = 65_536

/// What waits in an ``EventQueue``.
protocol QueuedEntry: Sendable {
  /// Its place in the order in which the observed changes happened.
  var change: UInt64 { get }
}

extension EventEntry: QueuedEntry {}

/// The events that wait, of a monitor or of a fleet, in the order in which the observed changes happened.
///
/// Nearly all are appended in that order. An event that is built at a commit may belong before others that wait
/// already; those few are kept in a heap beside the queue.
struct EventQueue<Entry: QueuedEntry>: Sendable {
  /// What was taken stays in front of what waits until it is more than so much, and more than half: moving the rest costs
  /// less than one step for each that was taken.
  private static var mostTaken: Int { 4_096 }

  private var entries: ContiguousArray<Entry> = []
  private var head = 0
  private var overtaken = BinaryHeap<Overtaken>()

  private struct Overtaken: Comparable {
    var entry: Entry

    static func < (one: Overtaken, two: Overtaken) -> Bool { one.entry.change < two.entry.change }
    static func == (one: Overtaken, two: Overtaken) -> Bool { one.entry.change == two.entry.change }
  }

  /// The next entries, without those that have overtaken.
  func ahead(_ limit: Int) -> ArraySlice<Entry> {
    entries[head..<min(head + limit, entries.count)]
  }

  /// Entries, void ones included.
  private(set) var count = 0

  mutating func append(_ entry: Entry) {
    count += 1
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
  var first: Entry? {
    if isOvertaken { return overtaken.first?.entry }
    return head < entries.count ? entries[head] : nil
  }

  /// Takes the entry out whose turn it is.
  mutating func takeFirst() -> Entry? {
    guard let entry = first else { return nil }
    removeFirst()
    return entry
  }

  mutating func removeFirst() {
    count -= 1
    if isOvertaken { return overtaken.removeFirst() }
    head += 1
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

  /// Drops the entries that are void.
  mutating func filter(_ isLive: (Entry) -> Bool) {
    entries = ContiguousArray(entries[head...].lazy.filter(isLive))
    head = 0
    overtaken = BinaryHeap(overtaken.elements.filter { isLive($0.entry) })
    count = entries.count + overtaken.count
  }
}

/// The events of a monitor or of a fleet that were handed out and are not committed, in the order of their first hand-out.
struct InFlight<Entry: Sendable>: Sendable {
  private(set) var entries: ContiguousArray<Entry> = []
  /// How many of `entries` the present consumer was given.
  private(set) var handedOut = 0

  init() {}

  /// What was handed out before a crash: no consumer was given it since.
  init(left entries: ContiguousArray<Entry>) { self.entries = entries }

  /// Those that a consumer left that went away.
  var left: ArraySlice<Entry> { ArraySlice(entries[handedOut...]) }

  @inline(__always)
  var hasLeft: Bool { handedOut < entries.count }

  /// The next entry that a consumer left that went away.
  mutating func takeLeft() -> Entry? {
    guard hasLeft else { return nil }
    defer { handedOut += 1 }
    return entries[handedOut]
  }

  /// Keeps an entry that is handed out for the first time.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    handedOut += 1
  }

  /// Forgets what the present consumer was given.
  mutating func commit() {
    if handedOut == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= largestKept)
    } else {
      entries.removeFirst(handedOut)
    }
    handedOut = 0
  }

  /// The consumer went away: what it was given is handed out again.
  mutating func abandon() { handedOut = 0 }

  /// Drops the entries that are void.
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
