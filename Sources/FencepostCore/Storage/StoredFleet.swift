/// A fleet's engine and, where it has one, its storage: every call goes through here, and what the call changed is made to
/// last before it returns.
///
/// After a crash each device is in a state that it was in after some of its inputs, from the first on, and knows how many
/// (``DeviceStatistics/inputCount``); feed it the others again. With ``Durability/changes`` that state has everything that
/// the device was inside of, was about to cross and was told; inputs that changed none of these may be missing, of one device
/// and not of another. With ``Durability/everyInput``, and at each ``checkpoint()``, it is the state after all inputs of all
/// devices. An event that was handed out and not committed is handed out again with the same sequence.
///
/// While the storage cannot be written, the fleet continues in memory; its statistics report this, and later changes try again.
public struct StoredFleet: Sendable {
  @usableFromInline package var engine: FleetEngine
  @usableFromInline var storage: (any FleetStorage)?
  private let durability: Durability
  private var kept: KeptFleet
  /// What is kept has other rows than this fleet would write.
  private var isWholeDue = false
  /// The largest time that any device was given when all was saved: see ``Pace``.
  private var savedTime: Int64 = .min
  private var attempts = SaveAttempts()
  /// A save of very many devices, which extends over several calls.
  private var parts: Parts?
  /// See ``SaveLimits``.
  package var limits = SaveLimits()

  /// What was when a save in parts began, and how far it has come. Each device is kept as it is when its part is written, with
  /// its events; so the fleet is kept as after some inputs of each device at any time, and in the end as it was in the
  /// beginning, or later.
  private struct Parts {
    let moment: FleetMoment
    let time: Int64
    /// Of the list of devices that changed: where the next part begins, and where those end that had changed by then.
    var place = 0
    let end: Int
    /// When the last part was written: a call without an input writes none.
    var inputs: UInt64
  }

  /// An engine in memory.
  public init(_ engine: FleetEngine) {
    self.engine = engine
    self.engine.abandon()
    kept = KeptFleet(engine)
    durability = .changes
  }

  /// Opens a fleet in a storage: continues where it was, or begins.
  ///
  /// - Parameters:
  ///   - conditions: One that is new and empty becomes the table that was kept; else it must be another version of that.
  ///   - options: They hold from now on.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (an option), ``MonitorError/tableMismatch(_:)``,
  ///   ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeUnavailable(_:)``. The storage is closed then, and holds what
  ///   it held. A fleet that can be read and not written begins in memory, as if the storage had failed later.
  public init(
    _ conditions: Conditions, options: FleetOptions, storage: any FleetStorage, durability: Durability = .changes
  ) throws(MonitorError) {
    do throws(MonitorError) {
      if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
      var restorer = FleetRestorer(deviceRows: try storage.countDevices())
      try storage.read { row throws(MonitorError) in
        do throws(Damage) { try restorer.receive(row) } catch { throw .storeCorrupt(error.reason) }
      }
      let isNew = restorer.isEmpty
      var isChanged = isNew
      if isNew {
        engine = try FleetEngine(conditions, options: options)
        kept = KeptFleet(engine)
      } else {
        isWholeDue = restorer.isRenumbered
        let deviceCount = Int(restorer.deviceCount)
        do throws(Damage) { engine = try restorer.restored() } catch {
          throw storage.refused(.storeCorrupt(error.reason))
        }
        let table = engine.conditions
        kept = table.read { [engine] known in KeptFleet(restored: engine, known) }
        // Of a device that was removed no row is left when its last event is void.
        if kept.deviceCount != deviceCount { isWholeDue = true }
        let isOther = engine.options != options
        do throws(MonitorError) {
          try engine.adopt(options)
          isChanged = try !engine.move(onto: conditions, family: storage.family) || isOther
        } catch {
          throw storage.refused(error)
        }
      }
      if conditions.join(storage) { isWholeDue = true }
      self.storage = storage
      self.durability = durability
      engine.setNotes(isOn: true, durability)
      savedTime = timeNow
      if !isChanged, !isWholeDue { kept.version = engine.tableVersion }
      // What came of another version of the table is not noted.
      if isChanged { isWholeDue = true }
      do throws(MonitorError) {
        if isWholeDue { try save(storage, all: true) } else { try storage.check() }
      } catch {
        // What was read is sound: a disk that takes nothing more does not keep it from going on in memory.
        guard !isNew, case .storeUnavailable = error else { throw error }
        attempts.fail(error, progress)
      }
    } catch {
      storage.close()
      throw error
    }
  }

  /// Whether what happens goes to a storage.
  @inlinable
  public var isStored: Bool { storage != nil }

  /// The whole fleet as a value, for a look at a moment.
  public var state: FleetEngine {
    var state = engine
    if storage != nil { state.setNotes(isOn: false) }
    return state
  }

