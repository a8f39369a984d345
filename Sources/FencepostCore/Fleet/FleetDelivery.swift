import FencepostKernel

/// The events of a fleet: those that wait, in the order in which they came about, and those that are handed out and not
/// committed.
struct FleetDelivery: Sendable {
  private var waiting = EventQueue<FleetEntry>()
  private(set) var inFlight = InFlight<FleetEntry>()
  private(set) var lastPosition: UInt64 = 0
  /// How many events there have been, those included that became void.
  private(set) var appended: UInt64 = 0
  /// What is to be saved.
  private(set) var notes = EventNotes()

  /// Events that wait, those included that are void since.
  @inline(__always)
  var count: Int { waiting.count }

  /// Whether there is anything to hand out; it may have become void.
  var hasEntries: Bool { count > 0 || inFlight.hasLeft }

  @inline(__always)
  mutating func append(_ entry: FleetEntry) {
    appended &+= 1
    var entry = entry
    entry.entry.change = appended
    waiting.append(entry)
    notes.put(entry)
  }

  /// The next entry that was handed out to a consumer that went away.
  mutating func takeLeft() -> FleetEntry? { inFlight.takeLeft() }

  /// Takes the entry out whose turn it is, void or not.
  mutating func takeFirst() -> FleetEntry? { waiting.takeFirst() }

  /// Gives an entry its position, and keeps it until it is committed.
  mutating func handOut(_ entry: inout FleetEntry) {
    lastPosition += 1
    entry.position = lastPosition
    inFlight.append(entry)
    notes.put(entry)
  }

  /// Takes note that an entry is void that was taken out.
  mutating func discard(_ entry: FleetEntry) { notes.delete(entry) }

  /// Forgets what was handed out; `body` gets each entry.
  mutating func commit(_ body: (FleetEntry) -> Void) {
    for entry in inFlight.entries[..<inFlight.handedOut] {
      notes.delete(entry)
      body(entry)
    }
    inFlight.commit()
  }

  mutating func abandon() { inFlight.abandon() }

  /// Drops what waits and is void; `body` gets each dropped entry.
  mutating func dropVoid(_ isLive: (FleetEntry) -> Bool, _ body: (FleetEntry) -> Void) {
    waiting.forEach { entry in
      guard !isLive(entry) else { return }
      notes.delete(entry)
      body(entry)
    }
    waiting.filter(isLive)
  }

  /// Drops every event that is not live, handed out or not.
  mutating func dropAll(_ isLive: (FleetEntry) -> Bool) {
    dropVoid(isLive) { _ in }
    for entry in inFlight.entries where !isLive(entry) { notes.delete(entry) }
    inFlight.filter(isLive)
  }

  /// Every event that waits or is not committed.
  func forEach(_ body: (FleetEntry) -> Void) {
    for entry in inFlight.entries { body(entry) }
    waiting.forEach(body)
  }

  /// Every event that was not handed out yet, the void ones too.
  func forEachWaiting(_ body: (FleetEntry) -> Void) {
    waiting.forEach(body)
  }

  /// Whether something is to be handed out that is live.
  func hasEvents(_ isLive: (FleetEntry) -> Bool) -> Bool {
    inFlight.left.contains(where: isLive) || waiting.contains(where: isLive)
  }

  /// How many live events wait.
  func pending(_ isLive: (FleetEntry) -> Bool) -> Int {
    var count = 0
    waiting.forEach { if isLive($0) { count += 1 } }
    return count
  }

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
    var left = entries
    left.removeAll { $0.position == 0 }
    left.arrange { $0.position < $1.position }
    inFlight = InFlight(left: left)
    waiting = EventQueue()
    for entry in entries where entry.position == 0 { waiting.append(entry) }
  }

  /// Lets the entries know their conditions by other slots and generations; an entry without one is void, and gone.
  ///
  /// - Returns: The devices of those that are gone.
  mutating func renumber(_ place: (UInt32) -> (slot: UInt32, generation: UInt64)?) -> [UInt32] {
    var gone: [UInt32] = []
    func renumbered(_ entry: FleetEntry) -> FleetEntry? {
      guard let place = place(entry.entry.slot) else {
        gone.append(entry.device)
        return nil
      }
      var entry = entry
      entry.entry.slot = place.slot
      entry.entry.generation = place.generation
      return entry
    }
    var kept = EventQueue<FleetEntry>()
    waiting.forEach { entry in renumbered(entry).map { kept.append($0) } }
    waiting = kept
    inFlight = InFlight(left: ContiguousArray(inFlight.entries.compactMap(renumbered)))
    return gone
  }
}

#if FENCEPOST_INVARIANTS
  extension FleetDelivery {
    func checkWaiting() throws(Invariant.Broken) { try waiting.checkInvariants() }
  }
#endif
