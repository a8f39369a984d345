public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_add_polygon_conditions") @implementation
public func fencepost_monitor_add_polygon_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.add(PolygonColumn(geometry, condition_offsets, count, shape).given)
  }
}

@_cdecl("fencepost_monitor_add_corridor_conditions") @implementation
public func fencepost_monitor_add_corridor_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.add(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given)
  }
}

@_cdecl("fencepost_monitor_add_line_conditions") @implementation
public func fencepost_monitor_add_line_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.add(LineColumn(geometry, condition_offsets, count, shape).given)
  }
}

@_cdecl("fencepost_monitor_add_wkb_conditions") @implementation
public func fencepost_monitor_add_wkb_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.add(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given)
  }
}

@_cdecl("fencepost_monitor_ensure_polygon_conditions") @implementation
public func fencepost_monitor_ensure_polygon_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.ensure(PolygonColumn(geometry, condition_offsets, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_monitor_ensure_corridor_conditions") @implementation
public func fencepost_monitor_ensure_corridor_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.ensure(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_monitor_ensure_line_conditions") @implementation
public func fencepost_monitor_ensure_line_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.ensure(LineColumn(geometry, condition_offsets, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_monitor_ensure_wkb_conditions") @implementation
public func fencepost_monitor_ensure_wkb_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(of: monitor), identifiers, tags, count, options)
    try rows.ensure(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given, out_result)
  }
}
