public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_feed_columns") @implementation
public func fencepost_monitor_feed_columns(
  _ monitor: OpaquePointer?, _ columns: UnsafePointer<fencepost_fix_columns>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_feed_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let rows = try FixColumns(Boundary.require(columns, "columns"), count)
    try counting(out_result) { result throws(BoundaryError) in
      guard let rows else { return }
      try handle.withStored { stored throws(MonitorError) in try stored.feed(rows, result: &result) }
    }
  }
}
