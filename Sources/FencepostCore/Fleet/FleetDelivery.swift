import FencepostKernel

/// The events of a fleet: the waiting events, in the order in which they were caused, and the events in flight.
struct FleetDelivery: Sendable {
  /// If more than this many waiting entries, and more than half of them, have been replaced, they are removed.
  private static let mostStale = 1_024

  private var waiting = EventQueue<FleetEntry>()
  private(set) var inFlight = InFlight<FleetEntry>()
  /// The rules of the deliveries `first` and `latest`; `nil` with delivery `every`.
  private(set) var turns: FleetTurns?
  private(set) var lastPosition: UInt64 = 0
  /// The number of events so far, including those that became void. With `first` and `latest`, the number of observed
  /// changes.
  private(set) var appended: UInt64 = 0
  /// With `first` and `latest`: the number of events minus the number of observed changes, modulo 2⁶⁴.
  private var surplus: UInt64 = 0
  /// The number of entries in the queue that have been replaced.
  private var stale = 0
  /// The changes that have to be saved.
  private(set) var notes = EventNotes()

  init(_ delivery: MonitorOptions.Delivery) {
    turns = delivery == .every ? nil : FleetTurns(replaces: delivery == .latest)
  }

  /// The number of waiting events, including those that became void.
  @inline(__always)
  var count: Int { waiting.count }

  /// Whether the queue or the events of a previous consumer contain entries; all of them may be void.
  var hasEntries: Bool { count > 0 || inFlight.hasLeft }

  /// The number of events that were queued so far, modulo 2⁶⁴.
  var queued: UInt64 { appended &+ surplus }

  @inline(__always)
  mutating func append(_ entry: FleetEntry) {
    appended &+= 1
    var entry = entry
    entry.entry.change = appended
    waiting.append(entry)
    notes.put(entry)
  }

  // MARK: - Delivery `first` and `latest`

  /// Processes an observed change by the rules of ``TurnOutbox``.
  ///
  /// - Parameters:
  ///   - observed: The change, with the state that was last reported if no event is pending.
  ///   - isNotified: Whether the policy asks for an event.
  mutating func observe(_ observed: FleetEntry, isNotified: Bool) {
    guard var turns else { return }
    self.turns = nil
    defer { self.turns = turns }
    appended &+= 1
    surplus &-= 1
    var entry = observed
    entry.entry.change = appended
    if let known = turns.pending(like: entry) {
      if known.entry.generation == entry.entry.generation {
        guard turns.replaces, known.position == 0 else {
          entry.role = .behind
          if let earlier = turns.setBehind(entry) { notes.delete(earlier) }
          return notes.put(entry)
        }
        entry.reported = known.reported
      }
      // The entry of a condition that was replaced, or of an event that is replaced, is removed.
      if let behind = turns.end(known).behind { notes.delete(behind) }
      if known.position == 0 {
        notes.delete(known)
        stale += 1
        if stale > Self.mostStale, stale * 2 > waiting.count {
          waiting.filter { turns.isPending($0) }
          stale = 0
        }
      }
    }
    if entry.entry.state != entry.reported, isNotified { enqueue(entry, &turns) }
  }

  private mutating func enqueue(_ entry: FleetEntry, _ turns: inout FleetTurns) {
    surplus &+= 1
    turns.setPending(entry)
    waiting.append(entry)
    notes.put(entry)
  }

  /// Removes the entry of an event that is committed from the turns, together with the observation behind it.
  ///
  /// - Parameter isNotified: Whether the observation becomes an event if its state differs from that of the event.
  /// - Returns: An observation that does not become an event.
  private mutating func endTurn(_ entry: FleetEntry, _ isNotified: (FleetEntry) -> Bool) -> FleetEntry? {
    guard var turns else { return nil }
    self.turns = nil
    defer { self.turns = turns }
    guard var next = turns.end(entry).behind else { return nil }
    guard next.entry.state != entry.entry.state, isNotified(next) else {
      notes.delete(next)
      return next
    }
    next.role = .pending
    next.reported = entry.entry.state
    enqueue(next, &turns)
    return nil
  }

  /// Whether the later events of a condition of a device must wait for an earlier one.
  func isBusy(_ device: UInt32, _ slot: UInt32, _ generation: UInt64) -> Bool {
    turns?.isBusy(device, slot, generation) ?? false
  }

  /// Discards the state that was observed behind an event, because that state is no longer valid.
  mutating func forgetBehind(_ entry: FleetEntry) {
    if let behind = turns?.takeBehind(entry.key) { notes.delete(behind) }
  }

  // MARK: - Delivering

  /// Redelivers the next entry that a previous consumer did not commit; returns `nil` if there is no such entry.
  mutating func takeLeft() -> FleetEntry? { inFlight.takeLeft() }

  /// Removes and returns the next waiting entry, even if it is void.
  mutating func takeFirst() -> FleetEntry? {
    if turns == nil { return waiting.takeFirst() }
    while let entry = waiting.takeFirst() {
      if isCurrent(entry) { return entry }
      stale -= 1
    }
    return nil
  }

  /// Whether a waiting entry has not been replaced.
  @inline(__always)
  private func isCurrent(_ entry: FleetEntry) -> Bool { turns?.isPending(entry) ?? true }

  /// Assigns a position to an entry, and stores the entry until it is committed.
  mutating func handOut(_ entry: inout FleetEntry) {
    lastPosition += 1
    entry.position = lastPosition
    inFlight.append(entry)
    notes.put(entry)
    if turns != nil { turns?.setPending(entry) }
  }

