public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_feed_fix") @implementation
public func fencepost_fleet_feed_fix(
  _ fleet: OpaquePointer?, _ device: UInt32, _ fix: UnsafePointer<fencepost_fix>?,
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
  _ fleet: OpaquePointer?, _ device: UInt32, _ sightings: UnsafePointer<fencepost_beacon_sighting>?, _ count: Int,
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
  _ fleet: OpaquePointer?, _ device: UInt32, _ scanning: UInt32, _ time_us: Int64,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.setScanning(scanning != 0, at: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_advance") @implementation
public func fencepost_fleet_advance(
  _ fleet: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.advance(to: Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_fleet_force_advance") @implementation
public func fencepost_fleet_force_advance(
  _ fleet: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.advance(to: Timestamp(microseconds: time_us), force: true)
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

@_cdecl("fencepost_fleet_advance_device") @implementation
public func fencepost_fleet_advance_device(
  _ fleet: OpaquePointer?, _ device: UInt32, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.advance(to: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_rewind") @implementation
public func fencepost_fleet_rewind(
  _ fleet: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.rewind(to: Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_fleet_rewind_device") @implementation
public func fencepost_fleet_rewind_device(
  _ fleet: OpaquePointer?, _ device: UInt32, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
      try engine.rewind(to: Timestamp(microseconds: time_us), for: device)
    }
  }
}

@_cdecl("fencepost_fleet_next_deadline") @implementation
public func fencepost_fleet_next_deadline(
  _ fleet: OpaquePointer?, _ out_time_us: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_time_us, "out_time_us")
    out.pointee = try handle.ask { engine in engine.nextDeadline()?.microseconds ?? .min }
  }
}

@_cdecl("fencepost_fleet_device_next_deadline") @implementation
public func fencepost_fleet_device_next_deadline(
  _ fleet: OpaquePointer?, _ device: UInt32, _ out_time_us: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_time_us, "out_time_us")
    out.pointee = try handle.read { engine throws(MonitorError) in
      try engine.nextDeadline(of: device)?.microseconds ?? .min
    }
  }
}
