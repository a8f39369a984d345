import CFencepost
import FencepostCore
import FencepostStoreCore

// Converts between the structures of the header and the values of a fleet.

/// `FENCEPOST_ALL_DEVICES`; Swift does not import this macro.
let everyDevice = fencepost_device.max

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
      all_kept: statistics.isAllKept ? 1 : 0, doubted_fixes: statistics.doubtedFixes)
  }
}

extension fencepost_device_statistics {
  init(_ statistics: DeviceStatistics) {
    self.init(
      struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
      accepted_fixes: statistics.acceptedFixes, invalid_fixes: statistics.invalidFixes,
      late_inputs: statistics.lateInputs, ahead_inputs: statistics.aheadInputs,
      accepted_sightings: statistics.acceptedSightings, handed_out_events: statistics.handedOutEvents,
      input_count: statistics.inputCount, doubted_fixes: statistics.doubtedFixes)
  }
}
