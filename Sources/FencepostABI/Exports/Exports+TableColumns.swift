public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_add_circulars") @implementation
public func fencepost_conditions_add_circulars(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(CircleColumn(latitudes, longitudes, radii_m, count).given)
  }
}

@_cdecl("fencepost_conditions_add_beacons") @implementation
public func fencepost_conditions_add_beacons(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ uuids: UnsafePointer<UInt8>?,
  _ majors: UnsafePointer<Int32>?, _ minors: UnsafePointer<Int32>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(BeaconColumn(uuids, majors, minors, count).given)
  }
}

@_cdecl("fencepost_conditions_add_polygons") @implementation
public func fencepost_conditions_add_polygons(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(PolygonColumn(geometry, condition_offsets, count, shape).given)
  }
}

@_cdecl("fencepost_conditions_add_corridors") @implementation
public func fencepost_conditions_add_corridors(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given)
  }
}

@_cdecl("fencepost_conditions_add_lines") @implementation
public func fencepost_conditions_add_lines(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(LineColumn(geometry, condition_offsets, count, shape).given)
  }
}

@_cdecl("fencepost_conditions_add_wkbs") @implementation
public func fencepost_conditions_add_wkbs(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.add(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given)
  }
}

@_cdecl("fencepost_conditions_ensure_circulars") @implementation
public func fencepost_conditions_ensure_circulars(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(CircleColumn(latitudes, longitudes, radii_m, count).given, out_result)
  }
}

@_cdecl("fencepost_conditions_ensure_beacons") @implementation
public func fencepost_conditions_ensure_beacons(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ uuids: UnsafePointer<UInt8>?,
  _ majors: UnsafePointer<Int32>?, _ minors: UnsafePointer<Int32>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(BeaconColumn(uuids, majors, minors, count).given, out_result)
  }
}

@_cdecl("fencepost_conditions_ensure_polygons") @implementation
public func fencepost_conditions_ensure_polygons(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(PolygonColumn(geometry, condition_offsets, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_conditions_ensure_corridors") @implementation
public func fencepost_conditions_ensure_corridors(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_conditions_ensure_lines") @implementation
public func fencepost_conditions_ensure_lines(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(LineColumn(geometry, condition_offsets, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_conditions_ensure_wkbs") @implementation
public func fencepost_conditions_ensure_wkbs(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ConditionRows(ConditionsHandle.borrow(conditions), identifiers, tags, count, options)
    try rows.ensure(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given, out_result)
  }
}

@_cdecl("fencepost_conditions_add") @implementation
public func fencepost_conditions_add(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).add(definitions, count)
  }
}

@_cdecl("fencepost_conditions_ensure") @implementation
public func fencepost_conditions_ensure(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).ensure(definitions, count, out_result)
  }
}

@_cdecl("fencepost_conditions_sync") @implementation
public func fencepost_conditions_sync(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).sync(definitions, count, out_result)
  }
}

@_cdecl("fencepost_conditions_remove_many") @implementation
public func fencepost_conditions_remove_many(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ out_removed: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).removeMany(identifiers, count, out_removed)
  }
}
