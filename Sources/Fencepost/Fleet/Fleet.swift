/// Follows many devices over one table of conditions.
///
/// ```swift
/// let zones = Conditions()
/// try zones.add(
///   CircularGeographicCondition(center: Coordinate(latitude: 52.516, longitude: 13.378), radius: 300), identifier:
///   "gate")
/// let fleet = try Fleet(zones)
/// try await fleet.feed(Fix(latitude: 52.516, longitude: 13.378, time: time), for: "truck-7")
/// while let event = await fleet.nextEvent() { print(event.deviceIdentifier, event.event.identifier, event.event.state)
/// } ```
///
/// The events of each device are exactly those that a separate ``Monitor`` for this device would give: see
/// ``FleetEngine``. To feed from several threads, a server uses several fleets over one table: one for each thread,
/// each with a part of the devices.
///
/// An actor that wraps one ``FleetEngine``: each call is one call of the engine, and the calls run in the order in
/// which they arrive.
public actor Fleet {
  /// The table of conditions.
  public nonisolated let conditions: Conditions
  public nonisolated let options: FleetOptions

  private var stored: StoredFleet

  /// The changes made by a call are saved when the call ends.
  private var engine: FleetEngine {
    _read { yield stored.call }
    _modify { yield &stored.call }
  }

  /// Creates a fleet without devices.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when an option is out of range.
  public init(_ conditions: Conditions, options: FleetOptions = FleetOptions()) throws(MonitorError) {
    self.init(engine: try FleetEngine(conditions, options: options))
  }

  /// Continues from the state of an engine. Events that the engine had not yet committed are redelivered.
  public init(engine: FleetEngine) {
    self.init(StoredFleet(engine))
  }

  /// Continues from the state of an engine that may have a storage. See ``init(engine:)``.
  public init(_ stored: StoredFleet) {
    self.stored = stored
    conditions = stored.engine.conditions
    options = stored.engine.options
  }

  /// Restores a fleet in memory from a snapshot. See ``FleetEngine/init(restoring:conditions:)``.
  ///
  /// - Throws: ``MonitorError/snapshotInvalid(_:)``, ``MonitorError/tableMismatch(_:)``.
  public init(restoring snapshot: [UInt8], conditions: Conditions? = nil) throws(MonitorError) {
    self.init(engine: try FleetEngine(restoring: snapshot, conditions: conditions))
  }

  deinit {
    // Changes that cannot be saved now are lost, as in a crash.
    try? stored.close()
  }

  /// A copy of the whole fleet as a value, for inspection.
  public var state: FleetEngine { stored.state }

  /// The whole state as bytes, which are the same on every platform; also works for a stored fleet. See
  /// ``init(restoring:conditions:)``.
  public func snapshot() -> [UInt8] { engine.snapshot() }

  /// Saves everything now, so that the store covers all inputs of all devices.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; the fleet continues in memory.
  public func checkpoint() throws(MonitorError) { try stored.checkpoint() }

  /// Saves everything and releases the name, so that the stored fleet can be opened again. Uncommitted events are
  /// redelivered when the fleet is opened. Inputs that are fed to this object after closing are not saved.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when not everything could be saved; the name is released in any
  ///   case.
  public func close() throws(MonitorError) { try stored.close() }

  /// Runs one call of the engine.
  public func call<Result: Sendable, Failure>(
    _ body: (inout FleetEngine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&engine)
  }

  /// A copy in memory, in the state that this fleet would have after a crash: uncommitted events are redelivered. The
  /// copy and the original share the table, and continue independently. See ``FleetEngine/fork()``.
  public func fork() -> Fleet { Fleet(engine: stored.read { engine in engine.fork() }) }

  // MARK: - Devices

  /// The number of a device; the device is created if it does not exist. See ``FleetEngine/device(_:)``.
  public func device(_ identifier: String) throws(MonitorError) -> UInt64 { try engine.device(identifier) }

  /// The number of a device; `nil` if there is no such device.
  public func number(of identifier: String) -> UInt64? { engine.number(of: identifier) }

  /// The identifier of a device, or of a removed device as long as its number has not been reused.
  public func identifier(of device: UInt64) -> String? { engine.identifier(of: device) }

  public var deviceCount: Int { engine.deviceCount }

  /// Removes a device; does nothing if there is no such device. See ``FleetEngine/remove(_:droppingEvents:)``.
  ///
  /// - Returns: Whether the device existed.
  @discardableResult
  public func remove(_ identifier: String, droppingEvents: Bool = false) -> Bool {
    guard let device = engine.number(of: identifier) else { return false }
    return (try? engine.remove(device, droppingEvents: droppingEvents)) != nil
  }

  /// Removes the devices that have had inputs, but none at or after a given time. See ``FleetEngine/expire(before:)``.
  ///
  /// - Returns: Their identifiers.
  @discardableResult
  public func expire(before time: Timestamp) -> [String] {
    engine.expire(before: time).compactMap { engine.identifier(of: $0) }
  }

  /// Removes the devices whose last accepted input arrived before a given time. See
  /// ``FleetEngine/expire(arrivedBefore:)``.
  ///
  /// - Returns: Their identifiers.
  @discardableResult
  public func expire(arrivedBefore time: Timestamp) throws(MonitorError) -> [String] {
    try engine.expire(arrivedBefore: time).compactMap { engine.identifier(of: $0) }
  }

  // MARK: - Inputs

  /// Sets the arrival time of the following inputs. See ``FleetEngine/setArrivalTime(_:)``.
  public func setArrivalTime(_ time: Timestamp) throws(MonitorError) { try engine.setArrivalTime(time) }

  /// Applies an input to a device. A new device is created, unless the input is refused or is counted as invalid.
  private func input(
    for identifier: String, _ body: (inout FleetEngine, UInt64) throws(MonitorError) -> Void
  ) throws(MonitorError) {
    try stored.call { engine throws(MonitorError) in
      if let device = engine.number(of: identifier) { return try body(&engine, device) }
      let device = try engine.device(identifier)
      defer { engine.keep(device) }
      try body(&engine, device)
    }
  }

  /// Feeds one fix to a device. A new device is created if the fix is accepted. See ``FleetEngine/feed(_:for:)``.
  public func feed(_ fix: Fix, for identifier: String) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in try engine.feed(fix, for: device) }
  }

  /// Feeds one fix to the device with the given number.
  public func feed(_ fix: Fix, for device: UInt64) throws(MonitorError) { try engine.feed(fix, for: device) }

  /// Feeds one fix that may have an error ellipse and a height to a device. See
  /// ``FleetEngine/feed(_:ellipse:height:for:row:)``.
  public func feed(
    _ fix: Fix, ellipse: FixEllipse?, height: FixHeight? = nil, for identifier: String
  ) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in
      try engine.feed(fix, ellipse: ellipse, height: height, for: device)
    }
  }

  /// Feeds many fixes of many devices in order. See ``FleetEngine/feed(_:result:)``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if a device number does not exist (in this case nothing has
  ///   changed); ``MonitorError/queueFull(limit:position:)`` if the queue is full (the fixes before this position were
  ///   applied).
  @discardableResult
  public func feed(_ fixes: [(device: UInt64, fix: Fix)]) throws(MonitorError) -> FeedResult {
    try engine.feed(fixes)
  }

  /// Feeds one scan report to a device, which is created if it does not exist. See ``FleetEngine/feed(_:at:for:)``.
  public func feed(
    _ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp, for identifier: String
  ) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in
      try engine.feed(sightings, at: time, for: device)
    }
  }

  /// Declares whether a device is scanning for beacons from now on. See ``FleetEngine/setScanning(_:at:for:)``.
  public func setScanning(_ isOn: Bool, at time: Timestamp, for identifier: String) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in
      try engine.setScanning(isOn, at: time, for: device)
    }
  }

  /// Declares what the host of a device can do from now on. See ``FleetEngine/setHostCapabilities(_:unsupported:at:for:)``.
  public func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp, for identifier: String
  ) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in
      try engine.setHostCapabilities(flags, unsupported: unsupported, at: time, for: device)
    }
  }

  /// Tells the fleet that time has passed for all devices. See ``FleetEngine/advance(to:force:)``.
  public func advance(to time: Timestamp, force: Bool = false) throws(MonitorError) {
    try engine.advance(to: time, force: force)
  }

  /// Sets the fleet's clock back to a given time, and also the clock of each device whose clock is later than this
  /// time. See ``FleetEngine/rewind(to:)``.
  public func rewind(to time: Timestamp) throws(MonitorError) { try engine.rewind(to: time) }

  /// Sets the clock of a device back. See ``FleetEngine/rewind(to:for:)``.
  ///
  /// - Throws: ``MonitorError/notFound(_:)`` when there is no such device; otherwise the same errors as the engine's
  ///   method.
  public func rewind(to time: Timestamp, for identifier: String) throws(MonitorError) {
    guard let device = engine.number(of: identifier) else { throw .notFound(identifier) }
    try engine.rewind(to: time, for: device)
  }

  /// Tells the fleet that time has passed for one device. See ``FleetEngine/advance(to:for:)``.
  public func advance(to time: Timestamp, for identifier: String) throws(MonitorError) {
    try input(for: identifier) { engine, device throws(MonitorError) in try engine.advance(to: time, for: device) }
  }

  /// The earliest time at which something happens to any device even without any input; `nil` if nothing is due.
  public var nextDeadline: Timestamp? { stored.ask { $0.nextDeadline() } }

  // MARK: - Events

  /// Returns the next event and commits the previous one; `nil` if none is pending.
  public func nextEvent() -> FleetEvent? { engine.nextEvent() }

  /// Returns up to `limit` events and commits the previous ones.
  public func nextEvents(_ limit: Int) -> [FleetEvent] {
    var events: [FleetEvent] = []
    _ = engine.poll(limit: limit) { entry, fleet, table in events.append(fleet.event(from: entry, table)) }
    return events
  }

  /// Commits the delivered events without delivering more.
  public func acknowledge() { engine.acknowledge() }

  /// Returns the delivered but uncommitted events to the queue: they are redelivered with the same sequence and
  /// position.
  public func abandon() { engine.abandon() }

  /// Whether an event is pending, or was delivered to a consumer that no longer exists.
  public var hasEvents: Bool { engine.hasEvents }

  // MARK: - Answers

  /// The observed state of a condition for a device; `nil` when there is no such condition or device.
  public func state(of identifier: String, for device: String) -> Event.State? {
    guard let number = engine.number(of: device) else { return nil }
    return (try? engine.state(of: identifier, for: number)) ?? nil
  }

  /// The geographic conditions that a device is inside, and the beacon conditions whose beacon is near the device, in
  /// the order in which they were added; `nil` if there is no such device.
  public func inside(_ device: String) -> [Presence]? {
    engine.number(of: device).flatMap { try? engine.inside($0) }
  }

  /// The position of a device's last accepted fix; `nil` if the device has no fix or does not exist. See
  /// ``FleetEngine/position(of:)``.
  public func position(of device: String) -> Coordinate? {
    engine.number(of: device).flatMap { (try? engine.position(of: $0)) ?? nil }
  }

  /// Explains why a condition is in its state for a device; `nil` when there is no such condition or device.
  public func explain(_ identifier: String, for device: String) -> Explanation? {
    guard let number = engine.number(of: device) else { return nil }
    return (try? engine.explain(identifier, for: number)) ?? nil
  }

  /// The distance, in metres, that a device can move from a position without crossing the boundary of any shape. See
  /// ``FleetEngine/safeDistance(at:for:)``.
  ///
  /// - Throws: ``MonitorError/notFound(_:)`` when there is no such device; otherwise the same errors as the engine's
  ///   method.
  public func safeDistance(at coordinate: Coordinate, for device: String) throws(MonitorError) -> Double {
    guard let number = engine.number(of: device) else { throw .notFound(device) }
    return try engine.safeDistance(at: coordinate, for: number)
  }

  /// The rotation plan for a device at a position. See ``FleetEngine/plan(_:at:accuracy:for:)``.
  ///
  /// - Throws: ``MonitorError/notFound(_:)`` when there is no such device; otherwise the same errors as the engine's
  ///   method.
  public func plan(
    _ planner: RotationPlanner, at coordinate: Coordinate, accuracy: Double = 0, for device: String
  ) throws(MonitorError) -> RotationPlan {
    guard let number = engine.number(of: device) else { throw .notFound(device) }
    return try engine.plan(planner, at: coordinate, accuracy: accuracy, for: number)
  }

  /// Counters of the fleet.
  public var statistics: FleetStatistics { stored.statistics }

  /// Counters of a device; `nil` if there is no such device.
  public func statistics(of device: String) -> DeviceStatistics? {
    engine.number(of: device).flatMap { try? engine.statistics(of: $0) }
  }

  // MARK: - Devices as bytes

  /// The bytes of devices, to store elsewhere or to move to another fleet. See ``FleetEngine/export(_:portable:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the element, when there
  ///   is no such device.
  public func export(_ identifiers: [String], portable: Bool = false) throws(MonitorError) -> [[UInt8]] {
    var numbers: [UInt64] = []
    for (index, identifier) in identifiers.enumerated() {
      guard let number = engine.number(of: identifier) else {
        throw .invalidArgument("element \(index): no device has the identifier \"\(identifier)\"", position: index)
      }
      numbers.append(number)
    }
    return try engine.export(numbers, portable: portable)
  }

  /// Adds devices that were exported. See ``FleetEngine/load(_:adapt:)``.
  public func load(_ devices: [(String, [UInt8])], adapt: Bool = false) throws(MonitorError) {
    try engine.load(devices, adapt: adapt)
  }
}
