import FencepostKernel

/// A table of conditions that several ``FleetEngine``s and ``Fleet``s can share.
///
/// ```swift
/// let zones = try Conditions([NamedCondition(circle, identifier: "depot", assuming: .unsatisfied)])
/// let fleet = try Fleet(zones)
/// ```
///
/// A table can be used from any thread. Feeding a fleet reads the table; adding and removing conditions change it. A
/// change waits until no fleet is feeding, which takes a few rows of each batch that is being fed, and until snapshots
/// and saves of the fleets have ended. Fleets wait only while the change itself is made. Each device sees the change at
/// its next input.
///
/// If the assumed state of a condition is not `unsatisfied`, which is the default of `add`, the first determination of
/// the condition causes an event for each device.
public final class Conditions: Sendable {
  private nonisolated(unsafe) let table: UnsafeMutablePointer<ConditionTable>
  /// The gates of all readers. A writer closes all gates.
  private let gates = Gates()
  /// The gate for readers that are not fleets.
  private let gate: Gate

  /// The digest of a version of the table.
  let knownDigest = Lock<(version: UInt64, digest: TableDigest)?>(nil)
  /// The saved tables with which this table was opened; see ``adopt(_:family:)``.
  let adopted = Lock(AdoptedTables())

  /// The parts of the gates that writers use. Each part is listed as long as its gate exists.
  fileprivate final class Gates: Sendable {
    struct State {
      var passages: [Passage] = []
      /// The number of times that all gates were closed.
      var stops = 0
    }
    let state = Lock(State())
    /// The lock that is held during a change, including the time in which the change waits for long reads.
    let change = Lock<Void>(())
  }

  fileprivate final class Passage: Sendable {
    let gate = ReaderGate()
    /// The lock that is held during a long read.
    let long = Lock<Void>(())
    /// Whether the reader cannot monitor lines.
    let refusesLines: Bool
    /// Whether the reader cannot monitor conditions with a timing. Only the reader sets this, while the gate is open to
    /// it; a writer reads it while the gate is closed.
    nonisolated(unsafe) var refusesTimings: Bool
    /// Whether the reader cannot monitor rules. It is set like ``refusesTimings``.
    nonisolated(unsafe) var refusesRules: Bool

    init(refusesLines: Bool, refusesTimings: Bool, refusesRules: Bool) {
      self.refusesLines = refusesLines
      self.refusesTimings = refusesTimings
      self.refusesRules = refusesRules
    }
  }

  /// The access of one reader to the table. A reader waits only for writers, never for other readers.
  final class Gate: Sendable {
    private let own: Passage
    private let gates: Gates
    private nonisolated(unsafe) let table: UnsafePointer<ConditionTable>

    fileprivate init(
      _ table: UnsafePointer<ConditionTable>, _ gates: Gates, refusesLines: Bool = false,
      refusesTimings: Bool = false, refusesRules: Bool = false
    ) {
      own = Passage(refusesLines: refusesLines, refusesTimings: refusesTimings, refusesRules: refusesRules)
      self.table = table
      self.gates = gates
      let own = own
      gates.state.withLock { state in state.passages.append(own) }
    }

    deinit {
      let own = own
      gates.state.withLock { state in state.passages.removeAll { $0 === own } }
    }

    fileprivate var refusesLines: Bool { own.refusesLines }
    fileprivate var refusesTimings: Bool { own.refusesTimings }
    var refusesRules: Bool { own.refusesRules }

    /// From now on, the table refuses timings and rules, because a device of the reader has host capabilities. This is
    /// called in a read.
    func refuseTimingsAndRules() {
      own.refusesTimings = true
      own.refusesRules = true
    }

