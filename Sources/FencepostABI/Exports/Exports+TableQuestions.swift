public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_containing") @implementation
public func fencepost_conditions_containing(
  _ conditions: OpaquePointer?, _ latitude: Double, _ longitude: Double,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).containing(
      latitude, longitude, out_generations, out_distances_m, capacity, out_count)
  }
}

@_cdecl("fencepost_conditions_containing_columns") @implementation
public func fencepost_conditions_containing_columns(
  _ conditions: OpaquePointer?, _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int,
  _ out_offsets: UnsafeMutablePointer<Int64>?, _ out_generations: UnsafeMutablePointer<UInt64>?,
  _ out_distances_m: UnsafeMutablePointer<Double>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).containing(
      columns, count, out_offsets, out_generations, out_distances_m, capacity, out_size)
  }
}

@_cdecl("fencepost_conditions_nearest") @implementation
public func fencepost_conditions_nearest(
  _ conditions: OpaquePointer?, _ latitude: Double, _ longitude: Double, _ nearest: Int,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).nearest(
      latitude, longitude, nearest, out_generations, out_distances_m, out_count)
  }
}

@_cdecl("fencepost_conditions_nearest_columns") @implementation
public func fencepost_conditions_nearest_columns(
  _ conditions: OpaquePointer?, _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int, _ nearest: Int,
  _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).nearest(
      columns, count, nearest, out_generations, out_distances_m, out_count)
  }
}

@_cdecl("fencepost_conditions_identifiers_of_generations") @implementation
public func fencepost_conditions_identifiers_of_generations(
  _ conditions: OpaquePointer?, _ generations: UnsafePointer<UInt64>?, _ count: Int,
  _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).identifiers(ofGenerations: generations, count, buffer, capacity, out_size)
  }
}

@_cdecl("fencepost_conditions_nearest_boundary_point") @implementation
public func fencepost_conditions_nearest_boundary_point(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ out_latitude: UnsafeMutablePointer<Double>?, _ out_longitude: UnsafeMutablePointer<Double>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).nearestBoundaryPoint(
      identifier, latitude, longitude, out_latitude, out_longitude)
  }
}

@_cdecl("fencepost_conditions_probability") @implementation
public func fencepost_conditions_probability(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ columns: UnsafePointer<fencepost_measured_columns>?, _ count: Int, _ confidence: Double,
  _ out_probabilities: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).probability(identifier, columns, count, confidence, out_probabilities)
  }
}
