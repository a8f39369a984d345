extension FleetEngine {
  /// The number of a device, which is entered when it is new. Numbers are dense and the fleet's own; that of a device which
  /// was removed is used again.
  ///
  /// - Parameter identifier: 1 … 256 bytes of UTF-8 without a zero byte.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when that is no identifier, or there are as many devices as the
  ///   options allow.
  public mutating func device(_ identifier: String) throws(MonitorError) -> UInt32 {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try device(identifierBytes: bytes)
    }
  }

  /// The number of a device; `nil` when there is none of that identifier.
  public func number(of identifier: String) -> UInt32? {
    var text = identifier
    return text.withUTF8 { devices.number(of: $0) }
  }

  /// The number of a device whose identifier is given as UTF-8. See ``device(_:)``.
  package mutating func device(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> UInt32 {
    if let device = devices.number(of: bytes) { return device }
    if let defect = MonitorEngine.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard devices.count < options.deviceLimit, devices.bound < FleetOptions.mostDevices || devices.count < devices.bound
    else {
      throw .invalidArgument("there are \(devices.count) devices, which is device_limit")
    }
    devices.own()
    let device = devices.insert(bytes)
    if floor != .min { prepare(device) }
    return device
  }

  /// Lets a device know of the beacon conditions whose absence is an event, as all others do since the last advance.
  ///
  /// What has been due since then comes with the device's first input, or with the next advance: who enters devices for
  /// the rows of a batch would have it before the rows, and while the queue is full for nothing.
  mutating func prepare(_ device: UInt32) {
    gate.read { engine in
      let table = engine.table
      guard table.lastAnnouncedBeacon > 0 else { return }
      let line = devices.lines[device]
      devices.load(device, into: &state)
      state.dropGone(seen: line.seen, table)
      prepareBeacons(&state, clock: line.clock, at: max(line.clock, floor), table)
      store(device)
    }
  }

  /// Confirms what is due of a device up to its clock, which may be that of an advance that it did not have.
  mutating func catchUp(_ device: UInt32) {
    gate.read { engine in confirmOverdue(device, engine.table) }
  }

  mutating func confirmOverdue(_ device: UInt32, _ table: ConditionTable) {
    while devices.lines[device].earliest <= clock(of: device) {
      confirmDue(device, through: devices.lines[device].earliest, table)
    }
  }

  /// The number of a device whose identifier is given as UTF-8; `nil` when there is none.
  package func number(identifierBytes bytes: UnsafeBufferPointer<UInt8>) -> UInt32? { devices.number(of: bytes) }

  /// Whether a number is a device's.
  public func hasDevice(_ device: UInt32) -> Bool { devices.isLive(device) }

  /// The identifier of a device, or of one that was removed as long as its number is not used again.
  public func identifier(of device: UInt32) -> String? {
    devices.hasName(device) ? devices.name(of: device) : nil
  }

  /// Calls `body` with the bytes of the identifier of a device. See ``identifier(of:)``.
  ///
  /// - Returns: `nil` when the number was never used.
  package func withIdentifierBytes<Result>(
    ofDevice device: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    devices.hasName(device) ? devices.withName(of: device, body) : nil
  }

  public var deviceCount: Int { devices.count }

  /// The numbers of all devices, ascending.
  public var deviceNumbers: [UInt32] { Array(devices.numbers) }

  /// Removes a device. No event is invented; those that wait are handed out, or dropped. Its number is used again when they
  /// are handled, its identifier is free at once.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when there is no such device.
  /// - Complexity: O(events that wait)
  public mutating func remove(_ device: UInt32, droppingEvents: Bool = false) throws(MonitorError) {
    try require(device)
    devices.own()
    remove([device], droppingEvents: droppingEvents)
  }

  /// Removes a device that was entered for an input, unless anything of what it was given was accepted.
  package mutating func keep(_ device: UInt32) {
    let counters = devices.counters(of: device)
    guard devices.lines[device].acceptedFixes == 0, counters.acceptedFixes == 0, counters.sightings == 0,
      counters.others == 0
    else { return }
    devices.own()
    remove([device], droppingEvents: true)
  }

  /// The devices whose own clock is earlier than a time: that were heard, and not since then.
  public func devices(quietSince time: Timestamp) -> [UInt32] {
    devices.numbers.filter { devices.lines[$0].clock != .min && devices.lines[$0].clock < time.microseconds }
  }

  /// Removes the devices that were heard, and not since a time. Their events that wait are handed out; one that returns is a
  /// new device.
  ///
  /// - Returns: Their numbers, ascending; ``identifier(of:)`` tells who they were until the numbers are used again.
  /// - Complexity: O(devices + events that wait)
  @discardableResult
  public mutating func expire(before time: Timestamp) -> [UInt32] {
    devices.own()
    let quiet = devices(quietSince: time)
    remove(quiet, droppingEvents: false)
    return quiet
  }

  /// The devices whose last accepted input arrived before a time, by ``setArrivalTime(_:)``. A device of which no input was
  /// accepted counts from when it was entered.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when no arrival time was set.
  public func devices(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt32] {
    guard devices.arrivals.isSet else {
      throw .invalidArgument("the fleet has no arrival time; set it before each input to expire devices by arrival")
    }
    return devices.numbers.filter { devices.arrivals.last(of: $0) < time.microseconds }
  }

  /// Removes the devices whose last accepted input arrived before a time, whatever dates their inputs have. So it also
  /// removes a device whose clock is wrong, and keeps one whose clock is years behind. Their events that wait are handed
  /// out; a device that returns is a new one.
  ///
  /// - Returns: As ``expire(before:)``.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when no arrival time was set.
  /// - Complexity: O(devices + events that wait)
  @discardableResult
  public mutating func expire(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt32] {
    let silent = try devices(arrivedBefore: time)
    devices.own()
    remove(silent, droppingEvents: false)
    return silent
  }

  private mutating func remove(_ numbers: [UInt32], droppingEvents: Bool) {
    guard !numbers.isEmpty else { return }
    var events: [UInt32: Int] = [:]
    for number in numbers { events[number] = 0 }
    if droppingEvents {
      delivery.dropAll { events[$0.device] == nil }
    } else if delivery.hasEntries || delivery.handedOut > 0 {
      delivery.forEach { events[$0.device]? += 1 }
    }
    for number in numbers {
      deadlines.change(number, from: devices.lines[number].earliest, to: .max, devices.lines)
      devices.lines[number].earliest = .max
      devices.remove(number, events: events[number] ?? 0)
    }
  }
}
