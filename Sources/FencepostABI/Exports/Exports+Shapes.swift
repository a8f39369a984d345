public import CFencepost
import Fencepost

// Polygons and corridors, one at a time. They are examined before the monitor is locked: that may take long.

private func add(
  _ given: GivenCondition, to handle: Handle, _ identifier: UnsafePointer<CChar>?,
  _ options: UnsafePointer<fencepost_condition_options>?
) throws(BoundaryError) {
  let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
  let options = try AddOptions(options)
  let subject = try refusedByEngine { () throws(MonitorError) in try given.subject() }
  try handle.call { engine throws(MonitorError) in
    try engine.add(
      subject, identifierBytes: bytes, assuming: options.assuming, policy: options.policy, tag: options.tag)
  }
}

private func ensure(
  _ given: GivenCondition, in handle: Handle, _ identifier: UnsafePointer<CChar>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?
) throws(BoundaryError) {
  let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
  let options = try AddOptions(options)
  let changed = try handle.call { engine throws(MonitorError) in
    try engine.ensure(
      given, identifierBytes: bytes, assuming: options.assuming, policy: options.policy, tag: options.tag)
  }
  out_changed?.pointee = changed ? 1 : 0
}

private func wellKnownBinary(
  _ wkb: UnsafeRawPointer?, _ size: Int, _ radius: Double, _ shape: UnsafePointer<fencepost_shape_options>?
) throws(BoundaryError) -> GivenCondition {
  let bytes = UnsafeRawBufferPointer(start: try Boundary.require(wkb, count: size, "wkb"), count: size)
  return try ShapeOptions(shape).wellKnownBinary(bytes, radius: radius)
}

/// Implements `fencepost_monitor_add_polygon_condition`; see the header.
@_cdecl("fencepost_monitor_add_polygon_condition") @implementation
public func fencepost_monitor_add_polygon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    try add(ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()), to: handle, identifier, options)
  }
}

/// Implements `fencepost_monitor_add_corridor_condition`; see the header.
@_cdecl("fencepost_monitor_add_corridor_condition") @implementation
public func fencepost_monitor_add_corridor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let given = try ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m)
    try add(given, to: handle, identifier, options)
  }
}

/// Implements `fencepost_monitor_add_wkb_condition`; see the header.
@_cdecl("fencepost_monitor_add_wkb_condition") @implementation
public func fencepost_monitor_add_wkb_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    try add(wellKnownBinary(wkb, size, radius_m, shape), to: handle, identifier, options)
  }
}

/// Implements `fencepost_monitor_ensure_polygon_condition`; see the header.
@_cdecl("fencepost_monitor_ensure_polygon_condition") @implementation
public func fencepost_monitor_ensure_polygon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let given = try ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon())
    try ensure(given, in: handle, identifier, options, out_changed)
  }
}

/// Implements `fencepost_monitor_ensure_corridor_condition`; see the header.
@_cdecl("fencepost_monitor_ensure_corridor_condition") @implementation
public func fencepost_monitor_ensure_corridor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let given = try ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m)
    try ensure(given, in: handle, identifier, options, out_changed)
  }
}

/// Implements `fencepost_monitor_ensure_wkb_condition`; see the header.
@_cdecl("fencepost_monitor_ensure_wkb_condition") @implementation
public func fencepost_monitor_ensure_wkb_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    try ensure(wellKnownBinary(wkb, size, radius_m, shape), in: handle, identifier, options, out_changed)
  }
}
