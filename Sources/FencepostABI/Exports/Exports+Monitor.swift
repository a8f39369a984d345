public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_create") @implementation
public func fencepost_monitor_create(
  _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<fencepost_options>?,
  _ out_monitor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let out = try Boundary.require(out_monitor, "out_monitor")
    out.pointee = MonitorHandle.give(try CreateOptions.openMonitor(options, name: name))
  }
}

@_cdecl("fencepost_monitor_destroy") @implementation
public func fencepost_monitor_destroy(_ monitor: OpaquePointer?) {
  guard let handle = try? MonitorHandle.borrow(monitor) else { return }
  handle.setWakeup(nil, nil)
  // Changes that cannot be saved now are lost, as in a crash; fencepost_monitor_close reports the failure.
  try? handle.withStored { stored throws(MonitorError) in try stored.close() }
  handle.release()
}

@_cdecl("fencepost_monitor_fork") @implementation
public func fencepost_monitor_fork(
  _ monitor: OpaquePointer?, _ out_fork: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_fork, "out_fork")
    out.pointee = MonitorHandle.give(StoredEngine(try handle.call { engine in engine.fork() }))
  }
}

@_cdecl("fencepost_monitor_statistics") @implementation
public func fencepost_monitor_statistics(
  _ monitor: OpaquePointer?, _ out_statistics: UnsafeMutablePointer<fencepost_statistics>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_statistics, "out_statistics")
    let (statistics, name) = try handle.withStored { stored throws(MonitorError) in
      (stored.statistics, stored.call { engine in engine.name ?? "" })
    }
    var value = fencepost_statistics()
    value.clock_us = statistics.clock?.microseconds ?? .min
    value.input_count = statistics.inputCount
    value.accepted_fixes = statistics.acceptedFixes
    value.invalid_fixes = statistics.invalidFixes
    value.doubted_fixes = statistics.doubtedFixes
    value.late_inputs = statistics.lateInputs
    value.accepted_sightings = statistics.acceptedSightings
    value.pending_events = UInt64(clamping: statistics.pendingEvents)
    value.handed_out_events = statistics.handedOutEvents
    value.condition_count = UInt64(clamping: statistics.conditionCount)
    value.ahead_inputs = statistics.aheadInputs
    value.store = statistics.store.rawValue
    value.all_kept = statistics.isAllKept ? 1 : 0
    var text = name
    _ = text.withUTF8 { copy($0, into: &value.name) }
    try SizedStruct.write(value, to: out, "out_statistics")
  }
}
