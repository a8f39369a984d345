import FencepostKernel

/// The events of a fleet: those that wait, in the order in which they came about, and those that are handed out and not
/// committed.
struct FleetDelivery: Sendable {
  /// Entries taken out whose places are not used again at once: moving the rest each time would cost more.
  private static let mostGone = 4_096

  private var waiting: ContiguousArray<FleetEntry> = []
  private var head = 0
  private(set) var inFlight: ContiguousArray<FleetEntry> = []
  /// How many of `inFlight` the present consumer was given.
  private(set) var handedOut = 0
  private(set) var lastPosition: UInt64 = 0
  /// How many events there have been, those included that became void.
  private(set) var appended: UInt64 = 0
  /// What is to be saved.
  private(set) var notes = EventNotes()

  /// Events that wait, those included that are void since.
  @inline(__always)
  var count: Int { waiting.count - head }

  /// Whether there is anything to hand out; it may have become void.
  var hasEntries: Bool { count > 0 || handedOut < inFlight.count }

  @inline(__always)
  mutating func append(_ entry: FleetEntry) {
    appended &+= 1
    var entry = entry
    entry.entry.change = appended
    waiting.append(entry)
    notes.put(entry)
  }

  /// The next entry that was handed out to a consumer that went away.
  mutating func takeLeft() -> FleetEntry? {
    guard handedOut < inFlight.count else { return nil }
    defer { handedOut += 1 }
    return inFlight[handedOut]
  }

  /// Takes the entry out whose turn it is, void or not.
  mutating func takeFirst() -> FleetEntry? {
    guard head < waiting.count else { return nil }
    let entry = waiting[head]
    head += 1
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.capacity <= EventQueue.largestKept)
      head = 0
    } else if head > Self.mostGone, head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    return entry
  }

  /// Gives an entry its position, and keeps it until it is committed.
  mutating func handOut(_ entry: inout FleetEntry) {
    lastPosition += 1
    entry.position = lastPosition
    inFlight.append(entry)
    handedOut += 1
    notes.put(entry)
  }

  /// Takes note that an entry is void that was taken out.
  mutating func discard(_ entry: FleetEntry) { notes.delete(entry) }

  /// Forgets what was handed out; `body` gets each entry.
  mutating func commit(_ body: (FleetEntry) -> Void) {
    for entry in inFlight[..<handedOut] {
      notes.delete(entry)
      body(entry)
    }
    if handedOut == inFlight.count {
      inFlight.removeAll(keepingCapacity: inFlight.capacity <= EventQueue.largestKept)
    } else {
      inFlight.removeFirst(handedOut)
    }
    handedOut = 0
  }

  mutating func abandon() { handedOut = 0 }

  /// Drops what waits and is void; `body` gets each dropped entry.
  mutating func dropVoid(_ isLive: (FleetEntry) -> Bool, _ body: (FleetEntry) -> Void) {
    var kept: ContiguousArray<FleetEntry> = []
    for entry in waiting[head...] {
      if isLive(entry) {
        kept.append(entry)
      } else {
        notes.delete(entry)
        body(entry)
      }
    }
    waiting = kept
    head = 0
  }

  /// Drops every event that is not live, handed out or not.
  mutating func dropAll(_ isLive: (FleetEntry) -> Bool) {
    dropVoid(isLive) { _ in }
    let kept = inFlight[..<handedOut].count { isLive($0) }
    for entry in inFlight where !isLive(entry) { notes.delete(entry) }
    inFlight.removeAll { !isLive($0) }
    handedOut = kept
  }

  /// Every event that waits or is not committed.
  func forEach(_ body: (FleetEntry) -> Void) {
    for entry in inFlight { body(entry) }
    for entry in waiting[head...] { body(entry) }
  }

  /// Every event that was not handed out yet, the void ones too.
  func forEachWaiting(_ body: (FleetEntry) -> Void) {
    for entry in waiting[head...] { body(entry) }
  }

  /// Whether something is to be handed out that is live.
  func hasEvents(_ isLive: (FleetEntry) -> Bool) -> Bool {
    inFlight[handedOut...].contains(where: isLive) || waiting[head...].contains(where: isLive)
  }

  /// How many live events wait.
  func pending(_ isLive: (FleetEntry) -> Bool) -> Int { waiting[head...].count(where: isLive) }

  // MARK: - Saving and restoring

  /// Starts to note changes: what is there now counts as saved. Or notes no more.
  mutating func setNotes(isOn: Bool) { notes = EventNotes(isOn: isOn, saved: appended) }

  mutating func clearNotes() { notes.clear(saved: appended) }

  mutating func clearNotes(_ places: ContiguousArray<UInt64>) { notes.clear(places, saved: appended) }

  mutating func restore(lastPosition position: UInt64, appended count: UInt64) {
    lastPosition = position
    appended = count
  }

  /// Takes the events that were saved, by their places in the order of all. What was handed out and not committed is handed
  /// out again.
  mutating func restore(_ entries: ContiguousArray<FleetEntry>) {
    inFlight = entries
    inFlight.removeAll { $0.position == 0 }
    inFlight.arrange { $0.position < $1.position }
    waiting = entries
    waiting.removeAll { $0.position != 0 }
    head = 0
    handedOut = 0
  }

  /// Lets the entries know their conditions by other slots and generations; an entry without one is void, and gone.
  ///
  /// - Returns: The devices of those that are gone.
  mutating func renumber(_ place: (UInt32) -> (slot: UInt32, generation: UInt64)?) -> [UInt32] {
    var gone: [UInt32] = []
    func renumbered(_ entries: ContiguousArray<FleetEntry>) -> ContiguousArray<FleetEntry> {
      var kept: ContiguousArray<FleetEntry> = []
      for var entry in entries {
        guard let place = place(entry.entry.slot) else {
          gone.append(entry.device)
          continue
        }
        entry.entry.slot = place.slot
        entry.entry.generation = place.generation
        kept.append(entry)
      }
      return kept
    }
    waiting = renumbered(ContiguousArray(waiting[head...]))
    head = 0
    inFlight = renumbered(inFlight)
    handedOut = 0
    return gone
  }
}
