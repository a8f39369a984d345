public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_checkpoint") @implementation
public func fencepost_monitor_checkpoint(
  _ monitor: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).withStored { stored throws(MonitorError) in try stored.checkpoint() }
  }
}

@_cdecl("fencepost_monitor_close") @implementation
public func fencepost_monitor_close(
  _ monitor: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).withStored { stored throws(MonitorError) in try stored.close() }
  }
}
