extension FleetEngine {
  /// Returns the number of a device; adds the device if it is new. Each fleet has its own numbers, which are dense from
  /// 1 while no device is removed. No other device of the fleet gets the number of a removed device, until its place has
  /// been reused 2³² times: inputs for that number are refused.
  ///
  /// - Parameter identifier: The identifier of the device: 1 to 256 bytes of UTF-8 without a zero byte.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the identifier is invalid, or if the fleet already has
  ///   as many devices as the options allow.
  public mutating func device(_ identifier: String) throws(MonitorError) -> UInt64 {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try device(identifierBytes: bytes)
    }
  }

  /// Returns the number of a device; `nil` if no device has the identifier.
  public func number(of identifier: String) -> UInt64? {
    var text = identifier
    return text.withUTF8 { number(identifierBytes: $0) }
  }

  /// Returns the number of a device with an identifier in UTF-8; adds the device if it is new. See ``device(_:)``.
  package mutating func device(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> UInt64 {
    if let device = devices.line(of: bytes) { return devices.number(device) }
    if let defect = Definition.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard devices.count < options.deviceLimit, devices.bound < FleetOptions.mostDevices || devices.count < devices.bound
    else {
      throw .invalidArgument(
        "the fleet has \(devices.count) devices, which is device_limit; remove or expire devices first")
    }
    devices.own()
    let device = devices.insert(bytes)
    if watermark.time != .min { prepare(device) }
    return devices.number(device)
  }

  /// Announces the beacon conditions whose absence is an event to a new device. All other devices have known them since
  /// the last advance.
  ///
  /// Changes that are already due are reported with the first input of the device, or with the next advance. If they
  /// were reported at once, their events would come before the rows of a batch whose devices are added first, and
  /// devices could not be added while the queue is full.
  mutating func prepare(_ device: UInt32) {
    gate.read { table in
      if max(table.lastTracked, table.lastTimedRule) > 0 {
        track(device, at: watermark.clock(devices.lines[device]), table)
      }
    }
    prepareForBeacons(device)
  }

  mutating func prepareForBeacons(_ device: UInt32) {
    gate.read { table in if table.lastListing > 0 { prepareForBeacons(device, table) } }
  }

  @inline(never) @_optimize(size)
  mutating func prepareForBeacons(_ device: UInt32, _ table: ConditionTable) {
    let line = devices.lines[device]
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    prepareBeacons(&state, line, at: watermark.clock(line), table)
    store(device)
  }

  /// Confirms all changes of a device that are due up to its clock. The clock may be that of an advance before the
  /// device was added.
  mutating func catchUp(_ device: UInt32) {
    gate.read { table in confirmOverdue(device, table) }
  }

  mutating func confirmOverdue(_ device: UInt32, _ table: ConditionTable) {
    while devices.lines[device].earliest <= clock(of: device) {
      confirmDue(device, through: devices.lines[device].earliest, table)
    }
  }

  /// Returns the number of the device with an identifier in UTF-8; `nil` if no device has the identifier.
  package func number(identifierBytes bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
    devices.line(of: bytes).map(devices.number)
  }

  /// Whether a device has this number.
  public func hasDevice(_ number: UInt64) -> Bool { devices.line(of: number) != nil }

  /// Returns the identifier of a device. The identifier of a removed device is known at least until 4 096 further
  /// devices were removed and their events were committed.
  public func identifier(of number: UInt64) -> String? { devices.knownLine(of: number).map(devices.name) }

  /// Calls `body` with the bytes of a device's identifier. See ``identifier(of:)``.
  ///
  /// - Returns: The result of `body`; `nil` if the identifier is not known.
  package func withIdentifierBytes<Result>(
    ofDevice number: UInt64, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    devices.knownLine(of: number).map { devices.withName(of: $0, body) }
  }

  public var deviceCount: Int { devices.count }

  /// The numbers of all devices, in ascending order modulo 2³². This is the order of events with the same deadline in
  /// one advance.
  public var deviceNumbers: [UInt64] { devices.numbers.map(devices.number) }

  /// Removes a device. The removal causes no event. The waiting events of the device are delivered, or dropped if
  /// `droppingEvents` is true. The identifier can be used again at once; inputs for the number are refused from now on.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  /// - Complexity: O(waiting events)
  public mutating func remove(_ number: UInt64, droppingEvents: Bool = false) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    remove([device], droppingEvents: droppingEvents)
  }

  /// Removes all or none of several devices, like ``remove(_:droppingEvents:)``; a number that is repeated counts once.
  ///
  /// - Complexity: O(numbers + waiting events)
  package mutating func remove(
    _ numbers: UnsafeBufferPointer<UInt64>, droppingEvents: Bool
  ) throws(MonitorError) {
    var removed: [UInt32] = []
    for (index, number) in numbers.enumerated() {
      guard let device = devices.line(of: number) else {
        throw .noSuchDevice("element \(index): no device has the number \(number)", position: index)
      }
      removed.append(device)
    }
    removed.sort()
    devices.own()
    remove(removed, droppingEvents: droppingEvents)
  }

  /// Removes a device that was added for an input, unless one of its inputs was accepted.
  package mutating func keep(_ number: UInt64) {
    guard let device = devices.line(of: number) else { return }
    let counters = inputs(of: device)
    guard counters.acceptedFixes == 0, counters.acceptedSightings == 0, counters.others == 0 else { return }
    devices.own()
    remove([device], droppingEvents: true)
  }

  /// Returns the devices that have had inputs, and whose own clock is earlier than a time.
  public func devices(quietSince time: Timestamp) -> [UInt64] { lines(quietSince: time).map(devices.number) }

  private func lines(quietSince time: Timestamp) -> [UInt32] {
    devices.numbers.filter { devices.lines[$0].clock != .min && devices.lines[$0].clock < time.microseconds }
  }

  /// Removes the devices that have had inputs, but none since a time. Their waiting events are delivered. If a removed
  /// device returns, it is a new device.
  ///
  /// - Returns: The numbers of the removed devices, in the order of ``deviceNumbers``; ``identifier(of:)`` returns
  ///   their identifiers.
  /// - Complexity: O(devices + waiting events)
  @discardableResult
  public mutating func expire(before time: Timestamp) -> [UInt64] {
    devices.own()
    let quiet = lines(quietSince: time)
    remove(quiet, droppingEvents: false)
    return quiet.map(devices.number)
  }

  /// Returns the devices whose last accepted input arrived before a time, according to ``setArrivalTime(_:)``. For a
  /// device without an accepted input, the time at which it was added counts.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if no arrival time was set.
  public func devices(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt64] {
    try lines(arrivedBefore: time).map(devices.number)
  }

  private func lines(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt32] {
    guard devices.arrivals.isSet else {
      throw .invalidArgument("the fleet has no arrival time; set it before each input to expire devices by arrival")
    }
    return devices.numbers.filter { devices.arrivals.last(of: $0) < time.microseconds }
  }

  /// Removes the devices whose last accepted input arrived before a time, regardless of the times in their inputs. So a
  /// silent device is removed even if its clock is ahead, and an active device is kept even if its clock is years
  /// behind. The waiting events of removed devices are delivered. If a removed device returns, it is a new device.
  ///
  /// - Returns: The numbers of the removed devices, as in ``expire(before:)``.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if no arrival time was set.
  /// - Complexity: O(devices + waiting events)
  @discardableResult
  public mutating func expire(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt64] {
    let silent = try lines(arrivedBefore: time)
    devices.own()
    remove(silent, droppingEvents: false)
    return silent.map(devices.number)
  }

  /// - Parameter removed: The devices in ascending order; a device that is repeated counts once.
  private mutating func remove(_ removed: [UInt32], droppingEvents: Bool) {
    guard !removed.isEmpty else { return }
    reportSuspended()
    var events = [UInt32: Int]()
    for device in removed { events[device] = 0 }
    if droppingEvents {
      delivery.dropAll { events[$0.device] == nil }
    } else if delivery.hasEntries || delivery.inFlight.handedOut > 0 {
      delivery.forEach { events[$0.device]? += 1 }
    }
    for (index, device) in removed.enumerated() where index == 0 || device != removed[index - 1] {
      deadlines.change(device, from: devices.lines[device].earliest, to: .max, devices.lines)
      devices.lines[device].earliest = .max
      devices.remove(device, events: events[device] ?? 0)
      suspendedDevices.remove(device)
    }
  }
}

