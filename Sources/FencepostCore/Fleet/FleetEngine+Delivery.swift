/// The delivery of events: delivering, committing, abandoning.
extension FleetEngine {
  /// Commits the events that were delivered before, and delivers the next event; returns `nil` if no event waits.
  public mutating func nextEvent() -> FleetEvent? {
    var event: FleetEvent?
    _ = poll(limit: 1) { entry, fleet, table in event = fleet.event(from: entry, table) }
    return event
  }

  /// Commits the events that were delivered before, and delivers up to `limit` events.
  ///
  /// - Parameter body: Receives each event in order, with the fleet and the table; it must not call the table.
  /// - Returns: The number of events that were delivered.
  package mutating func poll(
    limit: Int, _ body: (borrowing FleetEntry, borrowing FleetEngine, borrowing ConditionTable) -> Void
  ) -> Int {
    acknowledge()
    reportSuspended()
    guard delivery.hasEntries else { return 0 }
    devices.own()
    return limit > Self.handedOutAtOnce
      ? gate.readLong { table in poll(limit, table, body) } : gate.read { table in poll(limit, table, body) }
  }

  private mutating func poll(
    _ limit: Int, _ table: ConditionTable,
    _ body: (borrowing FleetEntry, borrowing FleetEngine, borrowing ConditionTable) -> Void
  ) -> Int {
    var count = 0
    var block: ContiguousArray<FleetEntry> = []
    repeat {
      block.removeAll(keepingCapacity: true)
      let most = min(limit - count, Self.handedOutAtOnce)
      while block.count < most, let entry = handOut(table) { block.append(entry) }
      // The fleet is copied once for many events, and the copy is released before anything changes.
      hand(block, self, table, body)
      count += block.count
    } while block.count == Self.handedOutAtOnce
    return count
  }

  private static var handedOutAtOnce: Int { 256 }

  private func hand(
    _ block: ContiguousArray<FleetEntry>, _ fleet: FleetEngine, _ table: borrowing ConditionTable,
    _ body: (borrowing FleetEntry, borrowing FleetEngine, borrowing ConditionTable) -> Void
  ) {
    for entry in block { body(entry, fleet, table) }
  }

  private mutating func handOut(_ table: ConditionTable) -> FleetEntry? {
    while let entry = delivery.takeLeft() {
      if table.holds(entry.entry.slot, entry.entry.generation) { return entry }
    }
    while var entry = delivery.takeFirst() {
      guard table.holds(entry.entry.slot, entry.entry.generation) else {
        let behind = delivery.discard(entry)
        devices.release(entry.device)
        if let behind { devices.release(behind.device) }
        continue
      }
      entry.entry.sequence = nextSequence(of: entry.device)
      delivery.handOut(&entry)
      return entry
    }
    return nil
  }

  private mutating func nextSequence(of device: UInt32) -> UInt64 {
    devices.lines[device].sequence &+= 1
    devices.hurry(device)
    if devices.lines[device].sequence == 0, devices.isLive(device) {
      devices.load(device, into: &state)
      state.sequence &+= 1 << 32
      devices.store(device, state)
    }
    return sequence(of: device)
  }

  /// The sequence number of the last delivered event of a device.
  func sequence(of device: UInt32) -> UInt64 {
    devices.counters(of: device).sequence | UInt64(devices.lines[device].sequence)
  }

  /// Commits the events that were delivered, without delivering others.
  public mutating func acknowledge() {
    guard delivery.inFlight.handedOut > 0 else { return }
    devices.own()
    guard delivery.turns != nil else { return delivery.commit({ _ in false }, { devices.release($0.device) }) }
    gate.readLong { table in
      delivery.commit(
        { next in
          let entry = next.entry
          return table.holds(entry.slot, entry.generation) && entry.notify.isSubset(of: table.notify(of: entry.slot))
        }, { devices.release($0.device) })
    }
  }

  /// The consumer has gone away: its events that are not committed will be redelivered with the same sequence number
  /// and position.
  public mutating func abandon() { delivery.abandon() }

  /// Returns a copy in memory, in the state that a crash would leave: events in flight are redelivered. The copy and
  /// the original share the table, and continue independently.
  ///
  /// - Complexity: O(devices + events)
  @inline(never) @_optimize(size)
  public func fork() -> FleetEngine {
    var copy = self
    copy.gate = conditions.newGate(like: gate)
    // This also copies the storage of the devices, so that it need not be copied later, while another thread uses the
    // other fleet.
    copy.setNotes(isOn: false)
    copy.abandon()
    return copy
  }

  /// Whether an event waits, or was delivered to a previous consumer that did not commit it.
  public var hasEvents: Bool {
    guard delivery.hasEntries || !suspendedDevices.isEmpty else { return false }
    return gate.read { table in
      delivery.hasEvents { table.holds($0.entry.slot, $0.entry.generation) }
        || unreportedCount(table) > 0
    }
  }

  /// The number of events that wait, or were delivered to a previous consumer that did not commit them.
  ///
  /// - Complexity: O(waiting events)
  package var waitingEvents: Int {
    guard delivery.hasEntries || !suspendedDevices.isEmpty else { return 0 }
    return gate.readLong { table in
      delivery.pending { table.holds($0.entry.slot, $0.entry.generation) } + unreportedCount(table)
        + delivery.inFlight.left.count { table.holds($0.entry.slot, $0.entry.generation) }
    }
  }

  /// The number of events so far, modulo 2⁶⁴. A caller can compare two values to learn whether a call caused events,
  /// even if the call also dropped events.
  package var appendedEntries: UInt64 { delivery.queued }

  /// Returns the event of an entry, with the data of its condition and device.
  package func event(from entry: FleetEntry, _ table: borrowing ConditionTable) -> FleetEvent {
    FleetEvent(
      event: table.event(from: entry.entry, confidence: options.accuracyConfidence), device: deviceNumber(of: entry),
      deviceIdentifier: devices.name(of: entry.device), position: entry.position, row: entry.row)
  }

  /// Returns the number of the device of an event that is not committed.
  package func deviceNumber(of entry: FleetEntry) -> UInt64 { devices.number(entry.device) }
}
