import FencepostKernel

/// With the deliveries `first` and `latest`: the pending event of each condition of a device that has one, and the
/// observation behind it. Memory is needed only for these events, not for each device.
///
/// The rules are those of ``TurnOutbox``. For any other condition, the last reported state follows from the state of
/// the device; see ``DeviceState/toldState(of:_:)``.
struct FleetTurns: Sendable {
  /// Whether a change replaces a waiting event (`latest`), or comes after the event (`first`).
  let replaces: Bool
  /// The event that waits or is in flight, by device and slot. It may belong to an earlier condition of the slot.
  private var pending = [UInt64: FleetEntry]()
  /// The state that was observed while the event was pending.
  private var behind = [UInt64: FleetEntry]()

  init(replaces: Bool) { self.replaces = replaces }

  /// Returns the pending event of the condition of an entry; `nil` without such an event.
  func pending(like entry: FleetEntry) -> FleetEntry? { pending[entry.key] }

  /// Whether a condition of a device has a pending event.
  func isBusy(_ device: UInt32, _ slot: UInt32, _ generation: UInt64) -> Bool {
    pending[FleetEntry.key(device, slot)]?.entry.generation == generation
  }

  /// Whether an entry of the queue or in flight is the pending event of its condition. The queue also contains events
  /// that have been replaced.
  func isPending(_ entry: FleetEntry) -> Bool { pending[entry.key]?.change == entry.change }

  mutating func setPending(_ entry: FleetEntry) { pending[entry.key] = entry }

  /// Sets the state that is observed behind the pending event; returns the earlier one.
  mutating func setBehind(_ entry: FleetEntry) -> FleetEntry? { behind.updateValue(entry, forKey: entry.key) }

  mutating func takeBehind(_ key: UInt64) -> FleetEntry? { behind.isEmpty ? nil : behind.removeValue(forKey: key) }

  /// Ends the turn of an event, if it is the pending event of its condition.
  ///
  /// - Returns: Whether it was, and the state that was observed behind it.
  mutating func end(_ entry: FleetEntry) -> (isPending: Bool, behind: FleetEntry?) {
    guard isPending(entry) else { return (false, nil) }
    pending.removeValue(forKey: entry.key)
    return (true, takeBehind(entry.key))
  }

  func forEachBehind(_ body: (FleetEntry) -> Void) {
    for entry in behind.values { body(entry) }
  }

  /// Returns the pending events of one device, or of all devices, ordered by device and slot.
  func pendingEvents(of device: UInt32?) -> ContiguousArray<FleetEntry> {
    var entries: ContiguousArray<FleetEntry> = []
    for entry in pending.values where device == nil || entry.device == device { entries.append(entry) }
    entries.arrange { $0.key < $1.key }
    return entries
  }

  /// Restores a saved entry. Entries must be restored in the order of their changes.
  mutating func restore(_ entry: FleetEntry) throws(Damage) {
    let known = entry.role == .behind ? setBehind(entry) : pending.updateValue(entry, forKey: entry.key)
    guard known == nil, isBusy(entry.device, entry.entry.slot, entry.entry.generation) else {
      throw Damage("two events of one condition of a device are pending, or an observation has no pending event")
    }
  }
}

extension FleetEntry {
  static func key(_ device: UInt32, _ slot: UInt32) -> UInt64 { UInt64(device) << 32 | UInt64(slot) }

  /// The key of the device and the slot of the condition.
  var key: UInt64 { Self.key(device, entry.slot) }
}

#if FENCEPOST_INVARIANTS
  extension FleetTurns {
    /// - Parameter entries: The pending events and the observations behind them.
    func checkInvariants(_ entries: [FleetEntry]) throws(Invariant.Broken) {
      try Invariant.hold(
        Set(entries.filter { $0.role == .pending && isPending($0) }.map(\.key)) == Set(pending.keys),
        "each pending event waits or is not committed")
      try Invariant.hold(
        behind.allSatisfy { key, entry in
          entry.role == .behind && pending[key].map { $0.change < entry.change } ?? false
            && pending[key]?.entry.generation == entry.entry.generation
        }, "an observation waits behind an earlier event of its condition")
    }
  }
#endif
