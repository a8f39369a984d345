public import CFencepost
import FencepostCore
import FencepostKernel

@_cdecl("fencepost_geodesic_inverse") @implementation
public func fencepost_geodesic_inverse(
  _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double,
  _ out_distance_m: UnsafeMutablePointer<Double>?, _ out_azimuth1: UnsafeMutablePointer<Double>?,
  _ out_azimuth2: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    _ = try Boundary.coordinate(latitude1, longitude1, named: "first point")
    _ = try Boundary.coordinate(latitude2, longitude2, named: "second point")
    let result = GeodesicInverse.solve(
      latitude1: latitude1, longitude1: longitude1, latitude2: latitude2, longitude2: longitude2)
    out_distance_m?.pointee = result.distance
    out_azimuth1?.pointee = result.azimuth1
    out_azimuth2?.pointee = result.azimuth2
  }
}

@_cdecl("fencepost_geodesic_direct") @implementation
public func fencepost_geodesic_direct(
  _ latitude: Double, _ longitude: Double, _ azimuth: Double, _ distance_m: Double,
  _ out_latitude: UnsafeMutablePointer<Double>?, _ out_longitude: UnsafeMutablePointer<Double>?,
  _ out_azimuth2: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    _ = try Boundary.coordinate(latitude, longitude, named: "point")
    guard azimuth.isFinite else { throw .invalidArgument("azimuth is \(azimuth); must be a finite number of degrees") }
    guard distance_m.magnitude <= 1e9 else {
      throw .invalidArgument("distance is \(distance_m); must be from -1e9 to 1e9 metres")
    }
    let result = GeodesicDirect.solve(
      latitude: latitude, longitude: longitude, azimuth: azimuth, distance: distance_m)
    out_latitude?.pointee = result.latitude
    out_longitude?.pointee = result.longitude
    out_azimuth2?.pointee = result.azimuth
  }
}
