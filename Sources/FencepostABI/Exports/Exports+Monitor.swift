public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_create") @implementation
public func fencepost_monitor_create(
  _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<fencepost_monitor_options>?,
  _ out_monitor: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let out = try Boundary.require(out_monitor, "out_monitor")
    var text: String?
    if let name {
      let bytes = Boundary.identifier(name)
      guard let valid = String(validating: bytes, as: UTF8.self) else {
        throw .monitor(.invalidName(String(decoding: bytes, as: UTF8.self)))
      }
      text = valid
    }
    out.pointee = MonitorHandle.give(try CreateOptions(options).open(text))
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

@_cdecl("fencepost_monitor_name") @implementation
public func fencepost_monitor_name(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let name = try MonitorHandle.borrow(monitor).call { engine in engine.name ?? "" }
    try OutputBuffer.write(name.utf8, terminator: true, to: buffer, capacity: capacity, size: out_size)
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
    let statistics = try handle.withStored { stored throws(MonitorError) in stored.statistics }
    try SizedStruct.write(
      fencepost_statistics(
        struct_size: 0, reserved: 0, clock_us: statistics.clock?.microseconds ?? .min,
        input_count: statistics.inputCount, accepted_fixes: statistics.acceptedFixes,
        invalid_fixes: statistics.invalidFixes, late_inputs: statistics.lateInputs,
        accepted_sightings: statistics.acceptedSightings, pending_events: UInt64(clamping: statistics.pendingEvents),
        handed_out_events: statistics.handedOutEvents, condition_count: UInt64(clamping: statistics.conditionCount),
        ahead_inputs: statistics.aheadInputs, store: statistics.store.rawValue,
        all_kept: statistics.isAllKept ? 1 : 0),
      to: out, "out_statistics")
  }
}
