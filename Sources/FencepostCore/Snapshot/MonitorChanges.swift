import FencepostKernel

/// The changes of a monitor that a storage must write in one transaction.
///
/// This is a class because it contains a copy of the engine, which is 4 kB. On the stack, that copy would add 7 kB to
/// each save.
public final class MonitorChanges: StoredChanges {
  private let engine: MonitorEngine
  private let kept: KeptRows
  /// Whether the rows are all rows of the monitor; the storage then removes all other rows.
  public let isWhole: Bool
  /// Whether the changes must survive a power failure when the write returns, not only a crash of the process.
  public let mustSync: Bool
  /// See ``DeviceRow/swept``.
  let swept: UInt64
  /// The conditions whose state row is written or removed, by generation; `isTold` is whether the row is written.
  let states: ContiguousArray<(slot: UInt32, isTold: Bool)>

  init(_ engine: MonitorEngine, _ kept: KeptRows, isWhole: Bool, mustSync: Bool) {
    self.engine = engine
    self.kept = kept
    self.isWhole = isWhole
    self.mustSync = mustSync
    let swept = isWhole ? engine.sweptInFull : engine.sweptNext(kept.swept)
    self.swept = swept
    let slots = isWhole ? ContiguousArray(engine.table.live) : engine.changed(swept, kept.swept)
    var states: ContiguousArray<(slot: UInt32, isTold: Bool)> = []
    states.reserveCapacity(slots.count)
    for slot in slots { states.append((slot, engine.hasStateRow(slot, swept: swept))) }
    self.states = states
  }

  /// The generations of the removed conditions, ascending; their rows in all tables are removed.
  public var removedConditions: [UInt64] { engine.delivery.journal.removed.arranged() }

  /// The keys of the removed states, ascending.
  public var removedStates: [UInt64] {
    states.compactMap { state in
      !state.isTold && kept.states.contains(state.slot) ? engine.table.generation(of: state.slot) : nil
    }
  }

  /// The keys of the removed events, ascending.
  public var removedEvents: [UInt64] {
    engine.delivery.journal.events.compactMap { key, change in
      if case .delete = change { key } else { nil }
    }.arranged()
  }

  /// The generations of the events of ``removedEvents``, in the same order.
  public var generationsOfRemovedEvents: [UInt64] {
    engine.delivery.journal.events.compactMap { key, change in
      if case .delete(let generation) = change { (key, generation) } else { nil }
    }.arranged { $0.0 < $1.0 }.map { $0.1 }
  }

  public var removedDevices: [UInt64] { [] }

  /// The conditions whose definition is written, by generation.
  private var definitions: ContiguousArray<UInt32> {
    var slots: ContiguousArray<UInt32> = []
    if engine.tracker.journal.hasRedefined {
      for state in states where engine.table.generation(of: state.slot) <= kept.generation { slots.append(state.slot) }
    }
    slots.append(contentsOf: engine.table.order.live(after: kept.generation))
    return slots
  }

  /// Calls `body` with the rows that are new or changed, table by table in the order of the keys; the head is last.
  public func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    if isWhole {
      try engine.forEachRow(swept: swept) { row throws(Failure) in
        if row.table != .head { try body(row) }
      }
      return try engine.withHeadRow(&writer, body)
    }
    try engine.withDeviceRow(swept: swept, &writer, body)
    for slot in definitions { try engine.withDefinitionRow(slot, &writer, body) }
    for state in states where state.isTold { _ = try engine.withStateRow(state.slot, swept: swept, &writer, body) }
    for key in engine.delivery.journal.events.keys.arranged() {
      guard case .put(let entry, let follows) = engine.delivery.journal.events[key], engine.isLive(entry) else {
        continue
      }
      try engine.withEventRow(EventRow(follows: follows, entry: entry), &writer, body)
    }
    try engine.withHeadRow(&writer, body)
  }
}

extension MonitorEngine {
  /// The value of ``DeviceRow/swept`` for the next write. A higher value saves the rows of conditions that were settled
  /// outside; a lower value saves the rows of conditions that became undetermined. Both need a visit of the conditions
  /// in between, so the value changes only if enough conditions have changed.
  fileprivate func sweptNext(_ kept: UInt64) -> UInt64 {
    let last = table.order.lastGeneration
    let undetermined = tracker.waitingCount(table)
    if kept < last, UInt64(undetermined) * 2 < last - kept { return last }
    if undetermined * 4 > table.count * 3, tracker.journal.slots.count * 2 > table.count { return 0 }
    return kept
  }

  /// The conditions whose state row may have to be written or removed if `swept` changes from `kept`, by generation.
  fileprivate func changed(_ swept: UInt64, _ kept: UInt64) -> ContiguousArray<UInt32> {
    if swept < kept { return ContiguousArray(table.live) }
    var slots = changedSlots
    guard swept > kept else { return slots }
    slots.append(contentsOf: table.order.live(after: kept))
    table.putInOrder(&slots)
    return slots
  }
}
