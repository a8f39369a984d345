public import CFencepost
import FencepostCore

// Functions that add polygons, corridors and lines one at a time. These functions examine the shape before they lock
// the monitor, because the examination may take long.

@_cdecl("fencepost_monitor_add_polygon_condition") @implementation
public func fencepost_monitor_add_polygon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()), identifier, options)
  }
}

@_cdecl("fencepost_monitor_add_corridor_condition") @implementation
public func fencepost_monitor_add_corridor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let given = try ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m)
    try handle.add(given, identifier, options)
  }
}

@_cdecl("fencepost_monitor_add_line_condition") @implementation
public func fencepost_monitor_add_line_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(ShapeOptions(shape).line(GeometryColumns(geometry).lines()), identifier, options)
  }
}

@_cdecl("fencepost_monitor_add_wkb_condition") @implementation
public func fencepost_monitor_add_wkb_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(GivenCondition(wkb, size, radius_m, shape), identifier, options)
  }
}

@_cdecl("fencepost_monitor_ensure_polygon_condition") @implementation
public func fencepost_monitor_ensure_polygon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let given = try ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon())
    try handle.ensure(given, identifier, options, out_changed)
  }
}

@_cdecl("fencepost_monitor_ensure_corridor_condition") @implementation
public func fencepost_monitor_ensure_corridor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let given = try ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m)
    try handle.ensure(given, identifier, options, out_changed)
  }
}

@_cdecl("fencepost_monitor_ensure_line_condition") @implementation
public func fencepost_monitor_ensure_line_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let given = try ShapeOptions(shape).line(GeometryColumns(geometry).lines())
    try handle.ensure(given, identifier, options, out_changed)
  }
}

@_cdecl("fencepost_monitor_ensure_wkb_condition") @implementation
public func fencepost_monitor_ensure_wkb_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.ensure(GivenCondition(wkb, size, radius_m, shape), identifier, options, out_changed)
  }
}
