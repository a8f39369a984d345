public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_put_circles") @implementation
public func fencepost_conditions_put_circles(
  _ conditions: OpaquePointer?, _ mode: fencepost_put_mode, _ common: UnsafePointer<fencepost_condition_definition>?,
  _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ latitudes: UnsafePointer<Double>?,
  _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?,
  _ count: Int, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let columns = try ConditionColumns(conditions, mode, common, identifiers, tags, count)
    try columns.putCircles(latitudes, longitudes, radii_m, out_result)
  }
}

@_cdecl("fencepost_conditions_put_beacons") @implementation
public func fencepost_conditions_put_beacons(
  _ conditions: OpaquePointer?, _ mode: fencepost_put_mode, _ common: UnsafePointer<fencepost_condition_definition>?,
  _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ uuids: UnsafePointer<UInt8>?,
  _ majors: UnsafePointer<Int32>?, _ minors: UnsafePointer<Int32>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let columns = try ConditionColumns(conditions, mode, common, identifiers, tags, count)
    try columns.putBeacons(uuids, majors, minors, out_result)
  }
}

@_cdecl("fencepost_conditions_put_geometries") @implementation
public func fencepost_conditions_put_geometries(
  _ conditions: OpaquePointer?, _ mode: fencepost_put_mode, _ common: UnsafePointer<fencepost_condition_definition>?,
  _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ geometry: UnsafePointer<fencepost_geometry>?,
  _ condition_offsets: UnsafePointer<Int32>?, _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?,
  _ count: Int, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let columns = try ConditionColumns(conditions, mode, common, defaults: nil, identifiers, tags, count)
    try columns.putGeometries(geometry, condition_offsets, radii_m, out_result)
  }
}

@_cdecl("fencepost_conditions_put_wkb") @implementation
public func fencepost_conditions_put_wkb(
  _ conditions: OpaquePointer?, _ mode: fencepost_put_mode, _ common: UnsafePointer<fencepost_condition_definition>?,
  _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ wkbs: UnsafePointer<UnsafeRawPointer?>?,
  _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    var fromBytes = fencepost_condition_definition.defaults
    fromBytes.kind = fencepost_condition_kind(FENCEPOST_CONDITION_FROM_WKB)
    let columns = try ConditionColumns(conditions, mode, common, defaults: fromBytes, identifiers, tags, count)
    try columns.putWellKnownBinary(wkbs, sizes, radii_m, out_result)
  }
}
