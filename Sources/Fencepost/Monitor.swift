/// Monitors conditions: fixes, beacon sightings and the passing of time go in, events come out.
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
/// The monitor reads no clock: every input carries its time, and the same inputs give the same events. It starts no
/// task and no thread. It is in memory and private; names may repeat.
///
/// An actor over one ``MonitorEngine``: each call is one call of the engine, in the order in which they arrive.
public actor Monitor {
  /// `nil` for a monitor without a name.
  public nonisolated let name: String?
  public nonisolated let options: MonitorOptions

  var engine: MonitorEngine
  let consumer = ConsumerSlot()
  /// The consumer's task, while it waits for an event.
  var waiter: Waiter?

  /// Creates an empty monitor in memory.
  ///
  /// - Parameter name: `[A-Za-z0-9_]{1,64}`. It may be that of another monitor in memory.
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

  /// Continues where an engine stands. What it handed out and was not committed is handed out again.
  public init(engine: MonitorEngine) {
    name = engine.name
    options = engine.options
    self.engine = engine
    self.engine.abandon()
  }

  /// The whole state as a value, for a copy of the monitor or a look at a moment.
  public var snapshot: MonitorEngine { engine }

  /// Counters and clock.
  public var statistics: MonitorStatistics { engine.statistics }

  /// The largest time given; `nil` before the first.
  public var currentTime: Timestamp? { engine.currentTime }

  /// Lets the waiting consumer look, when there is something for it.
  func wakeConsumer() {
    guard let waiter, engine.hasEvents else { return }
    self.waiter = nil
    waiter.wake()
  }
}

// The names as they are nested in Core Location.
extension Monitor {
  public typealias Event = Fencepost.Event
  public typealias Record = Fencepost.Record
  public typealias CircularGeographicCondition = Fencepost.CircularGeographicCondition
  public typealias BeaconIdentityCondition = Fencepost.BeaconIdentityCondition
}