  /// Drops a void entry that was removed from the queue; returns the observation behind it, which is dropped too.
  @inline(never)
  mutating func discard(_ entry: FleetEntry) -> FleetEntry? {
    notes.delete(entry)
    let behind = turns?.end(entry).behind
    if let behind { notes.delete(behind) }
    return behind
  }

  /// Removes the entries that were delivered to the present consumer, and calls `body` with each entry that is no
  /// longer needed. With `first` and `latest`, queues the next events of their conditions.
  ///
  /// - Parameter isNotified: Whether the condition of an entry exists and its policy asks for an event.
  mutating func commit(_ isNotified: (FleetEntry) -> Bool, _ body: (FleetEntry) -> Void) {
    guard turns != nil else {
      for entry in inFlight.entries[..<inFlight.handedOut] {
        notes.delete(entry)
        body(entry)
      }
      return inFlight.commit()
    }
    // A power failure may undo the commit: see ``EventNotes/mustSync``.
    let mustSync = notes.mustSync
    defer { notes.mustSync = mustSync }
    for entry in inFlight.entries[..<inFlight.handedOut] {
      notes.delete(entry)
      body(entry)
      if let gone = endTurn(entry, isNotified) { body(gone) }
    }
    inFlight.commit()
  }

  mutating func abandon() { inFlight.abandon() }

  /// Drops the void waiting entries and the observations behind them; returns the devices of all of these, in order.
  @_optimize(size)
  mutating func dropVoid(_ isLive: (FleetEntry) -> Bool) -> [UInt32] {
    var dropped: ContiguousArray<FleetEntry> = []
    waiting.filter { [turns] entry in
      guard turns?.isPending(entry) ?? true else { return false }
      if isLive(entry) { return true }
      dropped.append(entry)
      return false
    }
    stale = 0
    var devices: [UInt32] = []
    for entry in dropped {
      devices.append(entry.device)
      if let behind = discard(entry) { devices.append(behind.device) }
    }
    return devices
  }

  /// Drops all void events, whether they wait or are in flight.
  @_optimize(size)
  mutating func dropAll(_ isLive: (FleetEntry) -> Bool) {
    _ = dropVoid(isLive)
    for entry in inFlight.entries where !isLive(entry) { _ = discard(entry) }
    inFlight.filter(isLive)
  }

  /// Calls `body` with every event that waits or is in flight, and with every observation behind such an event.
  func forEach(_ body: (FleetEntry) -> Void) {
    for entry in inFlight.entries { body(entry) }
    forEachWaiting(body)
    turns?.forEachBehind(body)
  }

  /// Calls `body` with every event that was not delivered yet, including void ones.
  func forEachWaiting(_ body: (FleetEntry) -> Void) {
    waiting.forEach { if isCurrent($0) { body($0) } }
  }

  /// Whether there is a valid event to deliver.
  func hasEvents(_ isLive: (FleetEntry) -> Bool) -> Bool {
    inFlight.left.contains(where: isLive) || waiting.contains { isCurrent($0) && isLive($0) }
  }

  /// Returns the number of valid waiting events.
  func pending(_ isLive: (FleetEntry) -> Bool) -> Int {
    var count = 0
    forEachWaiting { if isLive($0) { count += 1 } }
    return count
  }

  // MARK: - Saving and restoring

  /// Starts tracking changes (the current events count as saved), or stops tracking them.
  mutating func setNotes(isOn: Bool) { notes = EventNotes(isOn: isOn, saved: appended) }

  mutating func clearNotes() { notes.clear(saved: appended) }

  mutating func clearNotes(_ places: ContiguousArray<UInt64>) { notes.clear(places, saved: appended) }

  mutating func restore(lastPosition position: UInt64, appended count: UInt64) {
    lastPosition = position
    appended = count
  }

  /// Restores the saved events, which are in the order in which they were caused. Events that were in flight are
  /// redelivered.
  @_optimize(size)
  mutating func restore(_ entries: ContiguousArray<FleetEntry>) throws(Damage) {
    var left = entries
    left.removeAll { $0.position == 0 }
    left.arrange { $0.position < $1.position }
    inFlight = InFlight(left: left)
    waiting = EventQueue()
    stale = 0
    turns = turns.map { FleetTurns(replaces: $0.replaces) }
    for entry in entries {
      try turns?.restore(entry)
      if entry.position == 0, entry.role == .pending { waiting.append(entry) }
    }
  }

  /// Gives the entries the new slots and generations of their conditions. An entry whose condition has no new slot is
  /// dropped.
  ///
  /// - Returns: The devices of the dropped entries.
  @_optimize(size)
  mutating func renumber(_ places: SlotPlaces) -> [UInt32] {
    var gone: [UInt32] = []
    var kept: ContiguousArray<FleetEntry> = []
    forEach { entry in
      guard let slot = places.slot(entry.entry.slot) else { return gone.append(entry.device) }
      var entry = entry
      entry.entry.generation = places.generation(entry.entry.slot)
      entry.entry.slot = slot
      kept.append(entry)
    }
    kept.arrange { $0.change < $1.change }
    // Each slot gets another slot, so the entries remain valid.
    try? restore(kept)
    return gone
  }
}

#if FENCEPOST_INVARIANTS
  extension FleetDelivery {
    func checkWaiting() throws(Invariant.Broken) {
      try waiting.checkInvariants()
      var entries: [FleetEntry] = []
      forEach { entries.append($0) }
      try turns?.checkInvariants(entries)
      var current = 0
      waiting.forEach { if isCurrent($0) { current += 1 } }
      try Invariant.hold(waiting.count - current == stale, "each replaced entry of the queue counts once")
    }
  }
#endif
