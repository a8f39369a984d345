import FencepostKernel

/// A device that is inside a condition.
public struct DevicePresence: Sendable, Hashable {
  /// The number of the device.
  public var device: UInt64
  /// The generation of the condition.
  public var generation: UInt64
  public var tag: UInt64
  /// The time at which the state was confirmed; for a beacon, the time of its last sighting.
  public var since: Timestamp
  /// The time of the fix that showed the state; for a beacon, the time of its last sighting.
  public var evidenceDate: Timestamp
}

/// Methods that find the devices inside conditions.
extension FleetEngine {
  /// Returns the devices that are inside a condition, or near its beacon, in the order of ``deviceNumbers``; `nil` if
  /// no condition has the identifier.
  ///
  /// - Complexity: For a shape, O(devices that have entered the shape since the last query of it); for the first query,
  ///   and again each time after as many events as there are devices inside conditions, O(devices). For a beacon, a
  ///   rule, and a shape with a timing, O(devices).
  public mutating func devices(insideOf identifier: String) -> [DevicePresence]? {
    var result: [DevicePresence] = []
    let isKnown = gate.readLong { table in
      guard let slot = table.slot(of: identifier) else { return false }
      forEachDevice(insideOf: slot, table) { result.append($0) }
      return true
    }
    return isKnown ? result : nil
  }

  /// Calls `body` with each device that is inside the condition with an identifier, which is in UTF-8.
  package mutating func forEachDevice(
    insideOf bytes: UnsafeBufferPointer<UInt8>, _ body: (DevicePresence) -> Void
  ) throws(MonitorError) {
    try gate.readLong { table throws(MonitorError) in
      forEachDevice(insideOf: try table.slot(ofIdentifierBytes: bytes), table, body)
    }
  }

  private mutating func forEachDevice(
    insideOf slot: UInt32, _ table: ConditionTable, _ body: (DevicePresence) -> Void
  ) {
    guard table.isGeographic(slot), table.timing(of: slot) == nil else {
      // A beacon or a rule, or an edge may have passed since the device was last evaluated.
      for device in devices.numbers {
        for inside in insides(of: device, table) where inside.slot == slot {
          body(presence(of: device, in: inside, table))
        }
      }
      return
    }
    if !insideIndex.isOn { makeInsideIndex(table) }
    // A closure that called a method of the engine would copy the whole engine for each device, at 2 000 instructions.
    let (devices, generation, tag) = (devices, table.generation(of: slot), table.tag(of: slot))
    insideIndex.forEach(in: slot) { device in
      guard let inside = devices.inside(of: slot, device, generation) else { return false }
      body(
        DevicePresence(
          device: devices.number(device), generation: generation, tag: tag,
          since: Timestamp(microseconds: inside.since), evidenceDate: Timestamp(microseconds: inside.evidence)))
      return true
    }
  }

  /// Calls `body` for each device and each condition that the device is inside, in the order of ``deviceNumbers``, then
  /// in add order.
  ///
  /// - Complexity: O(devices)
  package func forEachDeviceInside(_ body: (DevicePresence) -> Void) {
    gate.readLong { table in
      for device in devices.numbers {
        for inside in insides(of: device, table) { body(presence(of: device, in: inside, table)) }
      }
    }
  }

  /// Returns the conditions that a device is inside, including beacon conditions, in add order.
  func insides(of device: UInt32, _ table: ConditionTable) -> ContiguousArray<DeviceState.Inside> {
    if table.lastBeacon == 0 {
      let handle = devices.lines[device].cold
      if handle == ColdStore.none { return [] }
      // Most devices are inside no condition.
      if let record = DeviceRecord(devices.cold.words(handle)), record.insideCount == 0 { return [] }
    }
    let state = shown(device, table)
    var insides = state.insides
    for beacon in state.beacons where beacon.track.observed == .inside {
      insides.append(.init(slot: beacon.slot, since: beacon.track.lastSighting, evidence: beacon.track.lastSighting))
    }
    if state.hasRules { insides.append(contentsOf: state.rules.records.compactMap { $0.inside }) }
    insides.arrange { table.generation(of: $0.slot) < table.generation(of: $1.slot) }
    return insides
  }

  private func presence(of device: UInt32, in inside: DeviceState.Inside, _ table: ConditionTable) -> DevicePresence {
    DevicePresence(
      device: devices.number(device), generation: table.generation(of: inside.slot), tag: table.tag(of: inside.slot),
      since: Timestamp(microseconds: inside.since), evidenceDate: Timestamp(microseconds: inside.evidence))
  }

  private mutating func makeInsideIndex(_ table: ConditionTable) {
    insideIndex.beginMaking()
    var state = DeviceState()
    for device in devices.numbers {
      let handle = devices.lines[device].cold
      guard handle != ColdStore.none else { continue }
      let words = devices.cold.words(handle)
      if let record = DeviceRecord(words) {
        for index in 0..<record.insideCount { insideIndex.add(device, to: record.inside(index)) }
      } else {
        state.load(words)
        for inside in state.insides { insideIndex.add(device, to: inside.slot) }
      }
    }
    insideIndex.endMaking()
  }
}

extension RuleRecord {
  /// The entry of a satisfied rule. Without evidence, the date of the evidence is that of the change.
  fileprivate var inside: DeviceState.Inside? {
    observed == .inside
      ? DeviceState.Inside(slot: slot, since: since, evidence: evidence == .min ? since : evidence) : nil
  }
}

extension DeviceTable {
  /// Returns the entry of a shape with a generation, if the device is inside this shape.
  fileprivate func inside(of slot: UInt32, _ device: UInt32, _ generation: UInt64) -> DeviceState.Inside? {
    let line = lines[device]
    guard line.isLive, line.cold != ColdStore.none, generation <= line.seen else { return nil }
    let words = cold.words(line.cold)
    if let record = DeviceRecord(words) {
      for index in 0..<record.insideCount where record.inside(index) == slot { return record.wholeInside(index) }
      return nil
    }
    var state = DeviceState()
    state.load(words)
    return state.insides.first { $0.slot == slot }
  }
}
