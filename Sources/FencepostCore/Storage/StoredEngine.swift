/// The engine of a monitor and its storage, if it has one. All calls go through this type, which saves the changes of a
/// call before the call returns.
///
/// While the storage cannot be written, monitoring continues in memory. Unsaved changes are kept, one event reports the
/// failure (``Diagnostics/persistenceUnavailable``), and later changes and inputs cause new attempts.
public struct StoredEngine: Sendable {
  @usableFromInline package var engine: MonitorEngine
  @usableFromInline var storage: (any MonitorStorage)?
  private let durability: Durability
  /// Scratch that is kept so that an ordinary fix allocates no memory.
  private var survey = Survey()
  private var savedInputCount: UInt64 = 0
  private var kept = KeptRows()
  /// Whether the saved rows have an older format, so that everything must be saved.
  private var isWholeDue = false
  /// The progress of a save of very many changes, which is spread over several calls: the monitor in the state in which
  /// the save began. There is at most one image. An array stores it apart, because an optional would double the size of
  /// each copy of this struct on the stack.
  private var images: ContiguousArray<MonitorImage> = []
  /// See ``SaveLimits``.
  package var limits = SaveLimits()
  /// The clock at the last save.
  private var savedClock: Int64 = .min
  private var attempts = SaveAttempts()

  /// Creates an engine in memory.
  public init(_ engine: MonitorEngine) {
    self.engine = engine
    durability = .changes
  }

  /// Opens a monitor in a storage: continues the saved monitor, or creates a new one.
  ///
  /// - Parameters:
  ///   - options: For a saved monitor, the delivery and the condition limit must equal the saved ones, and line
  ///     conditions need a geodesic path. The other options apply from now on.
  /// - Throws: ``MonitorError/invalidName(_:)``; ``MonitorError/invalidArgument(_:position:)`` if an option is invalid;
  ///   ``MonitorError/storeCorrupt(_:)``; ``MonitorError/storeUnavailable(_:)``. If an error is thrown, the storage is
  ///   closed and unchanged. If a saved monitor can be read but not written, no error is thrown: the monitor continues
  ///   in memory from the start.
  public init(
    name: String, options: MonitorOptions, storage: any MonitorStorage, durability: Durability = .changes
  ) throws(MonitorError) {
    do throws(MonitorError) {
      if let defect = durability.defect { throw .invalidArgument(defect) }
      engine = try MonitorEngine(name: name, options: options)
      let (isNew, isOld, isChanged) = try Self.restore(&engine, &kept, storage, name, options)
      isWholeDue = isOld
      self.storage = storage
      self.durability = durability
      engine.beginJournal()
      savedInputCount = engine.inputCount
      savedClock = engine.clock
      do throws(MonitorError) {
        if isChanged || isWholeDue { try save(storage) } else { try storage.check() }
      } catch {
        // The saved data was read successfully, so the monitor can continue in memory even if the disk is full.
        guard !isNew, case .storeUnavailable = error else { throw error }
        note(error)
      }
    } catch {
      storage.close()
      throw error
    }
  }

  /// Restores a stored monitor. The function is not inlined, because its stack frame is large and must end before the
  /// monitor is saved.
  ///
  /// - Returns: Whether the storage has no monitor, in which case the engine is unchanged; whether the format of the rows
  ///   is old; and whether the options differ from the stored options.
  @inline(never) @_optimize(size)
  private static func restore(
    _ engine: inout MonitorEngine, _ kept: inout KeptRows, _ storage: any MonitorStorage, _ name: String,
    _ options: MonitorOptions
  ) throws(MonitorError) -> (isNew: Bool, isOld: Bool, isChanged: Bool) {
    var restorer = EngineRestorer(name: name)
    try read(storage, into: &restorer)
    guard !restorer.isEmpty else { return (true, false, true) }
    do throws(RestoreFailure) {
      (engine, kept) = try restorer.restored()
      let isChanged = engine.options != options
      try engine.adopt(savedLike: options)
      return (false, restorer.isOld, isChanged)
    } catch {
      throw storage.refused(Self.error(error, asked: options))
    }
  }

  /// Reads the rows of a storage. If the storage returns them out of order, reads them again and sorts them.
  /// The function is not inlined, because its stack frame must end before the monitor is restored.
  @inline(never)
  private static func read(
    _ storage: any MonitorStorage, into restorer: inout EngineRestorer
  ) throws(MonitorError) {
    var isInOrder = true
    try storage.read { row throws(MonitorError) in
      guard isInOrder else { return }
      do throws(Damage) { try restorer.receive(row) } catch { isInOrder = false }
    }
    if isInOrder { return }
    var rows = SortedRows()
    try storage.read { row throws(MonitorError) in rows.append(row) }
    restorer.begin()
    do throws(Damage) {
      try rows.forEach { row throws(Damage) in try restorer.receive(row) }
    } catch {
      throw storage.refused(.storeCorrupt(error.reason))
    }
  }

