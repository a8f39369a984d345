public import CFencepost
import FencepostCore

@_cdecl("fencepost_beacon_parse_advertisement") @implementation
public func fencepost_beacon_parse_advertisement(
  _ payload: UnsafePointer<UInt8>?, _ size: Int, _ company_id: Int32, _ rssi_dbm: Int32,
  _ out_advertisement: UnsafeMutablePointer<fencepost_beacon_advertisement>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(payload, count: size, "payload")
    let out = try Boundary.require(out_advertisement, "out_advertisement")
    guard (-1...65_535).contains(company_id) else {
      throw .invalidArgument("company_id is \(company_id); must be from 0 to 65535, or -1 if unknown")
    }
    let parsed = try refusedByEngine { () throws(MonitorError) in
      try BeaconAdvertisement(
        UnsafeBufferPointer(start: start, count: size).span, company: UInt16(exactly: company_id), rssi: rssi_dbm)
    }
    withUnsafeMutableBytes(of: &out.pointee.sighting.uuid) { bytes in
      if let base = bytes.baseAddress { parsed.sighting.uuid.store(to: base) }
    }
    out.pointee.sighting.major = parsed.sighting.major
    out.pointee.sighting.minor = parsed.sighting.minor
    out.pointee.sighting.rssi_dbm = parsed.sighting.rssi
    out.pointee.kind = Int32(parsed.kind.rawValue)
    out.pointee.measured_power_dbm = Int32(parsed.measuredPower)
    out.pointee.company_id = UInt32(parsed.company)
    out.pointee.manufacturer_reserved = UInt32(parsed.manufacturerReserved)
  }
}
