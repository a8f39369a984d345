/// The engine of a fleet and its storage, if it has one. All calls go through this type, which saves the changes of a
/// call before the call returns.
///
/// After a crash, each device is in the state that it had after its first N inputs, where N is
/// ``DeviceStatistics/inputCount``; feed its remaining inputs again. With ``Durability/changes``, the saved state
/// includes each change of a state, of a candidate and of the events. Only inputs that changed none of these may be
/// missing; their number differs between devices. With ``Durability/everyInput``, and after each ``checkpoint()``, the
/// saved state includes all inputs of all devices. Events that were delivered and not committed are redelivered with
/// the same sequence.
///
/// While the storage cannot be written, the fleet continues in memory and tries to save again at later changes. The
/// statistics of the fleet report the failure.
public struct StoredFleet: Sendable {
  @usableFromInline package var engine: FleetEngine
  @usableFromInline var storage: (any FleetStorage)?
  private let durability: Durability
  private var kept: KeptFleet
  /// Whether everything must be saved, because the saved rows differ from those that this fleet would write.
  private var isWholeDue = false
  /// The latest time of any device when everything was last saved; see ``Pace``.
  private var savedTime: Int64 = .min
  private var attempts = SaveAttempts()
  /// The progress of a save of very many devices, which is spread over several calls.
  private var parts: Parts?
  /// See ``SaveLimits``.
  package var limits = SaveLimits()

  /// The moment at which a save in parts began, and the progress of this save. Each device is saved, with its events,
  /// in the state that it has when its part is written. So at any time, the saved state of each device is one that it
  /// had after some of its inputs. At the end, the saved state of each device is not older than the beginning of the
  /// save.
  private struct Parts {
    let moment: FleetMoment
    let time: Int64
    /// Indices in the list of changed devices: the beginning of the next part, and the end of the devices that had
    /// changed when the save began.
    var place = 0
    let end: Int
    /// The number of inputs when the last part was written. A call without an input writes no part.
    var inputs: UInt64
  }

  /// Creates a fleet in memory.
  public init(_ engine: FleetEngine) {
    self.engine = engine
    self.engine.abandon()
    kept = KeptFleet(engine)
    durability = .changes
  }

