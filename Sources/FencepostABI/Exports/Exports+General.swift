public import CFencepost
import FencepostCore
import FencepostKernel

/// The memory for the version's text: a global variable instead of the heap, so that an unloaded library leaves no
/// memory behind.
private nonisolated(unsafe) var versionBytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

/// The address of the version's text, which is composed on first use from the three numbers in the header. After the
/// first use, the address is only read, so several threads can use it at the same time.
private let versionText: UInt = {
  let version = "\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR).\(FENCEPOST_VERSION_PATCH)"
  return withUnsafeMutableBytes(of: &versionBytes) { bytes in
    bytes.copyBytes(from: version.utf8.prefix(bytes.count - 1))
    return UInt(bitPattern: bytes.baseAddress)
  }
}()

@_cdecl("fencepost_version_string") @implementation
public func fencepost_version_string() -> UnsafePointer<CChar>? {
  UnsafePointer(bitPattern: versionText)
}

@_cdecl("fencepost_status_name") @implementation
public func fencepost_status_name(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).name)
}

@_cdecl("fencepost_state_name") @implementation
public func fencepost_state_name(_ state: fencepost_state) -> UnsafePointer<CChar>? {
  Boundary.text(UInt8(exactly: state).flatMap(Event.State.init(rawValue:))?.name ?? "unknown_state")
}

@_cdecl("fencepost_cause_name") @implementation
public func fencepost_cause_name(_ cause: fencepost_cause) -> UnsafePointer<CChar>? {
  Boundary.text(UInt8(exactly: cause).flatMap(Event.Cause.init(rawValue:))?.name ?? "unknown_cause")
}

@_cdecl("fencepost_status_message") @implementation
public func fencepost_status_message(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).message)
}

@_cdecl("fencepost_uuid_parse") @implementation
public func fencepost_uuid_parse(
  _ text: UnsafePointer<CChar>?, _ out_uuid: UnsafeMutablePointer<UInt8>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let bytes = Boundary.identifier(try Boundary.require(text, "text"))
    let out = try Boundary.require(out_uuid, "out_uuid")
    let string = String(decoding: bytes, as: UTF8.self)
    guard let uuid = BeaconUUID(string) else {
      throw .invalidArgument("\"\(string)\" is not a UUID; must have the form 8-4-4-4-12 of hexadecimal digits")
    }
    uuid.store(to: UnsafeMutableRawPointer(out))
  }
}

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

#if FENCEPOST_INVARIANTS
  /// Used only by the tests, and not part of the header: ends the program if an invariant of a monitor is violated.
  @_cdecl("fencepost_check_invariants")
  public func checkInvariants(of monitor: OpaquePointer?) {
    do {
      let broken: String? = try MonitorHandle.borrow(monitor).withStored { stored throws(MonitorError) in
        do { try stored.checkInvariants() } catch { return "\(error)" }
        return nil
      }
      if let broken { fatalError(broken) }
    } catch {
      fatalError("\(error)")
    }
  }

  /// Used only by the tests, and not part of the header: ends the program if an invariant of a fleet is violated.
  @_cdecl("fencepost_check_fleet_invariants")
  public func checkInvariants(ofFleet fleet: OpaquePointer?) {
    do {
      let broken: String? = try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
        do { try engine.checkInvariants() } catch { return "\(error)" }
        return nil
      }
      if let broken { fatalError(broken) }
    } catch {
      fatalError("\(error)")
    }
  }
#endif