  /// One call of the engine.
  @inlinable
  public mutating func call<Result, Failure>(
    _ body: (inout FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard storage != nil else { return try body(&engine) }
    defer { keep() }
    return try body(&engine)
  }

  /// One call that only reads the engine. It saves nothing, however much is due, and tries no storage again.
  package func read<Result, Failure>(
    _ body: (borrowing FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(engine)
  }

  /// One question that may update what the engine derives from its state, such as an index. It saves nothing, as ``read(_:)``;
  /// a change that it finds to be saved is saved with the next input.
  package mutating func ask<Result, Failure>(
    _ body: (inout FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&engine)
  }

  /// Calls `body` with the bytes of a snapshot, in place.
  package func withSnapshot<Result: Sendable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    engine.withSnapshot(body)
  }

  /// How many events there have been.
  package var appendedEntries: UInt64 { engine.appendedEntries }

  /// One call of the engine, as an access to it.
  package var call: FleetEngine {
    _read { yield engine }
    _modify {
      defer { keep() }
      yield &engine
    }
  }

  /// What is known of the storage.
  public var storeStatus: StoreStatus { attempts.status(of: storage) }

  /// Whether the storage has the state after all inputs so far, the counters of the fleet apart.
  private var isAllKept: Bool {
    !engine.hasNotes && engine.tableVersion == kept.version
      && engine.watermark.time == kept.moment.watermark.time && attempts.failure == nil && !isWholeDue && parts == nil
  }

  /// Counters of the fleet, and what is known of the storage.
  public var statistics: FleetStatistics {
    var result = engine.statistics
    result.store = storeStatus
    result.isAllKept = storage != nil && isAllKept
    return result
  }

  /// Saves what the durability asks for.
  @usableFromInline
  mutating func keep() {
    guard let storage, parts.map({ $0.inputs != engine.devices.notes.inputs }) ?? (due != nil),
      attempts.mayTry(progress, storage)
    else { return }
    do throws(MonitorError) {
      // The moment at which the parts began was set back since.
      if let parts, parts.moment.watermark.time > engine.watermark.time { self.parts = nil }
      if parts == nil { beginParts(storage) }
      if parts != nil { try savePart(storage) } else if let isAll = due { try save(storage, all: isAll) }
    } catch {
      attempts.fail(error, progress)
    }
  }

  /// What an attempt to save would write, and how far the inputs have come.
  private var progress: SaveAttempts.Progress {
    let notes = engine.devices.notes
    let devices = due == false ? notes.urgent.count : notes.listed.count
    return SaveAttempts.Progress(
      changes: devices + engine.delivery.notes.count, inputs: notes.inputs, time: notes.pace.largest)
  }

  /// Whether something is to be saved now, and then whether all of it.
  private var due: Bool? {
    // A rewind of the fleet: what is kept of it is later, and would be what the fleet begins with.
    if engine.watermark.time < kept.moment.watermark.time { return true }
    switch durability {
    case .changes:
      if engine.tableVersion != kept.version { return true }
      if engine.hasUrgentNotes { return false }
    case .everyInput:
      if engine.hasNotes || engine.tableVersion != kept.version { return true }
      if engine.watermark.time != kept.moment.watermark.time { return true }
    case .relaxed(let interval):
      if engine.devices.notes.pace.hasPassed(interval, since: savedTime) { return true }
    }
    return nil
  }

  /// Whether what is kept has the table as it is now.
  var isUpToDate: Bool { engine.tableVersion == kept.version }

  /// - Parameter isAll: Whether all devices are saved that changed, or those that are urgent.
  private mutating func save(_ storage: any FleetStorage, all isAll: Bool) throws(MonitorError) {
    let isWhole = isWholeDue || storage.mustWriteAll()
    let mustSync: Bool
    if case .changes = durability, !isAll, !isWhole, attempts.failure == nil {
      mustSync = engine.mustSyncNotes
    } else {
      mustSync = true
    }
    let written = try write(storage, isAll || isWhole ? .all : .urgent, isWhole: isWhole, mustSync: mustSync)
    engine.clearNotes(all: written.isAll)
    if written.isAll {
      parts = nil
      savedTime = timeNow
    }
    isWholeDue = false
  }

  /// The time that a save of all devices is one of.
  private var timeNow: Int64 { engine.devices.notes.pace.largest }

  /// Writes devices and their events, and the table where it changed.
  ///
  /// A changed table is written with all devices that changed, whatever `extent` is: a device that is kept as it was before
  /// the change would get inputs again after a crash that came before the change, and could enter a new condition with them.
  /// Another thread may change the table up to the moment when its lock is taken here.
  ///
  /// - Returns: Whether all devices that changed were written; and of a part the places of the events that were written, or
  ///   went.
  private mutating func write(
    _ storage: any FleetStorage, _ extent: FleetChanges.Extent, isWhole: Bool, mustSync: Bool
  ) throws(MonitorError) -> (isAll: Bool, events: ContiguousArray<UInt64>) {
    let before = kept
    // The table is not changed while it is written.
    let (after, result) = try engine.gate.readLong { [engine] table throws(MonitorError) in
      let hasNewTable = table.table.changes.version != before.version
      let extent = hasNewTable ? .all : extent
      var isAll = false
      if case .all = extent { isAll = true }
      let changes = FleetChanges(engine, table, before, extent, isWhole: isWhole, mustSync: mustSync || hasNewTable)
      try storage.write(changes)
      var updated = before
      updated.update(changes)
      return (updated, (isAll: isAll, events: changes.eventPlaces ?? []))
    }
    kept = after
    attempts.succeed()
    return result
  }

  // MARK: - Saving in parts

  /// Begins a save in parts when very many devices have changed, and nothing has to last before the call returns.
  private mutating func beginParts(_ storage: any FleetStorage) {
    guard case .relaxed = durability, !isWholeDue, engine.devices.notes.listed.count > limits.least else { return }
    engine.devices.beginParts()
    parts = Parts(
      moment: FleetMoment(engine), time: timeNow, end: engine.devices.notes.listed.count,
      inputs: engine.devices.notes.inputs)
  }

  private mutating func savePart(_ storage: any FleetStorage) throws(MonitorError) {
    guard var parts, !storage.mustWriteAll() else { return try save(storage, all: true) }
    let part = engine.devices.notes.part(of: limits.part, from: parts.place, to: parts.end, engine.devices.lines)
    let isLast = part.next == parts.end
    let written = try write(
      storage, .part(part.devices, moment: isLast ? parts.moment : nil), isWhole: false, mustSync: true)
    if written.isAll {
      engine.clearNotes(all: true)
      self.parts = nil
      savedTime = timeNow
      return
    }
    engine.clearNotes(part.devices, events: written.events)
    parts.place = part.next
    parts.inputs = engine.devices.notes.inputs
    self.parts = isLast ? nil : parts
    if isLast {
      engine.endParts()
      savedTime = parts.time
    }
  }

  /// Saves everything now: a state after all inputs of all devices.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; the fleet continues in memory.
  public mutating func checkpoint() throws(MonitorError) {
    guard let storage else { return }
    do throws(MonitorError) {
      try save(storage, all: true)
    } catch {
      attempts.failAsked(error, progress)
      throw error
    }
  }

  /// Saves everything and ends the use of the storage; the fleet continues in memory. What was handed out and not committed is
  /// handed out again when the fleet is opened.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when what was not saved before cannot be saved now either; the
  ///   storage is closed all the same.
  public mutating func close() throws(MonitorError) {
    guard let storage else { return }
    self.storage = nil
    defer {
      storage.close()
      engine.setNotes(isOn: false)
    }
    if isAllKept, FleetMoment(engine).counters == kept.moment.counters, !storage.mustWriteAll() {
      try storage.check()
    } else {
      try save(storage, all: true)
    }
  }
}

/// What a save has to write.
extension FleetEngine {
  /// Starts to note changes: what is there now counts as saved. Or notes no more.
  mutating func setNotes(isOn: Bool, _ durability: Durability = .changes) {
    if case .relaxed(let interval) = durability {
      devices.setNotes(isOn: isOn, interval: interval)
    } else {
      devices.setNotes(isOn: isOn)
    }
    if isOn { devices.reach(watermark.time) }
    delivery.setNotes(isOn: isOn)
  }

