public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_checkpoint") @implementation
public func fencepost_fleet_checkpoint(
  _ fleet: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).withStored { stored throws(MonitorError) in try stored.checkpoint() }
  }
}

@_cdecl("fencepost_fleet_close") @implementation
public func fencepost_fleet_close(
  _ fleet: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).withStored { stored throws(MonitorError) in try stored.close() }
  }
}

@_cdecl("fencepost_fleet_snapshot") @implementation
public func fencepost_fleet_snapshot(
  _ fleet: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    let room = UnsafeMutableRawBufferPointer(start: start, count: start == nil ? 0 : capacity)
    let needed = try handle.withStored { stored throws(MonitorError) in
      stored.withSnapshot { snapshot in
        if room.count >= snapshot.count { room.copyMemory(from: snapshot) }
        return snapshot.count
      }
    }
    out_size?.pointee = needed
    guard capacity == 0 || capacity >= needed else { throw .bufferTooSmall(needed: needed) }
  }
}

@_cdecl("fencepost_fleet_restore") @implementation
public func fencepost_fleet_restore(
  _ snapshot: UnsafeRawPointer?, _ size: Int, _ conditions: OpaquePointer?,
  _ out_fleet: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(snapshot, count: size, "snapshot")
    let out = try Boundary.require(out_fleet, "out_fleet")
    let table =
      conditions == nil
      ? nil : try ConditionsHandle.borrow(conditions).requireShared("a fleet cannot share the table of a monitor")
    let engine = try refusedByEngine { () throws(MonitorError) in
      try FleetEngine(restoring: UnsafeRawBufferPointer(start: start, count: size), conditions: table)
    }
    out.pointee = FleetHandle.give(StoredFleet(engine))
  }
}
