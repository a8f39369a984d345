public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_feed_fix") @implementation
public func fencepost_fleet_feed_fix(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ fix: UnsafePointer<fencepost_fix>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let fix = try Boundary.require(fix, "fix").pointee
    try handle.call { engine throws(MonitorError) in
      try engine.feed(Fix(fix), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_feed_columns") @implementation
public func fencepost_fleet_feed_columns(
  _ fleet: OpaquePointer?, _ columns: UnsafePointer<fencepost_fleet_columns>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_feed_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let rows = try FleetRowsInPlace(Boundary.require(columns, "columns"), count)
    try counting(out_result) { result throws(BoundaryError) in
      try handle.call { engine throws(MonitorError) in try rows?.feed(to: &engine, &result) }
    }
  }
}

@_cdecl("fencepost_fleet_feed_sightings") @implementation
public func fencepost_fleet_feed_sightings(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ sightings: UnsafePointer<fencepost_beacon_sighting>?,
  _ count: Int,
  _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let report = SightingRows(try Boundary.require(sightings, count: count, "sightings"), count)
    try handle.call { engine throws(MonitorError) in
      try engine.feed(report.rows, at: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_set_beacon_scanning") @implementation
public func fencepost_fleet_set_beacon_scanning(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ scanning: UInt32, _ time_us: Int64,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.setScanning(scanning != 0, at: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_set_host_capabilities") @implementation
public func fencepost_fleet_set_host_capabilities(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ diagnostics: UInt32, _ unsupported_kinds: UInt32,
  _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let kinds = try kinds(unsupported_kinds)
    try handle.call { engine throws(MonitorError) in
      try engine.setHostCapabilities(
        Diagnostics(rawValue: diagnostics), unsupported: kinds, at: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_advance") @implementation
public func fencepost_fleet_advance(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ time_us: Int64, _ force: UInt32,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let time = Timestamp(microseconds: time_us)
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      if device == everyDevice {
        try engine.advance(to: time, force: force != 0)
      } else {
        try engine.advance(to: time, for: device)
      }
    }
  }
}

@_cdecl("fencepost_fleet_set_arrival_time") @implementation
public func fencepost_fleet_set_arrival_time(
  _ fleet: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.setArrivalTime(Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_fleet_rewind") @implementation
public func fencepost_fleet_rewind(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let time = Timestamp(microseconds: time_us)
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      if device == everyDevice {
        try engine.rewind(to: time)
      } else {
        try engine.rewind(to: time, for: device)
      }
    }
  }
}

@_cdecl("fencepost_fleet_next_deadline") @implementation
public func fencepost_fleet_next_deadline(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ out_time_us: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_time_us, "out_time_us")
    let deadline =
      try device == everyDevice
      ? handle.ask { engine in engine.nextDeadline() }
      : handle.read { engine throws(MonitorError) in try engine.nextDeadline(of: device) }
    out.pointee = deadline?.microseconds ?? .min
  }
}
