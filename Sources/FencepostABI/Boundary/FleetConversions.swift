import CFencepost
import Fencepost

// Between the structures of the header and the values of a fleet.

extension FleetOptions {
  init(_ options: UnsafePointer<fencepost_fleet_options>?) throws(BoundaryError) {
    self.init()
    guard let options else { return }
    let defaults = fencepost_fleet_options(
      struct_size: 0, reserved: 0, max_pending_events: UInt64(maxPendingEvents), device_limit: 0,
      beacon_exit_timeout_us: beaconExitTimeoutMicroseconds,
      beacon_initial_timeout_us: beaconInitialTimeoutMicroseconds, max_time_step_us: 0)
    let value = try SizedStruct.read(options, defaults: defaults, "options")
    guard value.reserved == 0 else { throw .unsupported("reserved of options is not zero") }
    maxPendingEvents = Int(clamping: value.max_pending_events)
    deviceLimit = value.device_limit == 0 ? Self.mostDevices : Int(clamping: value.device_limit)
    beaconExitTimeoutMicroseconds = value.beacon_exit_timeout_us
    beaconInitialTimeoutMicroseconds = value.beacon_initial_timeout_us
    maxTimeStepMicroseconds = value.max_time_step_us == 0 ? nil : value.max_time_step_us
  }
}

extension fencepost_fleet_statistics {
  init(_ statistics: FleetStatistics) {
    self.init(
      struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
      accepted_fixes: statistics.acceptedFixes, invalid_fixes: statistics.invalidFixes,
      late_inputs: statistics.lateInputs, ahead_inputs: statistics.aheadInputs,
      accepted_sightings: statistics.acceptedSightings, pending_events: UInt64(clamping: statistics.pendingEvents),
      handed_out_events: statistics.handedOutEvents, device_count: UInt64(clamping: statistics.deviceCount),
      condition_count: UInt64(clamping: statistics.conditionCount),
      device_bytes: UInt64(clamping: statistics.deviceBytes))
  }
}

extension fencepost_device_statistics {
  init(_ statistics: DeviceStatistics) {
    self.init(
      struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
      accepted_fixes: statistics.acceptedFixes, invalid_fixes: statistics.invalidFixes,
      late_inputs: statistics.lateInputs, ahead_inputs: statistics.aheadInputs,
      accepted_sightings: statistics.acceptedSightings, handed_out_events: statistics.handedOutEvents)
  }
}
