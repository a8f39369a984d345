import FencepostKernel

/// What the consumer was told of each condition last, with the record that shows it.
struct ToldStates: Sendable {
  /// Of one condition.
  struct Told: SharedSlot {
    /// Index in ``RecordTable``, or ``none`` while the first record stands.
    var record: UInt32 = Told.none
    /// Events of it that wait to be handed out.
    var waiting: UInt32 = 0
    /// Date of the first record, microseconds; `Int64.min` = unset.
    var added: Int64 = .min
    /// State of the last event queued (delivery `every`) or handled (the others).
    var state: Event.State = .unknown
    /// Diagnostics of that event.
    var flags: UInt16 = 0

    static let none = UInt32.max

    var swept: Told { self }
  }

  /// What a row keeps.
  struct Saved {
    var state: Event.State
    var flags: UInt16
    var added: Int64
    var record: EventEntry?
    var refinement: BeaconIdentityCondition?
  }

  private var told = SharedSlots<Told>()
  private var records = RecordTable()
  /// The beacon that the last event named, of the conditions whose event did.
  private var refinements: [UInt32: BeaconIdentityCondition] = [:]

  mutating func reserve(_ more: Int) {
    told.reserveCapacity(told.count + more)
  }

  mutating func adopt(_ slot: UInt32, assumed: Event.State, date: Int64, _ journal: inout Journal) {
    while told.count <= Int(slot) { told.append(Told()) }
    told[Int(slot)] = Told(added: date, state: assumed)
    journal.touch(slot)
  }

  /// Returns how many events of the condition waited.
  mutating func drop(_ slot: UInt32) -> Int {
    let old = told[Int(slot)]
    if old.record != Told.none { records.remove(old.record) }
    if !refinements.isEmpty { refinements[slot] = nil }
    return Int(old.waiting)
  }

  mutating func share() {
    told.share()
  }

  @inline(__always)
  func state(of slot: UInt32) -> Event.State { told[Int(slot)].state }

  func flags(of slot: UInt32) -> Diagnostics { Diagnostics(rawValue: UInt32(told[Int(slot)].flags)) }

  func refinement(of slot: UInt32) -> BeaconIdentityCondition? { refinements.isEmpty ? nil : refinements[slot] }

  /// Whether a state is what was told, and nothing was told since a fork was made; of many slots, with one read each.
  @inline(__always)
  func isUnchanged(_ slot: UInt32, _ state: Event.State) -> Bool {
    !told.isChanged(Int(slot)) && told.origin(Int(slot)).state == state
  }

  /// Remembers what the consumer was told last, or will have been when the queue is empty.
  mutating func note(_ entry: EventEntry, _ table: ConditionTable, _ journal: inout Journal) {
    told[Int(entry.slot)].state = entry.state
    told[Int(entry.slot)].flags = UInt16(truncatingIfNeeded: entry.diagnostics.rawValue)
    if entry.hasRefinement || !refinements.isEmpty { refinements[entry.slot] = table.refinement(of: entry) }
    journal.touch(entry.slot)
  }

  /// Makes an event the condition's record.
  mutating func write(_ entry: EventEntry, _ journal: inout Journal) {
    let index = told[Int(entry.slot)].record
    if index == Told.none {
      told[Int(entry.slot)].record = records.insert(entry)
    } else {
      records.update(index, entry)
    }
    journal.touch(entry.slot)
  }

  /// Counts an event that waits.
  mutating func wait(_ slot: UInt32) {
    told[Int(slot)].waiting += 1
  }

  /// Counts an event that waits no more.
  mutating func handOut(_ slot: UInt32) {
    told[Int(slot)].waiting -= 1
  }

  /// The last event that was handled; `nil` while the first record stands.
  func record(of slot: UInt32) -> EventEntry? {
    let index = told[Int(slot)].record
    return index == Told.none ? nil : records[index]
  }

  /// The date of the first record.
  func added(_ slot: UInt32) -> Int64 { told[Int(slot)].added }

  func saved(_ slot: UInt32) -> Saved {
    let told = told[Int(slot)]
    return Saved(
      state: told.state, flags: told.flags, added: told.added, record: record(of: slot),
      refinement: refinement(of: slot))
  }

  /// Takes what was saved of a condition, the first time when it was put into the next slot.
  mutating func restore(_ slot: UInt32, _ saved: Saved) {
    var restored = Told(added: saved.added, state: saved.state, flags: saved.flags)
    if let record = saved.record { restored.record = records.insert(record) }
    if Int(slot) == told.count { told.append(restored) } else { told[Int(slot)] = restored }
    if let refinement = saved.refinement { refinements[slot] = refinement }
  }

  @inline(__always)
  func trace(of slot: UInt32) -> UInt64 { UInt64(told[Int(slot)].waiting) }

  @inline(__always)
  func recordTrace(of slot: UInt32) -> UInt64 {
    let index = told[Int(slot)].record
    return index == Told.none ? 0 : records[index].change
  }
}

#if FENCEPOST_INVARIANTS
  extension ToldStates {
    /// - Parameters:
    ///   - waiting: The events that wait.
    ///   - last: With `every`, the last event of a condition that is not in its record yet.
    func checkInvariants(
      _ table: ConditionTable, waiting: [EventEntry], last: [UInt32: EventEntry]
    ) throws(Invariant.Broken) {
      try records.checkInvariants(table.live.map { told[Int($0)].record }.filter { $0 != Told.none })
      var counts: [UInt32: UInt32] = [:]
      for entry in waiting { counts[entry.slot, default: 0] += 1 }
      for slot in table.live {
        try Invariant.hold(told[Int(slot)].waiting == counts[slot] ?? 0, "a condition counts its waiting events")
        let event = last[slot] ?? record(of: slot)
        try Invariant.hold(
          state(of: slot) == event?.state ?? table.assumed(of: slot) && flags(of: slot) == event?.diagnostics ?? [],
          "what was told of a condition is what its last event says")
        try Invariant.hold(
          refinement(of: slot) == event.flatMap { table.refinement(of: $0) },
          "the beacon that was named is that of the last event")
      }
    }
  }
#endif
