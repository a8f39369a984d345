public import CFencepost
import FencepostCore

func circle(_ latitude: Double, _ longitude: Double, _ radius: Double) -> CircularGeographicCondition {
  CircularGeographicCondition(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
}

@_cdecl("fencepost_monitor_add_circular_condition") @implementation
public func fencepost_monitor_add_circular_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ radius_m: Double, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.add(.circle(circle(latitude, longitude, radius_m)), identifier, options)
  }
}

@_cdecl("fencepost_monitor_add_circular_conditions") @implementation
public func fencepost_monitor_add_circular_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let options = try AddOptions(options)
    guard let identifiers = try Boundary.require(identifiers, count: count, "identifiers"),
      let latitudes = try Boundary.require(latitudes, count: count, "latitudes"),
      let longitudes = try Boundary.require(longitudes, count: count, "longitudes"),
      let radii = try Boundary.require(radii_m, count: count, "radii_m"), count > 0
    else { return }
    for row in 0..<count where identifiers[row] == nil {
      throw .invalidArgument("row \(row): the identifier is NULL", position: row)
    }
    func add(_ holder: inout some ConditionHolder) throws(MonitorError) {
      try holder.addCircles(
        count: count, latitudes: latitudes, longitudes: longitudes, radii: radii, tags: tags, tag: options.tag,
        assuming: options.assuming, policy: options.policy
      ) { row in
        identifiers[row].map(Boundary.identifier) ?? UnsafeBufferPointer(start: nil, count: 0)
      }
    }
    try handle.change(add, add)
  }
}

@_cdecl("fencepost_monitor_add_beacon_condition") @implementation
public func fencepost_monitor_add_beacon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ uuid: UnsafePointer<UInt8>?, _ major: Int32,
  _ minor: Int32, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let beacon = try BeaconIdentityCondition(uuid: Boundary.require(uuid, "uuid"), major: major, minor: minor)
    try handle.add(.beacon(beacon), identifier, options)
  }
}

@_cdecl("fencepost_monitor_ensure_circular_condition") @implementation
public func fencepost_monitor_ensure_circular_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ radius_m: Double, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try handle.ensure(.circle(circle(latitude, longitude, radius_m)), identifier, options, out_changed)
  }
}

@_cdecl("fencepost_monitor_ensure_beacon_condition") @implementation
public func fencepost_monitor_ensure_beacon_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ uuid: UnsafePointer<UInt8>?, _ major: Int32,
  _ minor: Int32, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_changed: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    let beacon = try BeaconIdentityCondition(uuid: Boundary.require(uuid, "uuid"), major: major, minor: minor)
    try handle.ensure(.beacon(beacon), identifier, options, out_changed)
  }
}

@_cdecl("fencepost_monitor_remove_condition") @implementation
public func fencepost_monitor_remove_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_removed: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).remove(identifier, out_removed)
  }
}
