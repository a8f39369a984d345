import CFencepost
import FencepostCore
import FencepostStoreCore

// Converts between the structures of the header and the values of a fleet.

/// `FENCEPOST_ALL_DEVICES`; Swift does not import this macro.
let everyDevice = fencepost_device.max

/// The options of a fleet, read from C: the engine's options and the store's options.
struct FleetCreateOptions {
  var engine = FleetOptions()
  /// `nil` = in memory.
  var store: (directory: String, name: String)?
  var durability = Durability.changes

  init(_ options: UnsafePointer<fencepost_fleet_options>?) throws(BoundaryError) {
    guard let options else { return }
    let defaults = fencepost_fleet_options(
      struct_size: 0, reserved: 0, max_pending_events: UInt64(engine.maxPendingEvents), device_limit: 0,
      beacon_exit_timeout_us: engine.beaconExitTimeoutMicroseconds,
      beacon_initial_timeout_us: engine.beaconInitialTimeoutMicroseconds, max_time_step_us: 0, store_directory: nil,
      name: nil, durability: 0, reserved2: 0, checkpoint_interval_us: 60_000_000, path: 0, delivery: 0,
      max_gap_us: 0, max_speed_mps: 0)
    let value = try SizedStruct.read(options, defaults: defaults, "options")
    guard value.reserved == 0, value.reserved2 == 0 else {
      throw .unsupported("options.reserved and options.reserved2 must be zero")
    }
    engine.delivery = try MonitorOptions.Delivery(value.delivery)
    engine.path = try MonitorOptions.Path(value.path, maxGap: value.max_gap_us, maxSpeed: value.max_speed_mps)
    engine.maxPendingEvents = Int(clamping: value.max_pending_events)
    engine.deviceLimit = value.device_limit == 0 ? FleetOptions.mostDevices : Int(clamping: value.device_limit)
    engine.beaconExitTimeoutMicroseconds = value.beacon_exit_timeout_us
    engine.beaconInitialTimeoutMicroseconds = value.beacon_initial_timeout_us
    engine.maxTimeStepMicroseconds = value.max_time_step_us == 0 ? nil : value.max_time_step_us
    durability = try Durability(value.durability, interval: value.checkpoint_interval_us)
    guard let directory = try Boundary.directory(value.store_directory) else { return }
    guard let name = value.name else { throw .invalidArgument("name is NULL; a fleet with a store needs a name") }
    let bytes = Boundary.identifier(name)
    guard let valid = String(validating: bytes, as: UTF8.self) else {
      throw .monitor(.invalidName(String(decoding: bytes, as: UTF8.self)))
    }
    store = (directory, valid)
  }

  /// Creates or opens the fleet.
  func open(_ conditions: Conditions) throws(BoundaryError) -> StoredFleet {
    try refusedByEngine { () throws(MonitorError) in
      guard let store else { return StoredFleet(try FleetEngine(conditions, options: engine)) }
      return try withoutCancellation { () throws(MonitorError) in
        try StoredFleet(
          name: store.name, conditions, options: engine, directory: store.directory, durability: durability)
      }
    }
  }
}

extension fencepost_fleet_counters {
  init(_ statistics: FleetStatistics) {
    self.init(
      struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
      accepted_fixes: statistics.acceptedFixes, invalid_fixes: statistics.invalidFixes,
      late_inputs: statistics.lateInputs, ahead_inputs: statistics.aheadInputs,
      accepted_sightings: statistics.acceptedSightings, pending_events: UInt64(clamping: statistics.pendingEvents),
      handed_out_events: statistics.handedOutEvents, device_count: UInt64(clamping: statistics.deviceCount),
      condition_count: UInt64(clamping: statistics.conditionCount),
      device_bytes: UInt64(clamping: statistics.deviceBytes), store: statistics.store.rawValue,
      all_kept: statistics.isAllKept ? 1 : 0)
  }
}

extension fencepost_device_statistics {
  init(_ statistics: DeviceStatistics) {
    self.init(
      struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
      accepted_fixes: statistics.acceptedFixes, invalid_fixes: statistics.invalidFixes,
      late_inputs: statistics.lateInputs, ahead_inputs: statistics.aheadInputs,
      accepted_sightings: statistics.acceptedSightings, handed_out_events: statistics.handedOutEvents,
      input_count: statistics.inputCount)
  }
}
