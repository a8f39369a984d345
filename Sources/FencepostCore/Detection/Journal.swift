import FencepostKernel

/// What has changed since a monitor was last saved, so that saving writes those rows and no others.
///
/// Kept only for a monitor with a storage; without one noting does nothing. Everything that a row holds and that changes
/// must be noted here; a test compares what the notes lead to with the whole state, after each step of random lives.
struct Journal: Sendable {
  enum EventChange: Sendable {
    /// `follows`: the change number of the event that a silent change waits for; 0 for an event.
    case put(EventEntry, follows: UInt64)
    case delete(generation: UInt64)
  }

  /// Room for so many notes is kept when they are cleared, since as many are likely to follow: a quarter of a megabyte of
  /// slots, half of one of events. More is given back.
  private static let slotsKept = 65_536
  private static let eventsKept = 4_096

  let isOn: Bool
  /// Whether something changed that is to last before the call returns: a state, a candidate, the queue.
  private(set) var isUrgent = false
  /// Rises with each note: a call that leaves it as it was changed nothing that is urgent.
  private(set) var revision: UInt64 = 0
  /// Whether something changed that is to outlive the machine, not only the process: anything but a commit.
  var mustSync = false
  /// Conditions whose state changed; some may be gone since.
  private(set) var slots: ContiguousArray<UInt32> = []
  /// A bit for each slot: it stands in `slots`.
  private var marks: ContiguousArray<UInt64> = []
  private(set) var removed: ContiguousArray<UInt64> = []
  /// By change number.
  private(set) var events: [UInt64: EventChange] = [:]

  /// Whether nothing changed but what the head holds.
  var isEmpty: Bool { !isUrgent && slots.isEmpty }

  init(isOn: Bool = false) {
    self.isOn = isOn
  }

  /// Notes that the row of a condition changed.
  ///
  /// - Parameter isUrgent: Whether the change is one that is to last before the call returns.
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

  /// Takes in what was noted earlier, and was not saved after all.
  mutating func add(earlier: Journal) {
    isUrgent = isUrgent || earlier.isUrgent
    mustSync = mustSync || earlier.mustSync
    for slot in earlier.slots { noteTouch(slot, false) }
    removed.append(contentsOf: earlier.removed)
    for (change, what) in earlier.events where events[change] == nil { events[change] = what }
  }

  mutating func clear() {
    isUrgent = false
    mustSync = false
    for slot in slots { marks[Int(slot / 64)] = 0 }
    if !slots.isEmpty { slots.removeAll(keepingCapacity: slots.capacity <= Self.slotsKept) }
    if !removed.isEmpty { removed = [] }
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
