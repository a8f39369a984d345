import FencepostKernel

/// What is watched, by as many fleets as there are: a table of conditions that several ``FleetEngine``s and ``Fleet``s share.
///
/// ```swift
/// let zones = try Conditions([NamedCondition(circle, identifier: "depot", assuming: .unsatisfied)])
/// let fleet = try Fleet(zones)
/// ```
///
/// It may be used from any thread. Feeding reads it, adding and removing writes: who writes waits until no fleet is
/// feeding, for some rows of each batch that is being fed, and every device meets the change at its next input.
///
/// With any assumed state except `unsatisfied`, which is the default, a condition gives an event for each device.
public final class Conditions: Sendable {
  private nonisolated(unsafe) let table: UnsafeMutablePointer<ConditionTable>
  /// The gates of all readers. A writer closes every one.
  private let gates = Gates()
  /// For readers that are no fleet.
  private let gate: Gate

  /// The digest of a version of the table.
  let knownDigest = Lock<(version: UInt64, digest: TableDigest)?>(nil)
  /// See ``adopt(_:family:)``.
  let adopted = Lock(AdoptedTables())

  /// The locks of the gates, each listed as long as its gate lives.
  fileprivate final class Gates: Sendable {
    struct State {
      var locks: [GateLock] = []
      /// How often all were closed.
      var stops = 0
    }
    let state = Lock(State())
  }

  fileprivate final class GateLock: Sendable {
    let lock = Lock<Void>(())
  }

  /// One reader's way to the table. A reader waits for writers only, never for another reader.
  final class Gate: Sendable {
    private let own = GateLock()
    private let gates: Gates
    private nonisolated(unsafe) let table: UnsafePointer<ConditionTable>

    fileprivate init(_ table: UnsafePointer<ConditionTable>, _ gates: Gates) {
      self.table = table
      self.gates = gates
      let own = own
      gates.state.withLock { state in state.locks.append(own) }
    }

    deinit {
      let own = own
      gates.state.withLock { state in state.locks.removeAll { $0 === own } }
    }

    @inline(__always)
    func read<Result: Sendable, Failure>(
      _ body: (ConditionTable) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try own.lock.withLock { _ throws(Failure) in try body(table.pointee) }
    }

    /// Whether a change of the table waits for this reader: a long read ends early then, and goes on in another.
    @inline(__always)
    var isWaitedFor: Bool { own.lock.isWaitedFor() }

    /// Calls `body` with the last generation of the table, without a copy of the table.
    @inline(__always)
    func withGeneration<Result: Sendable>(_ body: (UInt64) -> Result) -> Result {
      own.lock.withLock { _ in body(table.pointee.order.lastGeneration) }
    }
  }

  /// The options of the monitor that a device is in effect: never looking back at a fix.
  static let options = MonitorOptions(initialFixMaxAgeMicroseconds: -1)

  /// A table that was built from valid rows.
  init(restored table: ConditionTable) {
    var table = table
    table.stopLog()
    self.table = .allocate(capacity: 1)
    self.table.initialize(to: table)
    gate = Gate(self.table, gates)
  }

  /// An empty table.
  public convenience init() {
    self.init(restored: ConditionTable(limit: nil))
  }

  /// The table as it was when a snapshot was made, generations included.
  ///
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` when the bytes are no snapshot, are damaged, come from a newer version
  ///   of the library, or are of a monitor that a fleet cannot stand for: one with a condition limit, a path, or delivery
  ///   `first` or `latest`, or that was fed.
  public convenience init(restoring snapshot: [UInt8]) throws(MonitorError) {
    try self.init(engine: try MonitorEngine(restoring: snapshot))
  }

  /// The table as it was when a snapshot was made. See ``init(restoring:)``.
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
      throw .snapshotInvalid("the snapshot is of a monitor with a path; fleets do not support paths")
    }
    guard engine.currentTime == nil, engine.statistics.inputCount == 0 else {
      throw .snapshotInvalid("the snapshot is of a monitor with inputs; must be a table of conditions")
    }
    self.init(restored: engine.table)
  }

  deinit {
    table.deinitialize(count: 1)
    table.deallocate()
  }

  // MARK: - Reading and writing

  /// A way to the table for a fleet.
  func newGate() -> Gate { Gate(table, gates) }

  /// Reads the table. `body` must call neither the table nor a fleet over it.
  package func read<Result: Sendable, Failure>(
    _ body: (ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gate.read(body)
  }

  /// Changes the table while no fleet is feeding. `body` must call neither the table nor a fleet over it.
  package func change<Result: Sendable, Failure>(
    _ body: (inout ConditionTable) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try gates.state.withLock { state throws(Failure) in
      state.stops += 1
      // All are reserved first: the fleets finish what they do side by side.
      for each in state.locks { each.lock.reserve() }
      for each in state.locks { each.lock.lockReserved() }
      defer { for each in state.locks { each.lock.unlock() } }
      return try body(&table.pointee)
    }
  }

  /// How often a change has stopped the fleets.
  var stops: Int { gates.state.withLock { $0.stops } }
}