  /// Opens a fleet in a storage: continues the saved fleet, or creates a new one.
  ///
  /// - Parameters:
  ///   - conditions: A new, empty table, which then becomes the saved table; or another version of the saved table.
  ///   - options: The options that apply from now on.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if an option is out of range;
  ///   ``MonitorError/tableMismatch(_:)``; ``MonitorError/storeCorrupt(_:)``; ``MonitorError/storeUnavailable(_:)``. If
  ///   an error is thrown, the storage is closed and unchanged. If a saved fleet can be read but not written, no error
  ///   is thrown: the fleet continues in memory from the start.
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
        // If the last event of a removed device is void, no row of the device is needed.
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
      // The changes that result from another version of the table are not tracked, so everything must be saved.
      if isChanged { isWholeDue = true }
      do throws(MonitorError) {
        if isWholeDue { try save(storage, all: true) } else { try storage.check() }
      } catch {
        // The saved data was read successfully, so the fleet can continue in memory even if the disk is full.
        guard !isNew, case .storeUnavailable = error else { throw error }
        attempts.fail(error, progress)
      }
    } catch {
      storage.close()
      throw error
    }
  }

  /// Whether the fleet has a storage.
  @inlinable
  public var isStored: Bool { storage != nil }

  /// The whole fleet as a value, at this moment.
  public var state: FleetEngine {
    var state = engine
    if storage != nil { state.setNotes(isOn: false) }
    return state
  }

  /// Performs one call of the engine, and saves its changes.
  @inlinable
  public mutating func call<Result, Failure>(
    _ body: (inout FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard storage != nil else { return try body(&engine) }
    defer { keep() }
    return try body(&engine)
  }

  /// Performs one call that only reads the engine. It saves nothing, even if a save is due, and does not retry a failed
  /// storage.
  package func read<Result, Failure>(
    _ body: (borrowing FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(engine)
  }

  /// Performs one query that may update data that the engine derives from its state, such as an index. Like
  /// ``read(_:)``, it saves nothing; a change that still has to be saved is saved with the next input.
  package mutating func ask<Result, Failure>(
    _ body: (inout FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&engine)
  }

  /// Calls `body` with the bytes of a snapshot, in place.
  package func withSnapshot<Result: Sendable>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    engine.withSnapshot(body)
  }

  /// The number of events so far.
  package var appendedEntries: UInt64 { engine.appendedEntries }

  /// Access to the engine for one call.
  package var call: FleetEngine {
    _read { yield engine }
    _modify {
      defer { keep() }
      yield &engine
    }
  }

  /// The status of the storage.
  public var storeStatus: StoreStatus { attempts.status(of: storage) }

  /// Whether the storage contains the state after all inputs so far, except for the counters of the fleet.
  private var isAllKept: Bool {
    !engine.hasNotes && engine.tableVersion == kept.version
      && engine.watermark.time == kept.moment.watermark.time && attempts.failure == nil && !isWholeDue && parts == nil
  }

  /// The counters of the fleet, and the status of the storage.
  public var statistics: FleetStatistics {
    var result = engine.statistics
    result.store = storeStatus
    result.isAllKept = storage != nil && isAllKept
    return result
  }

  /// Saves everything that the durability requires.
  @usableFromInline
  mutating func keep() {
    guard let storage, parts.map({ $0.inputs != engine.devices.notes.inputs }) ?? (due != nil),
      attempts.mayTry(progress, storage)
    else { return }
    do throws(MonitorError) {
      // The fleet was rewound to a time before the beginning of the save.
      if let parts, parts.moment.watermark.time > engine.watermark.time { self.parts = nil }
      if parts == nil { beginParts(storage) }
      if parts != nil { try savePart(storage) } else if let isAll = due { try save(storage, all: isAll) }
    } catch {
      attempts.fail(error, progress)
    }
  }

  /// The amount of data that an attempt to save would write, and the progress of the inputs.
  private var progress: SaveAttempts.Progress {
    let notes = engine.devices.notes
    let devices = due == false ? notes.urgent.count : notes.listed.count
    return SaveAttempts.Progress(
      changes: devices + engine.delivery.notes.count, inputs: notes.inputs, time: notes.pace.largest)
  }

  /// `nil` if nothing has to be saved now; otherwise, whether everything has to be saved.
  private var due: Bool? {
    // The fleet was rewound. The saved time is later, and the fleet would begin with it after a crash.
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

  /// Whether the saved table has the present version.
  var isUpToDate: Bool { engine.tableVersion == kept.version }

  /// - Parameter isAll: Whether to save all changed devices, or only the urgent ones.
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

  /// The time that a save of all devices belongs to.
  private var timeNow: Int64 { engine.devices.notes.pace.largest }

  /// Writes devices and their events; also writes the table if it has changed.
  ///
  /// A changed table is always written together with all changed devices, whatever `extent` is. Otherwise, after a
  /// crash, a device that was saved before the change of the table would get older inputs again, and could enter a new
  /// condition with inputs from before the condition was added. Another thread may change the table until its lock is
  /// acquired here.
  ///
  /// - Returns: Whether all changed devices were written; and for a part, the places of the events that were written or
  ///   deleted.
  private mutating func write(
    _ storage: any FleetStorage, _ extent: FleetChanges.Extent, isWhole: Bool, mustSync: Bool
  ) throws(MonitorError) -> (isAll: Bool, events: ContiguousArray<UInt64>) {
    let before = kept
    // The lock prevents changes of the table while it is written.
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

  /// Begins a save in parts if very many devices have changed, and no change has to be saved before the call returns.
  private mutating func beginParts(_ storage: any FleetStorage) {
    guard case .relaxed = durability, !isWholeDue, engine.devices.notes.listed.count > limits.least else { return }
    engine.devices.beginParts()
    parts = Parts(
      moment: FleetMoment(engine), time: timeNow, end: engine.devices.notes.listed.count,
      inputs: engine.devices.notes.inputs)
  }

  @_optimize(size)
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

  /// Saves everything now. The saved state includes all inputs of all devices.
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

  /// Saves everything and closes the storage; the fleet continues in memory. Events that were delivered and not
  /// committed are redelivered when the fleet is opened.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` if unsaved changes cannot be saved; the storage is closed
  ///   nevertheless.
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

/// The data that a save has to write.
extension FleetEngine {
  /// Starts tracking changes (the present state counts as saved), or stops tracking them.
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

  /// Marks the changes of devices and events as saved.
  mutating func clearNotes(_ part: ContiguousArray<UInt32>, events: ContiguousArray<UInt64>) {
    devices.clearNotes(part)
    delivery.clearNotes(events)
  }

  mutating func endParts() { devices.endParts() }

  /// Whether anything has changed since the last save.
  var hasNotes: Bool { devices.notes.unsavedCount > 0 || !delivery.notes.isEmpty }

  /// Whether a change must be saved before the call returns.
  var hasUrgentNotes: Bool { !devices.notes.urgent.isEmpty || !delivery.notes.isEmpty }

  /// Whether a change must survive a failure of the machine, not only of the process.
  var mustSyncNotes: Bool { devices.notes.mustSync || delivery.notes.mustSync }

  /// The version of the table, which increases with each change.
  var tableVersion: UInt64 { gate.read { engine in engine.table.changes.version } }

  /// Sets the options with which the fleet is opened.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the table has lines, and the options have no path; or if
  ///   the options have another delivery than the fleet.
  mutating func adopt(_ options: FleetOptions) throws(MonitorError) {
    guard options.delivery == self.options.delivery else {
      throw .invalidArgument(
        "the delivery is \(options.delivery); must be \(self.options.delivery), with which the stored fleet was created"
      )
    }
    gate = try conditions.newGate(for: options)
    let before = self.options
    self.options = options
    tracker = Tracker(options.monitorOptions)
    observed.adopt(options.order)
    if options.plausibility == nil, before.plausibility != nil { dropChains() }
    if options.keepsEachFix, !before.keepsEachFix { dropInexactFixes() }
    if options.path.isGeodesic { needRowFormat(FleetHeadRow.pathFormat) }
    if options.plausibility != nil { features.insert(.doubts) }
  }

  /// Forgets the last fixes of devices that came from a fleet that does not store each fix; see
  /// ``FleetOptions/keepsEachFix``.
  private mutating func dropInexactFixes() {
    changeStates { state, clock in
      guard let fix = state.lastFix, fix.time.microseconds < clock else { return false }
      state.lastFix = nil
      return true
    }
  }

  private mutating func dropChains() {
    changeStates { state, _ in
      defer { state.chain = DoubtChain() }
      return !state.chain.isEmpty
    }
  }

  /// - Parameter body: Changes the state of a device with a clock; returns whether it has changed.
  private mutating func changeStates(_ body: (inout DeviceState, Int64) -> Bool) {
    devices.own()
    for device in devices.numbers where devices.lines[device].cold != ColdStore.none {
      devices.load(device, into: &state)
      if body(&state, devices.lines[device].clock) { store(device) }
    }
  }
}
