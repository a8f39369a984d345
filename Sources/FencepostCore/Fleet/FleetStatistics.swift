/// Counters of a fleet since it was created.
public struct FleetStatistics: Sendable, Hashable {
  /// The time to which all devices were advanced.
  public var clock: Timestamp?
  /// All that was fed to a device, the invalid, the late and the refused too; not what was refused because the queue was
  /// full, nor what named no device.
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  /// All kinds of input.
  public var lateInputs: UInt64 = 0
  /// All kinds of input.
  public var aheadInputs: UInt64 = 0
  /// Scan reports.
  public var acceptedSightings: UInt64 = 0
  /// Events that wait to be handed out.
  public var pendingEvents: Int = 0
  /// The last position given.
  public var handedOutEvents: UInt64 = 0
  public var deviceCount: Int = 0
  public var conditionCount: Int = 0
  /// Bytes of what is kept of the devices, without their identifiers.
  public var deviceBytes: Int = 0
  /// Of a fleet that is kept in a store: whether the store takes what happens.
  public var store = StoreStatus.none
  /// Of a fleet that is kept in a store: whether the store has everything that the fleet accepted so far, also after a loss
  /// of power. A host that acknowledges its inputs to a broker does so once this holds.
  public var isAllKept = false

  public init() {}
}

/// Counters of a device since it was entered, and its clock.
public struct DeviceStatistics: Sendable, Hashable {
  /// The largest time that was given, by an input of the device or an advance.
  public var clock: Timestamp?
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  public var lateInputs: UInt64 = 0
  public var aheadInputs: UInt64 = 0
  public var acceptedSightings: UInt64 = 0
  /// The last sequence number given.
  public var handedOutEvents: UInt64 = 0
  /// All inputs that were given for the device, the refused ones that are counted too; advances of all devices are not
  /// among them. After a crash: how many of its inputs the state has.
  public var inputCount: UInt64 = 0

  public init() {}
}

extension FleetEngine {
  /// Counters of the fleet.
  ///
  /// - Complexity: O(events that wait)
  public var statistics: FleetStatistics {
    var result = FleetStatistics()
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.clock = currentTime
    result.handedOutEvents = delivery.lastPosition
    result.deviceCount = devices.count
    result.deviceBytes = devices.byteCount
    gate.readLong { table in
      result.conditionCount = table.count
      result.pendingEvents = delivery.pending { table.holds($0.entry.slot, $0.entry.generation) }
    }
    return result
  }

  /// Counters of a device.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when there is no such device.
  public func statistics(of number: UInt32) throws(MonitorError) -> DeviceStatistics {
    let device = try line(of: number)
    let counters = inputs(of: device)
    var result = DeviceStatistics()
    let clock = clock(of: device)
    result.clock = clock == .min ? nil : Timestamp(microseconds: clock)
    result.inputCount = counters.inputCount
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.handedOutEvents = sequence(of: device)
    return result
  }

  /// All inputs of a device.
  func inputs(of device: UInt32) -> InputCounters {
    var counters = devices.counters(of: device).inputs
    counters.acceptedFixes |= UInt64(devices.lines[device].acceptedFixes)
    return counters
  }
}
