public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_ensure_circular_conditions") @implementation
public func fencepost_monitor_ensure_circular_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.ensure(CircleColumn(latitudes, longitudes, radii_m, count).given, out_result)
  }
}

@_cdecl("fencepost_monitor_sync_conditions") @implementation
public func fencepost_monitor_sync_conditions(
  _ monitor: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).sync(definitions, count, out_result)
  }
}

@_cdecl("fencepost_monitor_remove_conditions") @implementation
public func fencepost_monitor_remove_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ out_removed: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).removeMany(identifiers, count, out_removed)
  }
}