extension FleetEngine {
  /// Finds the numbers of many devices, whose identifiers are in UTF-8: all or none.
  ///
  /// - Parameters:
  ///   - isEntering: Whether new devices are added.
  ///   - identifier: Returns the bytes of a row's identifier.
  ///   - body: Receives the number of each row in order; `nil` if there is no such device.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose position is the row; nothing has changed then, and
  ///   `body` was not called.
  package mutating func devices(
    count: Int, entering isEntering: Bool, identifier: (Int) -> UnsafeBufferPointer<UInt8>,
    _ body: (Int, UInt64?) -> Void
  ) throws(MonitorError) {
    var unknown = 0
    for row in 0..<count where number(identifierBytes: identifier(row)) == nil {
      if let defect = Definition.defect(ofIdentifier: identifier(row)) {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
      unknown += 1
    }
    if isEntering, unknown > options.deviceLimit - deviceCount { try checkRoom(count, identifier) }
    for row in 0..<count {
      let bytes = identifier(row)
      body(row, isEntering ? try device(identifierBytes: bytes) : number(identifierBytes: bytes))
    }
  }

  /// Throws if the rows contain more new devices than there is room for; rows may repeat a device.
  private func checkRoom(
    _ count: Int, _ identifier: (Int) -> UnsafeBufferPointer<UInt8>
  ) throws(MonitorError) {
    var new = Set<[UInt8]>()
    for row in 0..<count where number(identifierBytes: identifier(row)) == nil {
      new.insert(Array(identifier(row)))
      guard new.count <= options.deviceLimit - deviceCount else {
        throw .invalidArgument(
          "row \(row): \(deviceCount) devices and \(new.count) new ones are too many; device_limit is \(options.deviceLimit)",
          position: row)
      }
    }
  }
}
