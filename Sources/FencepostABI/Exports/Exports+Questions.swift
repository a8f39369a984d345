public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_containing") @implementation
public func fencepost_monitor_containing(
  _ monitor: OpaquePointer?, _ latitude: Double, _ longitude: Double,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).containing(
      latitude, longitude, out_generations, out_distances_m, capacity, out_count)
  }
}

@_cdecl("fencepost_monitor_containing_columns") @implementation
public func fencepost_monitor_containing_columns(
  _ monitor: OpaquePointer?, _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int,
  _ out_offsets: UnsafeMutablePointer<Int64>?, _ out_generations: UnsafeMutablePointer<UInt64>?,
  _ out_distances_m: UnsafeMutablePointer<Double>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).containing(
      columns, count, out_offsets, out_generations, out_distances_m, capacity, out_size)
  }
}

@_cdecl("fencepost_monitor_nearest") @implementation
public func fencepost_monitor_nearest(
  _ monitor: OpaquePointer?, _ latitude: Double, _ longitude: Double, _ nearest: Int,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).nearest(
      latitude, longitude, nearest, out_generations, out_distances_m, out_count)
  }
}

@_cdecl("fencepost_monitor_nearest_columns") @implementation
public func fencepost_monitor_nearest_columns(
  _ monitor: OpaquePointer?, _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int, _ nearest: Int,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).nearest(
      columns, count, nearest, out_generations, out_distances_m, out_count)
  }
}

@_cdecl("fencepost_monitor_identifiers_of_generations") @implementation
public func fencepost_monitor_identifiers_of_generations(
  _ monitor: OpaquePointer?, _ generations: UnsafePointer<UInt64>?, _ count: Int,
  _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).identifiers(ofGenerations: generations, count, buffer, capacity, out_size)
  }
}
