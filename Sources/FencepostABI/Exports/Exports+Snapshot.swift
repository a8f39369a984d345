public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_snapshot") @implementation
public func fencepost_monitor_snapshot(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).snapshot(buffer, capacity, out_size)
  }
}

@_cdecl("fencepost_monitor_restore") @implementation
public func fencepost_monitor_restore(
  _ snapshot: UnsafeRawPointer?, _ size: Int, _ out_monitor: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(snapshot, count: size, "snapshot")
    let out = try Boundary.require(out_monitor, "out_monitor")
    let engine = try refusedByEngine { () throws(MonitorError) in
      try MonitorEngine(restoring: UnsafeRawBufferPointer(start: start, count: size))
    }
    out.pointee = MonitorHandle.give(StoredEngine(engine))
  }
}