  mutating func clearNotes(all: Bool) {
    devices.clearNotes(all: all)
    delivery.clearNotes()
  }

  /// Forgets what was saved of some devices, and of events.
  mutating func clearNotes(_ part: ContiguousArray<UInt32>, events: ContiguousArray<UInt64>) {
    devices.clearNotes(part)
    delivery.clearNotes(events)
  }

  mutating func endParts() { devices.endParts() }

  /// Whether anything changed.
  var hasNotes: Bool { devices.notes.unsavedCount > 0 || !delivery.notes.isEmpty }

  /// Whether something changed that is to last before the call returns.
  var hasUrgentNotes: Bool { !devices.notes.urgent.isEmpty || !delivery.notes.isEmpty }

  /// Whether something changed that is to outlive the machine, not only the process.
  var mustSyncNotes: Bool { devices.notes.mustSync || delivery.notes.mustSync }

  /// Rises with each change of the table.
  var tableVersion: UInt64 { gate.read { engine in engine.table.changes.version } }

  /// Takes the options that an opener asks for.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` where there are lines, and would be no path.
  mutating func adopt(_ options: FleetOptions) throws(MonitorError) {
    gate = try conditions.newGate(for: options)
    let hadPath = self.options.path.isGeodesic
    self.options = options
    tracker = Tracker(options.monitorOptions)
    guard options.path.isGeodesic else { return }
    if !hadPath { dropInexactFixes() }
    rowFormat = FleetHeadRow.format
  }
}
