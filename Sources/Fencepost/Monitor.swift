/// Monitors conditions: the program feeds fixes, beacon sightings and the passing of time, and receives events.
///
/// ```swift
/// let monitor = try await Monitor("my_custom_monitor")
/// try await monitor.add(
///   CircularGeographicCondition(center: Coordinate(latitude: 37.3349, longitude: -122.0090), radius: 200),
///   identifier: "stay_within_200_meters", assuming: .unsatisfied)
/// Task { for await fix in source { try await monitor.feed(fix) } }
/// for try await event in await monitor.events where event.state == .satisfied { … }
/// ```
///
/// The monitor reads no clock: every input contains its time, and the same inputs give the same events. The monitor
/// starts no task and no thread. A monitor in memory belongs to one program, and several monitors in memory may have
/// the same name; `FencepostStore` opens monitors that are saved on disk.
///
/// An actor that wraps one ``MonitorEngine``: each call is one call of the engine, and the calls run in the order in
/// which they arrive.
public actor Monitor {
  /// `nil` if the monitor has no name.
  public nonisolated let name: String?
  public nonisolated let options: MonitorOptions

  var stored: StoredEngine
  let consumer = ConsumerSlot()
  /// The task of the consumer, while the consumer waits for an event.
  var waiter: Waiter?

  /// Creates an empty monitor in memory.
  ///
  /// - Parameter name: `[A-Za-z0-9_]{1,64}`. Another monitor in memory may have the same name.
  /// - Throws: ``MonitorError/invalidName(_:)``, or ``MonitorError/invalidArgument(_:position:)`` when an option is
  ///   out of range.
  public init(_ name: String, options: MonitorOptions = MonitorOptions()) async throws(MonitorError) {
    self.init(engine: try MonitorEngine(name: name, options: options))
  }

  /// Creates an empty monitor in memory without a name.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when an option is out of range.
  public init(options: MonitorOptions) throws(MonitorError) {
    self.init(engine: try MonitorEngine(options: options))
  }

  /// Creates an empty monitor in memory without a name, with default options.
  public init() {
    self.init(engine: MonitorEngine.unnamed)
  }

  /// Continues from the state of an engine. The engine's uncommitted events are redelivered.
  public init(engine: MonitorEngine) {
    self.init(StoredEngine(engine))
  }

  /// Continues from the state of an engine, and keeps the storage that the engine may have. See ``init(engine:)``.
  public init(_ stored: StoredEngine) {
    self.stored = stored
    (name, options) = self.stored.call { engine in
      engine.abandon()
      return (engine.name, engine.options)
    }
  }

  /// Restores a monitor in memory from a snapshot; uncommitted events are redelivered.
  ///
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` if the bytes are not a snapshot, are damaged, or come from a newer
  /// version of the library.
  public init(restoring snapshot: [UInt8]) throws(MonitorError) {
    self.init(engine: try MonitorEngine(restoring: snapshot))
  }

  deinit {
    // Changes that cannot be saved now are lost, as in a crash.
    try? stored.close()
  }

  /// Runs one call of the engine, saves its changes, and then wakes the consumer.
  func call<Result, Failure>(_ body: (inout MonitorEngine) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { wakeConsumer() }
    return try stored.call(body)
  }

  /// A copy of the engine with its whole state, for inspection.
  public var state: MonitorEngine { stored.engine }

  /// The whole state as bytes, which are the same on every platform; also works for a stored monitor. See
  /// ``init(restoring:)``.
  public func snapshot() -> [UInt8] { stored.engine.snapshot() }

  /// A copy in memory, in the state that this monitor would have after a crash: uncommitted events are redelivered. The
  /// copy and the original continue independently.
  public func fork() -> Monitor { Monitor(engine: stored.engine.fork()) }

  /// Saves everything now; does nothing for a monitor in memory.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; monitoring continues in memory.
  public func checkpoint() throws(MonitorError) {
    defer { wakeConsumer() }
    try stored.checkpoint()
  }

  /// Saves everything and releases the name, so that the stored monitor can be opened again. Uncommitted events are
  /// redelivered when the monitor is opened. Inputs that are fed to the closed monitor are not saved.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when not everything could be saved; the name is released in any
  ///   case.
  public func close() throws(MonitorError) {
    try stored.close()
  }

  /// Counters and clock.
  public var statistics: MonitorStatistics { stored.statistics }

  /// The latest time of all inputs; `nil` before the first input.
  public var currentTime: Timestamp? { stored.engine.currentTime }

  /// Wakes the waiting consumer if an event is pending.
  func wakeConsumer() {
    guard let waiter, stored.engine.hasEvents else { return }
    self.waiter = nil
    waiter.wake()
  }
}

// In Core Location, the types with these names are nested in the monitor too.
extension Monitor {
  public typealias Event = Fencepost.Event
  public typealias Record = Fencepost.Record
  public typealias CircularGeographicCondition = Fencepost.CircularGeographicCondition
  public typealias BeaconIdentityCondition = Fencepost.BeaconIdentityCondition
}
