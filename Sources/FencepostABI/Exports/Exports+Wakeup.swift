public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_set_wakeup") @implementation
public func fencepost_monitor_set_wakeup(
  _ monitor: OpaquePointer?, _ wakeup: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    handle.setWakeup(wakeup, context)
    if wakeup != nil, try handle.call({ engine in engine.hasEvents }) { handle.ring() }
  }
}

@_cdecl("fencepost_monitor_abandon") @implementation
public func fencepost_monitor_abandon(
  _ monitor: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    if try handle.call({ engine in
      engine.abandon()
      return engine.hasEvents
    }) {
      handle.ring()
    }
  }
}