    @inline(__always)
    func read<Result: Sendable, Failure>(
      _ body: (ConditionTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try own.gate.enter { () throws(Failure) in try body(table.pointee) }
    }

    /// Reads the table for longer than some hundred microseconds, for example for a snapshot or a save. While a change
    /// waits for this read, other readers can continue, because the change closes their gates only after this read has
    /// ended.
    func readLong<Result: Sendable, Failure>(
      _ body: (ConditionTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try own.long.withLock { _ throws(Failure) in try read(body) }
    }

    /// Whether a change of the table waits for this reader. A read that consists of many small steps then ends early,
    /// and continues in another read.
    @inline(__always)
    var isWaitedFor: Bool { own.gate.isClosed() }

    /// Calls `body` with the last generation of the table (see ``ConditionTable/passable``), without a copy of the table.
    @inline(__always)
    func withGeneration<Result: Sendable>(_ body: (UInt64) -> Result) -> Result {
      own.gate.enter { body(table.pointee.passable) }
    }
  }

  /// Creates a table that was built from valid rows.
  init(restored table: ConditionTable) {
    var table = table
    table.stopLog()
    self.table = .allocate(capacity: 1)
    self.table.initialize(to: table)
    gate = Gate(self.table, gates)
  }

  /// Creates an empty table without a condition limit.
  public convenience init() {
    self.init(restored: ConditionTable(limit: nil))
  }

  /// Restores the table at the moment of a snapshot, including the generations.
  ///
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` if the bytes are not a snapshot, are damaged, come from a newer
  ///   version of the library, or are the snapshot of a monitor that a fleet cannot replace: one with a condition
  ///   limit, a path, or delivery `first` or `latest`, or one that has had inputs.
  public convenience init(restoring snapshot: [UInt8]) throws(MonitorError) {
    try self.init(engine: try MonitorEngine(restoring: snapshot))
  }

  /// Creates a table from a snapshot. See ``init(restoring:)``.
  package convenience init(restoring snapshot: UnsafeRawBufferPointer) throws(MonitorError) {
    try self.init(engine: try MonitorEngine(restoring: snapshot))
  }

  private convenience init(engine: MonitorEngine) throws(MonitorError) {
    let options = engine.options
    if let limit = options.conditionLimit {
      throw .snapshotInvalid("the snapshot is of a monitor with condition_limit \(limit); fleets do not support it")
    }
    guard options.delivery == .every else {
      throw .snapshotInvalid("the snapshot is of a monitor with delivery first or latest; must be every for fleets")
    }
    guard !options.path.isGeodesic else {
      throw .snapshotInvalid("the snapshot is of a monitor with a path; must be a table of conditions")
    }
    guard engine.currentTime == nil, engine.statistics.inputCount == 0 else {
      throw .snapshotInvalid("the snapshot is of a monitor with inputs; must be a table of conditions")
    }
    if let defect = engine.table.timingDefect { throw .snapshotInvalid(defect) }
    self.init(restored: engine.table)
  }

  deinit {
    table.deinitialize(count: 1)
    table.deallocate()
  }

  // MARK: - Reading and writing

  /// Creates another gate to the table, for the fork of a fleet that has a gate.
  func newGate(like gate: Gate) -> Gate {
    Gate(
      table, gates, refusesLines: gate.refusesLines, refusesTimings: gate.refusesTimings,
      refusesRules: gate.refusesRules)
  }

  /// Creates a gate to the table for a fleet with options.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the table has lines, and the fleet has no path or another
  ///   delivery than `every`. As long as such a fleet exists, the table refuses lines.
  @inline(never)
  @_optimize(size)
  func newGate(for options: FleetOptions, hasHosts: Bool = false) throws(MonitorError) -> Gate {
    let refusesLines = !options.path.isGeodesic || options.delivery != .every
    let refusesTimings = options.path.isGeodesic || options.delivery != .every || hasHosts
    let refusesRules = options.delivery != .every || hasHosts
    let gate = Gate(
      table, gates, refusesLines: refusesLines, refusesTimings: refusesTimings, refusesRules: refusesRules)
    if refusesRules, gate.read({ $0.rules != nil }) {
      throw .invalidArgument(
        options.delivery != .every
          ? "delivery: the table has a rule, whose changes are reported in order; must be every"
          : FleetEngine.needsNoRules)
    }
    if refusesTimings, gate.read({ $0.policies.hasTimings }) {
      throw .invalidArgument(
        options.path.isGeodesic
          ? "path: the table has a condition with a timing, which counts only fixes; must be fixes"
          : options.delivery != .every
            ? "delivery: the table has a condition with a timing, whose starts are reported in order; must be every"
            : FleetEngine.needsNoTimings)
    }
    guard refusesLines, gate.read({ $0.lineCount }) > 0 else { return gate }
    throw .invalidArgument(
      options.path.isGeodesic
        ? "delivery: the table has a line geographic condition, which reports each crossing; must be every"
        : "path: the table has a line geographic condition, which counts crossings of a path; must be geodesic")
  }

  /// Reads the table. `body` must call neither the table nor a fleet over it.
  package func read<Result: Sendable, Failure>(
    _ body: (ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gate.read(body)
  }

  /// Reads the table for longer than some hundred microseconds. See ``Gate/readLong(_:)``.
  package func readLong<Result: Sendable, Failure>(
    _ body: (ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gate.readLong(body)
  }

  /// Changes the table while no fleet is feeding. `body` must call neither the table nor a fleet over it.
  package func change<Result: Sendable, Failure>(
    _ body: (inout ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gates.change.withLock { _ throws(Failure) in
      var attempts = 0
      while true {
        let outcome = try gates.state.withLock { state throws(Failure) in
          try attempt(&state, mustSucceed: attempts == Self.patience, body)
        }
        switch outcome {
        case .done(let result): return result
        case .mustWait(let passage): passage.long.withLock { _ in }
        }
        attempts += 1
      }
    }
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    /// A long read is in progress in this passage.
    case mustWait(Passage)
  }

  /// If this many long reads, one after another, began while a change waited, the change prevents further long reads
  /// from beginning.
  private static var patience: Int { 16 }

  /// Changes the table unless a long read is in progress. While a change waits for a long read, fleets can be fed,
  /// created and removed, and can begin other long reads.
  private func attempt<Result: Sendable, Failure>(
    _ state: inout Gates.State, mustSucceed: Bool, _ body: (inout ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Outcome<Result> {
    for (index, each) in state.passages.enumerated() where !each.long.tryLock() {
      guard mustSucceed else {
        for taken in state.passages[..<index] { taken.long.unlock() }
        return .mustWait(each)
      }
      each.long.lock()
    }
    defer { for each in state.passages { each.long.unlock() } }
    state.stops += 1
    for each in state.passages { each.gate.waitForClaims() }
    // All gates are closed before the first wait, so that the fleets finish their rows in parallel.
    for each in state.passages { each.gate.close() }
    for each in state.passages { each.gate.waitForReaders() }
    defer { for each in state.passages { each.gate.open() } }
    table.pointee.refusesLines = state.passages.contains { $0.refusesLines }
    table.pointee.refusesTimings = state.passages.contains { $0.refusesTimings }
    table.pointee.refusesRules = state.passages.contains { $0.refusesRules }
    return .done(try body(&table.pointee))
  }

  /// The number of changes that have stopped the fleets.
  var stops: Int { gates.state.withLock { $0.stops } }
}

extension Conditions {
  /// Removes a condition and its waiting events; does nothing if no condition has the identifier.
  ///
  /// - Returns: Whether a condition was removed.
  @discardableResult
  public func remove(_ identifier: String) -> Bool {
    change { table in
      guard let slot = table.slot(of: identifier) else { return false }
      table.remove(slot)
      return true
    }
  }

  /// The number of conditions.
  public var count: Int { read { table in table.count } }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] { readLong { table in table.live.map { table.identifier(of: $0) } } }

  /// The whole table as bytes, including the generations; the same on every platform. See ``init(restoring:)``.
  public func snapshot() -> [UInt8] { readLong { table in table.withSnapshot { Array($0) } } }
}
