import FencepostKernel

/// The dirty rows of a monitor: those that have changed since the last save. A save writes only these rows.
///
/// Only a monitor with a storage has a journal that is on; otherwise the methods do nothing. Every change of a saved
/// value must be marked here. A test compares the rows that are written this way with the complete state after each
/// step of random call sequences.
struct Journal: Sendable {
  enum EventChange: Sendable {
    /// `follows` is the change number of the event that a silent change waits for; 0 for an event.
    case put(EventEntry, follows: UInt64)
    case delete(generation: UInt64)
  }

  /// `clear()` keeps memory for this many entries, because as many are likely to follow: 0.25 MB of slots, 0.5 MB of
  /// events. More memory is freed.
  private static let slotsKept = 65_536
  private static let eventsKept = 4_096

  let isOn: Bool
  /// Whether a change must be saved before the call returns: a change of a state, a candidate or the queue.
  private(set) var isUrgent = false
  /// Increases with each urgent change. If a call leaves it unchanged, the call changed nothing urgent.
  private(set) var revision: UInt64 = 0
  /// Whether a change must survive a power failure, not only a crash of the process: any change except a commit.
  var mustSync = false
  /// The slots of the dirty conditions. Some of these conditions may have been removed since.
  private(set) var slots: ContiguousArray<UInt32> = []
  /// One bit for each slot: whether the slot is in `slots`.
  private var marks: ContiguousArray<UInt64> = []
  private(set) var removed: ContiguousArray<UInt64> = []
  /// Whether the definition of one of the conditions in `slots` may have changed.
  private(set) var hasRedefined = false
  /// The changes of events, by change number.
  private(set) var events = [UInt64: EventChange]()

  /// Whether only the head row may have changed.
  var isEmpty: Bool { !isUrgent && slots.isEmpty }

  init(isOn: Bool = false) {
    self.isOn = isOn
  }

  /// Marks the row of a condition as dirty.
  ///
  /// - Parameter isUrgent: Whether the change must be saved before the call returns.
  @inline(__always)
  mutating func touch(_ slot: UInt32, isUrgent: Bool = true) {
    if isOn { noteTouch(slot, isUrgent) }
  }

  @inline(never)
  private mutating func noteTouch(_ slot: UInt32, _ isUrgent: Bool) {
    if isUrgent { hurry() }
    let word = Int(slot / 64)
    let bit: UInt64 = 1 << UInt64(slot % 64)
    while marks.count <= word { marks.append(0) }
    guard marks[word] & bit == 0 else { return }
    marks[word] |= bit
    slots.append(slot)
  }

  @inline(__always)
  mutating func markUrgent() {
    if isOn { hurry() }
  }

  mutating func redefine(_ slot: UInt32) {
    guard isOn else { return }
    noteTouch(slot, true)
    hasRedefined = true
  }

  @inline(__always)
  mutating func remove(generation: UInt64) {
    guard isOn else { return }
    hurry()
    removed.append(generation)
  }

  @inline(__always)
  mutating func put(_ entry: EventEntry, follows: UInt64 = 0) {
    if isOn { note(entry.change, .put(entry, follows: follows)) }
  }

  @inline(__always)
  mutating func delete(_ entry: EventEntry) {
    if isOn { note(entry.change, .delete(generation: entry.generation)) }
  }

  @inline(never)
  private mutating func note(_ change: UInt64, _ what: EventChange) {
    hurry()
    events[change] = what
  }

  @inline(__always)
  private mutating func hurry() {
    isUrgent = true
    mustSync = true
    revision &+= 1
  }

  /// Adds the changes of an earlier journal whose save failed.
  mutating func add(earlier: Journal) {
    isUrgent = isUrgent || earlier.isUrgent
    mustSync = mustSync || earlier.mustSync
    for slot in earlier.slots { noteTouch(slot, false) }
    removed.append(contentsOf: earlier.removed)
    hasRedefined = hasRedefined || earlier.hasRedefined
    for (change, what) in earlier.events where events[change] == nil { events[change] = what }
  }

  mutating func clear() {
    isUrgent = false
    mustSync = false
    for slot in slots { marks[Int(slot / 64)] = 0 }
    if !slots.isEmpty { slots.removeAll(keepingCapacity: slots.capacity <= Self.slotsKept) }
    if !removed.isEmpty { removed = [] }
    hasRedefined = false
    if !events.isEmpty { events.removeAll(keepingCapacity: events.count <= Self.eventsKept) }
  }
}

#if FENCEPOST_INVARIANTS
  extension Journal {
    func checkInvariants() throws(Invariant.Broken) {
      guard isOn else {
        return try Invariant.hold(
          slots.isEmpty && events.isEmpty && removed.isEmpty, "no changes are listed without a store")
      }
      let marked = marks.reduce(0) { $0 + $1.nonzeroBitCount }
      try Invariant.hold(
        marked == slots.count && slots.allSatisfy { marks[Int($0 / 64)] >> UInt64($0 % 64) & 1 == 1 },
        "a changed row is listed once")
      try Invariant.hold(events.isEmpty || isUrgent, "a change of an event is urgent")
      for case (let change, .put(let entry, _)) in events {
        try Invariant.hold(change == entry.change, "an event is listed under its change number")
      }
    }
  }
#endif
