import FencepostKernel

/// The events of a fleet: the waiting events, in the order in which they were caused, and the events that were handed
/// out and are not committed.
struct FleetDelivery: Sendable {
  private var waiting = EventQueue<FleetEntry>()
  private(set) var inFlight = InFlight<FleetEntry>()
  private(set) var lastPosition: UInt64 = 0
  /// The number of events so far, including those that became void.
  private(set) var appended: UInt64 = 0
  /// The changes that have to be saved.
  private(set) var notes = EventNotes()

  /// The number of waiting events, including those that became void.
  @inline(__always)
  var count: Int { waiting.count }

  /// Whether there are entries to hand out; all of them may be void.
  var hasEntries: Bool { count > 0 || inFlight.hasLeft }

  @inline(__always)
  mutating func append(_ entry: FleetEntry) {
    appended &+= 1
    var entry = entry
    entry.entry.change = appended
    waiting.append(entry)
    notes.put(entry)
  }

  /// Hands out the next entry that a previous consumer did not commit; `nil` without such an entry.
  mutating func takeLeft() -> FleetEntry? { inFlight.takeLeft() }

  /// Removes and returns the next waiting entry, even if it is void.
  mutating func takeFirst() -> FleetEntry? { waiting.takeFirst() }

  /// Assigns a position to an entry, and keeps the entry until it is committed.
  mutating func handOut(_ entry: inout FleetEntry) {
    lastPosition += 1
    entry.position = lastPosition
    inFlight.append(entry)
    notes.put(entry)
  }

  /// Notes that an entry that was removed from the queue is void.
  mutating func discard(_ entry: FleetEntry) { notes.delete(entry) }

  /// Removes the entries that were handed out to the present consumer, and calls `body` with each of them.
  mutating func commit(_ body: (FleetEntry) -> Void) {
    for entry in inFlight.entries[..<inFlight.handedOut] {
      notes.delete(entry)
      body(entry)
    }
    inFlight.commit()
  }

  mutating func abandon() { inFlight.abandon() }

  /// Drops the void waiting entries, and calls `body` with each of them.
  mutating func dropVoid(_ isLive: (FleetEntry) -> Bool, _ body: (FleetEntry) -> Void) {
    var dropped: ContiguousArray<FleetEntry> = []
    waiting.filter { entry in
      if isLive(entry) { return true }
      dropped.append(entry)
      return false
    }
    for entry in dropped {
      notes.delete(entry)
      body(entry)
    }
  }

  /// Drops all void events, whether they wait or were handed out.
  mutating func dropAll(_ isLive: (FleetEntry) -> Bool) {
    dropVoid(isLive) { _ in }
    for entry in inFlight.entries where !isLive(entry) { notes.delete(entry) }
    inFlight.filter(isLive)
  }

  /// Calls `body` with every event that waits or is not committed.
  func forEach(_ body: (FleetEntry) -> Void) {
    for entry in inFlight.entries { body(entry) }
    waiting.forEach(body)
  }

  /// Calls `body` with every event that was not handed out yet, including void ones.
  func forEachWaiting(_ body: (FleetEntry) -> Void) {
    waiting.forEach(body)
  }

  /// Whether there is a live event to hand out.
  func hasEvents(_ isLive: (FleetEntry) -> Bool) -> Bool {
    inFlight.left.contains(where: isLive) || waiting.contains(where: isLive)
  }

  /// Returns the number of live waiting events.
  func pending(_ isLive: (FleetEntry) -> Bool) -> Int {
    var count = 0
    waiting.forEach { if isLive($0) { count += 1 } }
    return count
  }

  // MARK: - Saving and restoring

  /// Starts noting changes (the present events count as saved), or stops noting them.
  mutating func setNotes(isOn: Bool) { notes = EventNotes(isOn: isOn, saved: appended) }

  mutating func clearNotes() { notes.clear(saved: appended) }

  mutating func clearNotes(_ places: ContiguousArray<UInt64>) { notes.clear(places, saved: appended) }

  mutating func restore(lastPosition position: UInt64, appended count: UInt64) {
    lastPosition = position
    appended = count
  }

  /// Restores the saved events, which are in the order in which they were caused. Events that were handed out and are
  /// not committed are handed out again.
  mutating func restore(_ entries: ContiguousArray<FleetEntry>) {
    var left = entries
    left.removeAll { $0.position == 0 }
    left.arrange { $0.position < $1.position }
    inFlight = InFlight(left: left)
    waiting = EventQueue()
    for entry in entries where entry.position == 0 { waiting.append(entry) }
  }

  /// Gives the entries the new slots and generations of their conditions. An entry whose condition has no new slot is
  /// dropped.
  ///
  /// - Returns: The devices of the dropped entries.
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
