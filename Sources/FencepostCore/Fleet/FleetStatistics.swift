/// Counters of a fleet since it was created. Inputs that were refused because the queue was full are not counted, and
/// neither are inputs for a number that no device has.
public struct FleetStatistics: Sendable, Hashable {
  /// The time to which all devices were advanced; `nil` before the first advance.
  public var clock: Timestamp?
  /// The number of accepted fixes.
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  /// The number of fixes that the device cannot have reached; see ``Plausibility``.
  public var doubtedFixes: UInt64 = 0
  /// The number of inputs of all kinds that were refused as late.
  public var lateInputs: UInt64 = 0
  /// The number of inputs of all kinds that were refused as too far ahead.
  public var aheadInputs: UInt64 = 0
  /// The number of accepted scan reports.
  public var acceptedSightings: UInt64 = 0
  /// The number of events that wait for delivery.
  public var pendingEvents: Int = 0
  /// The position of the last delivered event.
  public var handedOutEvents: UInt64 = 0
  public var deviceCount: Int = 0
  public var conditionCount: Int = 0
  /// The number of bytes in which the devices are stored, without their identifiers.
  public var deviceBytes: Int = 0
  /// For a fleet with a store: whether the store can be written.
  public var store = StoreStatus.none
  /// For a fleet with a store: whether the store contains everything that the fleet has accepted so far, so that it
  /// survives a power failure. A host should acknowledge inputs to a broker only when this is true.
  public var isAllKept = false

  public init() {}
}

/// The counters of a device since it was added, and its clock.
public struct DeviceStatistics: Sendable, Hashable {
  /// The latest time of the device's inputs and of the advances.
  public var clock: Timestamp?
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  /// The number of fixes that the device cannot have reached; see ``Plausibility``.
  public var doubtedFixes: UInt64 = 0
  public var lateInputs: UInt64 = 0
  public var aheadInputs: UInt64 = 0
  public var acceptedSightings: UInt64 = 0
  /// The sequence number of the last delivered event.
  public var handedOutEvents: UInt64 = 0
  /// The number of inputs of the device, including the refused inputs that are counted, but not the advances of all
  /// devices. After a crash, this is the number of inputs that the restored state includes.
  public var inputCount: UInt64 = 0

  public init() {}
}

extension FleetEngine {
  /// Counters of the fleet.
  ///
  /// - Complexity: O(waiting events)
  public var statistics: FleetStatistics {
    var result = FleetStatistics()
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.doubtedFixes = counters.doubtedFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.clock = currentTime
    result.handedOutEvents = delivery.lastPosition
    result.deviceCount = devices.count
    result.deviceBytes = devices.byteCount
    gate.readLong { table in
      result.conditionCount = table.count
      result.pendingEvents =
        delivery.pending { table.holds($0.entry.slot, $0.entry.generation) } + unreportedCount(table)
    }
    return result
  }

  /// Counters of a device.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func statistics(of number: UInt64) throws(MonitorError) -> DeviceStatistics {
    let device = try line(of: number)
    let counters = inputs(of: device)
    var result = DeviceStatistics()
    let clock = clock(of: device)
    result.clock = clock == .min ? nil : Timestamp(microseconds: clock)
    result.inputCount = counters.inputCount
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.doubtedFixes = counters.doubtedFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.handedOutEvents = sequence(of: device)
    return result
  }

  /// Returns the counters of all inputs of a device.
  func inputs(of device: UInt32) -> InputCounters {
    var counters = devices.counters(of: device).inputs
    counters.acceptedFixes |= UInt64(devices.lines[device].acceptedFixes)
    return counters
  }
}
