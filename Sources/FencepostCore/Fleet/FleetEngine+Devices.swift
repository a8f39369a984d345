extension FleetEngine {
  /// The number of a device, which is entered when it is new. Numbers are the fleet's own, dense from 0 while no device is
  /// removed. That of a removed device names no other one before 262 144 further devices were removed, as long as there are
  /// no more than 67 108 863 at once: what is fed to it is refused.
  ///
  /// - Parameter identifier: 1 … 256 bytes of UTF-8 without a zero byte.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when that is no identifier, or there are as many devices as the
  ///   options allow.
  public mutating func device(_ identifier: String) throws(MonitorError) -> UInt32 {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try device(identifierBytes: bytes)
    }
  }

  /// The number of a device; `nil` if no device has that identifier.
  public func number(of identifier: String) -> UInt32? {
    var text = identifier
    return text.withUTF8 { number(identifierBytes: $0) }
  }

  /// The number of a device whose identifier is given as UTF-8. See ``device(_:)``.
  package mutating func device(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> UInt32 {
    if let device = devices.line(of: bytes) { return devices.number(device) }
    if let defect = MonitorEngine.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
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

  /// Lets a device know of the beacon conditions whose absence is an event, as all others do since the last advance.
  ///
  /// What has been due since then comes with the device's first input, or with the next advance: who enters devices for
  /// the rows of a batch would have it before the rows, and while the queue is full for nothing.
  mutating func prepare(_ device: UInt32) {
    gate.read { table in
      guard table.lastAnnouncedBeacon > 0 else { return }
      let line = devices.lines[device]
      devices.load(device, into: &state)
      state.dropGone(seen: line.seen, table)
      prepareBeacons(&state, clock: line.clock, at: watermark.clock(line), table)
      store(device)
    }
  }

  /// Confirms what is due of a device up to its clock, which may be that of an advance that it did not have.
  mutating func catchUp(_ device: UInt32) {
    gate.read { table in confirmOverdue(device, table) }
  }

  mutating func confirmOverdue(_ device: UInt32, _ table: ConditionTable) {
    while devices.lines[device].earliest <= clock(of: device) {
      confirmDue(device, through: devices.lines[device].earliest, table)
    }
  }

  /// The number of a device whose identifier is given as UTF-8; `nil` when there is none.
  package func number(identifierBytes bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    devices.line(of: bytes).map(devices.number)
  }

  /// Whether a number is a device's.
  public func hasDevice(_ number: UInt32) -> Bool { devices.line(of: number) != nil }

  /// The identifier of a device, or of one that was removed as long as it is known: at least until 4 096 further devices
  /// were removed and their events handled.
  public func identifier(of number: UInt32) -> String? { devices.knownLine(of: number).map(devices.name) }

  /// Calls `body` with the bytes of the identifier of a device. See ``identifier(of:)``.
  ///
  /// - Returns: `nil` when it is not known.
  package func withIdentifierBytes<Result>(
    ofDevice number: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    devices.knownLine(of: number).map { devices.withName(of: $0, body) }
  }

  public var deviceCount: Int { devices.count }

  /// The numbers of all devices, in the order in which one advance brings their events: ascending by what they are modulo
  /// 2²⁶.
  public var deviceNumbers: [UInt32] { devices.numbers.map(devices.number) }

  /// Removes a device. No event is invented; those that wait are handed out, or dropped. Its identifier is free at once, its
  /// number is refused from now on.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when there is no such device.
  /// - Complexity: O(events that wait)
  public mutating func remove(_ number: UInt32, droppingEvents: Bool = false) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    remove([device], droppingEvents: droppingEvents)
  }

  /// Removes a device that was entered for an input, unless anything of what it was given was accepted.
  package mutating func keep(_ number: UInt32) {
    guard let device = devices.line(of: number) else { return }
    let counters = inputs(of: device)
    guard counters.acceptedFixes == 0, counters.acceptedSightings == 0, counters.others == 0 else { return }
    devices.own()
    remove([device], droppingEvents: true)
  }

  /// The devices whose own clock is earlier than a time: that were heard, and not since then.
  public func devices(quietSince time: Timestamp) -> [UInt32] { lines(quietSince: time).map(devices.number) }

  private func lines(quietSince time: Timestamp) -> [UInt32] {
    devices.numbers.filter { devices.lines[$0].clock != .min && devices.lines[$0].clock < time.microseconds }
  }

  /// Removes the devices that were heard, and not since a time. Their events that wait are handed out; one that returns is a
  /// new device.
  ///
  /// - Returns: Their numbers, in the order of ``deviceNumbers``; ``identifier(of:)`` tells who they were.
  /// - Complexity: O(devices + events that wait)
  @discardableResult
  public mutating func expire(before time: Timestamp) -> [UInt32] {
    devices.own()
    let quiet = lines(quietSince: time)
    remove(quiet, droppingEvents: false)
    return quiet.map(devices.number)
  }

  /// The devices whose last accepted input arrived before a time, by ``setArrivalTime(_:)``. A device of which no input was
  /// accepted counts from when it was entered.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when no arrival time was set.
  public func devices(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt32] {
    try lines(arrivedBefore: time).map(devices.number)
  }

  private func lines(arrivedBefore time: Timestamp) throws(MonitorError) -> [UInt32] {
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
    let silent = try lines(arrivedBefore: time)
    devices.own()
    remove(silent, droppingEvents: false)
    return silent.map(devices.number)
  }

  private mutating func remove(_ removed: [UInt32], droppingEvents: Bool) {
    guard !removed.isEmpty else { return }
    var events: [UInt32: Int] = [:]
    for device in removed { events[device] = 0 }
    if droppingEvents {
      delivery.dropAll { events[$0.device] == nil }
    } else if delivery.hasEntries || delivery.inFlight.handedOut > 0 {
      delivery.forEach { events[$0.device]? += 1 }
    }
    for device in removed {
      deadlines.change(device, from: devices.lines[device].earliest, to: .max, devices.lines)
      devices.lines[device].earliest = .max
      devices.remove(device, events: events[device] ?? 0)
    }
  }
}
