public import CFencepost
import FencepostCore

func circle(_ latitude: Double, _ longitude: Double, _ radius: Double) -> CircularGeographicCondition {
  CircularGeographicCondition(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
}

@_cdecl("fencepost_monitor_add_circular_condition") @implementation
public func fencepost_monitor_add_circular_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ radius_m: Double, _ options: UnsafePointer<fencepost_condition_definition>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(identifier, options) { .circle(circle(latitude, longitude, radius_m)) }
  }
}

@_cdecl("fencepost_monitor_add_beacon_condition") @implementation
public func fencepost_monitor_add_beacon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ uuid: UnsafePointer<UInt8>?, _ major: Int32,
  _ minor: Int32, _ options: UnsafePointer<fencepost_condition_definition>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(identifier, options) { () throws(BoundaryError) in
      try .beacon(BeaconIdentityCondition(uuid: Boundary.require(uuid, "uuid"), major: major, minor: minor))
    }
  }
}