  @_optimize(size)
  private static func error(_ failure: RestoreFailure, asked: MonitorOptions) -> MonitorError {
    switch failure {
    case .damaged(let damage):
      return .storeCorrupt(damage.reason)
    case .otherOptions(let saved):
      guard asked.delivery != saved.delivery || asked.conditionLimit != saved.conditionLimit else {
        return .invalidArgument(
          "the path is fixes, but the stored monitor has line conditions; must be geodesic")
      }
      func text(_ options: MonitorOptions) -> String {
        "delivery \(options.delivery) and condition_limit \(options.conditionLimit.map { "\($0)" } ?? "none")"
      }
      return .invalidArgument(
        "the options are \(text(asked)); must be those that the stored monitor was created with, \(text(saved))")
    }
  }

  /// Whether the engine has a storage.
  @inlinable
  public var isStored: Bool { storage != nil }

  /// The number of events that wait for delivery.
  public var pendingEvents: Int { engine.pendingEvents }

  /// Performs one call of the engine, and saves its changes.
  @inlinable
  public mutating func call<Result, Failure>(
    _ body: (inout MonitorEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard storage != nil else { return try body(&engine) }
    let before = mark
    defer { if mark != before { keep() } }
    return try body(&engine)
  }

  /// Feeds one fix. See ``MonitorEngine/feed(_:)-(Fix)``.
  public mutating func feed(_ fix: Fix) throws(MonitorError) {
    guard storage != nil else { return try engine.feed(fix, &survey) }
    let before = mark
    defer { if mark != before { keep() } }
    try engine.feed(fix, &survey)
  }

  /// Feeds one fix that may have an error ellipse and a height. See ``MonitorEngine/feed(_:ellipse:height:)``.
  @discardableResult
  public mutating func feed(
    _ fix: Fix, ellipse: FixEllipse?, height: FixHeight? = nil
  ) throws(MonitorError) -> FeedResult {
    let before = mark
    defer { if storage != nil, mark != before { keep() } }
    return try engine.feed(fix, FixExtras(ellipse: ellipse, height: height), &survey)
  }

  /// Feeds many fixes in order. See ``MonitorEngine/feed(_:result:)-(Span<Fix>,_)``.
  public mutating func feed(_ fixes: Span<Fix>, result: inout FeedResult) throws(MonitorError) {
    let before = mark
    defer { if storage != nil, mark != before { keep() } }
    try engine.feed(fixes, result: &result, &survey)
  }

  /// Feeds many fixes from columns. See ``MonitorEngine/feed(_:result:)-(FixColumns,_)``.
  public mutating func feed(_ columns: FixColumns, result: inout FeedResult) throws(MonitorError) {
    let before = mark
    defer { if storage != nil, mark != before { keep() } }
    try engine.feed(columns, result: &result, &survey)
  }

  /// The values that every call changes, except calls that only read.
  @usableFromInline
  var mark: Mark { Mark(revision: engine.revision, inputs: engine.inputCount) }

  @usableFromInline
  struct Mark: Equatable {
    let revision: UInt64
    let inputs: UInt64

    @usableFromInline
    static func == (one: Mark, other: Mark) -> Bool { one.revision == other.revision && one.inputs == other.inputs }
  }

  /// The status of the storage.
  public var storeStatus: StoreStatus { attempts.status(of: storage) }

  /// The counters and the clock of the monitor, and the status of the storage.
  public var statistics: MonitorStatistics {
    var result = engine.statistics
    result.store = storeStatus
    result.isAllKept = storage != nil && isAllSaved
    return result
  }

  /// Saves everything that the durability requires.
  @usableFromInline
  package mutating func keep() {
    guard let storage, isInParts || isDue else { return }
    guard attempts.mayTry(progress, storage) else {
      // If the monitor had no conditions, the failure is not reported yet. Now it may have one.
      engine.storeIsFailing(true)
      return
    }
    do throws(MonitorError) {
      if case .relaxed = durability, beginImage(storage, relaxed: true) {
        if try writePart(storage) || isInParts { return }
        return try save(storage, inPlace: true)
      }
      try save(storage, mustSync: mustSync)
    } catch {
      note(error)
    }
  }

  /// Whether changes must survive a failure of the machine, not only of the process. A commit need not, because its
  /// loss only causes redelivery.
  private var mustSync: Bool {
    if case .changes = durability { return engine.mustSync || attempts.failure != nil }
    return true
  }

  private var isDue: Bool {
    switch durability {
    case .changes:
      return engine.hasUrgentChanges
    case .everyInput:
      return engine.hasUrgentChanges || engine.inputCount != savedInputCount
    case .relaxed(let interval):
      guard engine.clock != .min, savedClock != .min else { return engine.clock != savedClock }
      // A clock that was set back is saved immediately.
      return engine.clock < savedClock || engine.clock - savedClock >= interval
    }
  }

  /// Saves everything that is not saved.
  ///
  /// - Parameters:
  ///   - mustSync: Whether the changes must survive a failure of the machine, not only of the process.
  ///   - inPlace: Whether to save in place only, without an image.
  private mutating func save(
    _ storage: any MonitorStorage, mustSync: Bool = true, inPlace: Bool = false
  ) throws(MonitorError) {
    if !inPlace, beginImage(storage, relaxed: false) {
      while isInParts { _ = try writePart(storage) }
    }
    // The first pass may cause an event: the storage works again. The second pass saves this event.
    for _ in 0..<2 {
      let isWhole = isWholeDue || storage.mustWriteAll()
      let changes = MonitorChanges(engine, kept, isWhole: isWhole, mustSync: mustSync)
      try storage.write(changes)
      engine.clearJournal()
      kept.update(changes, generation: engine.table.order.lastGeneration)
      isWholeDue = false
      noteSaved(engine.inputCount, engine.clock)
      if !engine.hasUrgentChanges { return }
    }
  }

  /// Records that the storage works and contains everything up to a state.
  private mutating func noteSaved(_ inputCount: UInt64, _ clock: Int64) {
    savedInputCount = inputCount
    savedClock = clock
    attempts.succeed()
    engine.storeIsFailing(false)
  }

  // MARK: - Saving in parts

  /// Whether a save in parts is in progress.
  private var isInParts: Bool { !images.isEmpty }

  /// Begins a save in parts if very many changes are unsaved and the storage has room for it.
  ///
  /// - Parameter relaxed: Whether the save may continue in later calls. If not, it is begun only if it is faster.
  /// - Returns: Whether a save in parts is in progress.
  private mutating func beginImage(_ storage: any MonitorStorage, relaxed: Bool) -> Bool {
    guard !isInParts else { return true }
    guard !isWholeDue else { return false }
    let changes = engine.changeCount(since: kept.generation)
    guard limits.isLarge(changes, of: engine.conditionCount, relaxed: relaxed) else { return false }
    let image = MonitorImage(engine)
    guard storage.canReplace(rows: image.mostRows) else { return false }
    images.append(image)
    engine.clearJournal()
    return true
  }

  /// Writes the next part of a save in parts. If that fails, its changes count as unsaved again, and can be saved in
  /// place.
  ///
  /// - Returns: Whether this was the last part.
  @inline(never)  // keeps the stack frame of keep() small
  private mutating func writePart(_ storage: any MonitorStorage) throws(MonitorError) -> Bool {
    guard var image = images.popLast() else { return false }
    do throws(MonitorError) {
      guard try storage.replace(with: &image, limit: limits.part) else {
        images.append(image)
        return false
      }
    } catch {
      engine.add(journalOf: image.engine)
      return false
    }
    kept = image.kept
    noteSaved(image.engine.inputCount, image.engine.clock)
    return true
  }

  /// The amount of data that an attempt to save would write, and the progress of the inputs.
  private var progress: SaveAttempts.Progress {
    SaveAttempts.Progress(
      changes: engine.changeCount(since: kept.generation), inputs: engine.inputCount, time: engine.clock)
  }

  /// Whether the storage contains the state after all inputs so far.
  private var isAllSaved: Bool {
    !engine.hasChanges && engine.inputCount == savedInputCount && attempts.failure == nil && !isInParts
  }

  /// - Parameter isAsked: Whether the host requested the attempt with ``checkpoint()``.
  private mutating func note(_ error: MonitorError, isAsked: Bool = false) {
    if isAsked { attempts.failAsked(error, progress) } else { attempts.fail(error, progress) }
    engine.storeIsFailing(true)
  }

  /// Saves everything now. Does nothing without a storage.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; monitoring continues in memory.
  public mutating func checkpoint() throws(MonitorError) {
    guard let storage else { return }
    do throws(MonitorError) {
      try save(storage)
    } catch {
      note(error, isAsked: true)
      throw error
    }
  }

  /// Saves everything and closes the storage; the monitor continues in memory. Events that were delivered and not
  /// committed are redelivered when the monitor is opened.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` if unsaved changes cannot be saved; the storage is closed
  ///   nevertheless.
  public mutating func close() throws(MonitorError) {
    guard let storage else { return }
    self.storage = nil
    defer {
      storage.close()
      engine.endJournal()
    }
    if isAllSaved, !storage.mustWriteAll() { try storage.check() } else { try save(storage) }
  }
}

#if FENCEPOST_INVARIANTS
  package import FencepostKernel

  extension StoredEngine {
    /// Checks all invariants of the engine.
    package func checkInvariants() throws(Invariant.Broken) {
      try engine.checkInvariants()
    }
  }
#endif
