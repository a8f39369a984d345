/// A monitor's engine and, where it has one, its storage: every call goes through here, and what the call changed is
/// made to last before it returns.
///
/// While the storage cannot be written, monitoring continues in memory: what changes is kept, one event tells of it
/// (``Diagnostics/persistenceUnavailable``), and each further change tries again.
public struct StoredEngine: Sendable {
  @usableFromInline package var engine: MonitorEngine
  @usableFromInline var storage: (any MonitorStorage)?
  private let durability: Durability
  /// Kept so that an ordinary fix asks the system for no memory.
  private var survey = Survey()
  private var savedInputCount: UInt64 = 0
  private var kept = KeptRows()
  /// What is kept has an older format.
  private var isWholeDue = false
  /// A save of very many changes, which extends over several calls: the monitor as it was when it began. One at most, and
  /// apart: here it would make each copy of this on a thread's stack twice as large.
  private var images: ContiguousArray<MonitorImage> = []
  /// See ``SaveLimits``.
  package var limits = SaveLimits()
  /// The clock of the last save.
  private var savedClock: Int64 = .min
  private var attempts = SaveAttempts()

  /// An engine in memory.
  public init(_ engine: MonitorEngine) {
    self.engine = engine
    durability = .changes
  }

  /// Opens a monitor in a storage: continues where it was, or begins.
  ///
  /// - Parameters:
  ///   - options: Delivery and limit of a monitor that exists must be the ones it has; the others hold from now on.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)`` (an option),
  ///   ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeUnavailable(_:)``. The storage is closed then, and holds
  ///   what it held. A monitor that can be read and not written begins in memory, as if the storage had failed later.
  public init(
    name: String, options: MonitorOptions, storage: any MonitorStorage, durability: Durability = .changes
  ) throws(MonitorError) {
    do throws(MonitorError) {
      if let defect = durability.defect { throw .invalidArgument(defect) }
      let fresh = try MonitorEngine(name: name, options: options)
      let restorer = try Self.read(storage, name)
      let isNew = restorer.isEmpty
      isWholeDue = !isNew && restorer.isOld
      engine = fresh
      var isChanged = true
      if !isNew { isChanged = try Self.restore(&engine, &kept, restorer, storage, options) }
      self.storage = storage
      self.durability = durability
      engine.beginJournal()
      savedInputCount = engine.inputCount
      savedClock = engine.clock
      do throws(MonitorError) {
        if isChanged || isWholeDue { try save(storage) } else { try storage.check() }
      } catch {
        // What was read is sound: a disk that takes nothing more does not keep it from going on in memory.
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
  /// - Returns: Whether the options differ from the stored options.
  @inline(never)
  private static func restore(
    _ engine: inout MonitorEngine, _ kept: inout KeptRows, _ restorer: EngineRestorer, _ storage: any MonitorStorage,
    _ options: MonitorOptions
  ) throws(MonitorError) -> Bool {
    do throws(RestoreFailure) {
      (engine, kept) = try restorer.restored()
      let isChanged = engine.options != options
      try engine.adopt(savedLike: options)
      return isChanged
    } catch {
      throw storage.refused(Self.error(error, asked: options))
    }
  }

  /// Reads what a storage keeps; a second time, in order, when it has an order of its own.
  private static func read(_ storage: any MonitorStorage, _ name: String) throws(MonitorError) -> EngineRestorer {
    var restorer = EngineRestorer(name: name)
    var isInOrder = true
    try storage.read { row throws(MonitorError) in
      guard isInOrder else { return }
      do throws(Damage) { try restorer.receive(row) } catch { isInOrder = false }
    }
    if isInOrder { return restorer }
    var rows = SortedRows()
    try storage.read { row throws(MonitorError) in rows.append(row) }
    restorer = EngineRestorer(name: name)
    do throws(Damage) {
      try rows.forEach { row throws(Damage) in try restorer.receive(row) }
    } catch {
      throw storage.refused(.storeCorrupt(error.reason))
    }
    return restorer
  }

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

  /// Whether what happens goes to a storage.
  @inlinable
  public var isStored: Bool { storage != nil }

  /// Events that wait to be handed out.
  public var pendingEvents: Int { engine.pendingEvents }

  /// One call of the engine.
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

  /// What every call changes but those that only look.
  @usableFromInline
  var mark: Mark { Mark(revision: engine.revision, inputs: engine.inputCount) }

  @usableFromInline
  struct Mark: Equatable {
    let revision: UInt64
    let inputs: UInt64

    @usableFromInline
    static func == (one: Mark, other: Mark) -> Bool { one.revision == other.revision && one.inputs == other.inputs }
  }

  /// What is known of the storage.
  public var storeStatus: StoreStatus { attempts.status(of: storage) }

  /// Counters and clock, and what is known of the storage.
  public var statistics: MonitorStatistics {
    var result = engine.statistics
    result.store = storeStatus
    result.isAllKept = storage != nil && isAllSaved
    return result
  }

  /// Saves what the durability asks for.
  @usableFromInline
  package mutating func keep() {
    guard let storage, isInParts || isDue else { return }
    guard attempts.mayTry(progress, storage) else {
      // A condition may have come that it can be told of.
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

  /// Whether what changed must be on the disk, and not only with the system: all but a commit, which may come again.
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
      // A clock that was set back is saved at once.
      return engine.clock < savedClock || engine.clock - savedClock >= interval
    }
  }

  /// Saves everything that is not saved.
  ///
  /// - Parameters:
  ///   - mustSync: Whether it must outlive the machine and not only the process.
  ///   - inPlace: Whether it is not tried with an image.
  private mutating func save(
    _ storage: any MonitorStorage, mustSync: Bool = true, inPlace: Bool = false
  ) throws(MonitorError) {
    if !inPlace, beginImage(storage, relaxed: false) {
      while isInParts { _ = try writePart(storage) }
    }
    // The second time what the first one led to: that the storage works again.
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

  /// Takes note that the storage works and has everything up to a state.
  private mutating func noteSaved(_ inputCount: UInt64, _ clock: Int64) {
    savedInputCount = inputCount
    savedClock = clock
    attempts.succeed()
    engine.storeIsFailing(false)
  }

  // MARK: - Saving in parts

  /// Whether a save in parts is under way.
  private var isInParts: Bool { !images.isEmpty }

  /// Begins a save in parts when very much has changed, and the storage has room for it.
  ///
  /// - Parameter relaxed: True if the save may continue in later calls; if not, it is begun only if it is faster.
  /// - Returns: Whether one is under way.
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

  /// Writes the next part of a save in parts. When that fails, the changes are there to be saved in another way.
  ///
  /// - Returns: Whether it was the last one.
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

  /// What an attempt to save would write, and how far the inputs have come.
  private var progress: SaveAttempts.Progress {
    SaveAttempts.Progress(
      changes: engine.changeCount(since: kept.generation), inputs: engine.inputCount, time: engine.clock)
  }

  /// Whether the storage has the state after all inputs so far.
  private var isAllSaved: Bool {
    !engine.hasChanges && engine.inputCount == savedInputCount && attempts.failure == nil && !isInParts
  }

  /// - Parameter isAsked: Whether the host asked for the attempt.
  private mutating func note(_ error: MonitorError, isAsked: Bool = false) {
    if isAsked { attempts.failAsked(error, progress) } else { attempts.fail(error, progress) }
    engine.storeIsFailing(true)
  }

  /// Saves everything now; nothing happens in memory.
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

  /// Saves everything and ends the use of the storage; the monitor continues in memory. What was handed out and not
  /// committed is handed out again when the monitor is opened.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when what was not saved before cannot be saved now either; the
  ///   storage is closed all the same.
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
    /// Every invariant of the engine that can be computed.
    package func checkInvariants() throws(Invariant.Broken) {
      try engine.checkInvariants()
    }
  }
#endif
