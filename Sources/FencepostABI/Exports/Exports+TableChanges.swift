public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_add_circular") @implementation
public func fencepost_conditions_add_circular(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ radius_m: Double, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.add(.circle(circle(latitude, longitude, radius_m)), identifier, options)
  }
}

@_cdecl("fencepost_conditions_add_beacon") @implementation
public func fencepost_conditions_add_beacon(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ uuid: UnsafePointer<UInt8>?, _ major: Int32,
  _ minor: Int32, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.add(
      .beacon(BeaconIdentityCondition(uuid: Boundary.require(uuid, "uuid"), major: major, minor: minor)), identifier,
      options)
  }
}

@_cdecl("fencepost_conditions_add_polygon") @implementation
public func fencepost_conditions_add_polygon(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.add(ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()), identifier, options)
  }
}

@_cdecl("fencepost_conditions_add_corridor") @implementation
public func fencepost_conditions_add_corridor(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.add(
      ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m), identifier, options)
  }
}

@_cdecl("fencepost_conditions_add_wkb") @implementation
public func fencepost_conditions_add_wkb(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.add(GivenCondition(wkb, size, radius_m, shape), identifier, options)
  }
}

@_cdecl("fencepost_conditions_ensure_circular") @implementation
public func fencepost_conditions_ensure_circular(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ radius_m: Double, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.ensure(.circle(circle(latitude, longitude, radius_m)), identifier, options, out_changed)
  }
}

@_cdecl("fencepost_conditions_ensure_beacon") @implementation
public func fencepost_conditions_ensure_beacon(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ uuid: UnsafePointer<UInt8>?, _ major: Int32,
  _ minor: Int32, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.ensure(
      .beacon(BeaconIdentityCondition(uuid: Boundary.require(uuid, "uuid"), major: major, minor: minor)), identifier,
      options, out_changed)
  }
}

@_cdecl("fencepost_conditions_ensure_polygon") @implementation
public func fencepost_conditions_ensure_polygon(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.ensure(
      ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()), identifier, options, out_changed)
  }
}

@_cdecl("fencepost_conditions_ensure_corridor") @implementation
public func fencepost_conditions_ensure_corridor(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.ensure(
      ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m), identifier, options,
      out_changed)
  }
}

@_cdecl("fencepost_conditions_ensure_wkb") @implementation
public func fencepost_conditions_ensure_wkb(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ wkb: UnsafeRawPointer?, _ size: Int,
  _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_changed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    try handle.ensure(GivenCondition(wkb, size, radius_m, shape), identifier, options, out_changed)
  }
}

@_cdecl("fencepost_conditions_remove") @implementation
public func fencepost_conditions_remove(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_removed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).remove(identifier, out_removed)
  }
}
