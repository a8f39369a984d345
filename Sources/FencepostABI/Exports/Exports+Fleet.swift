public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_create") @implementation
public func fencepost_fleet_create(
  _ options: UnsafePointer<fencepost_options>?, _ out_fleet: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let out = try Boundary.require(out_fleet, "out_fleet")
    out.pointee = FleetHandle.give(try CreateOptions.openFleet(options))
  }
}

@_cdecl("fencepost_fleet_destroy") @implementation
public func fencepost_fleet_destroy(_ fleet: OpaquePointer?) {
  guard let handle = try? FleetHandle.borrow(fleet) else { return }
  handle.setWakeup(nil, nil)
  // Changes that cannot be saved now are lost, as in a crash; fencepost_fleet_close reports the failure.
  try? handle.withStored { stored throws(MonitorError) in try stored.close() }
  handle.release()
}

@_cdecl("fencepost_fleet_fork") @implementation
public func fencepost_fleet_fork(
  _ fleet: OpaquePointer?, _ out_fork: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_fork, "out_fork")
    out.pointee = FleetHandle.give(StoredFleet(try handle.read { engine in engine.fork() }))
  }
}

@_cdecl("fencepost_fleet_conditions") @implementation
public func fencepost_fleet_conditions(
  _ fleet: OpaquePointer?, _ out_conditions: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_conditions, "out_conditions")
    out.pointee = ConditionsHandle.shared(try handle.read { engine in engine.conditions }).give()
  }
}

@_cdecl("fencepost_fleet_statistics") @implementation
public func fencepost_fleet_statistics(
  _ fleet: OpaquePointer?, _ out_statistics: UnsafeMutablePointer<fencepost_fleet_counters>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_statistics, "out_statistics")
    let statistics = try handle.withStored { stored throws(MonitorError) in stored.statistics }
    try SizedStruct.write(fencepost_fleet_counters(statistics), to: out, "out_statistics")
  }
}

@_cdecl("fencepost_fleet_device_statistics") @implementation
public func fencepost_fleet_device_statistics(
  _ fleet: OpaquePointer?, _ device: fencepost_device,
  _ out_statistics: UnsafeMutablePointer<fencepost_device_statistics>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_statistics, "out_statistics")
    let statistics = try handle.read { engine throws(MonitorError) in try engine.statistics(of: device) }
    try SizedStruct.write(fencepost_device_statistics(statistics), to: out, "out_statistics")
  }
}

@_cdecl("fencepost_fleet_enter_devices") @implementation
public func fencepost_fleet_enter_devices(
  _ fleet: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ create: UInt32,
  _ out_devices: UnsafeMutablePointer<fencepost_device>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    guard let identifiers = try Boundary.require(identifiers, count: count, "identifiers"),
      let out = try Boundary.require(out_devices, count: count, "out_devices"), count > 0
    else { return }
    for row in 0..<count { _ = try Boundary.identifier(identifiers[row], row: row) }
    func find(_ engine: inout FleetEngine) throws(MonitorError) {
      try engine.devices(
        count: count, entering: create != 0,
        identifier: { identifiers[$0].map(Boundary.identifier) ?? UnsafeBufferPointer(start: nil, count: 0) },
        { row, device in out[row] = device ?? fencepost_device(FENCEPOST_NO_DEVICE) })
    }
    if create != 0 { try handle.call(find) } else { try handle.ask(find) }
  }
}

@_cdecl("fencepost_fleet_device_identifier") @implementation
public func fencepost_fleet_device_identifier(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let identifier = try handle.read { engine throws(MonitorError) in try engine.identifierBytes(of: device) }
    try OutputBuffer.write(identifier, terminator: true, to: buffer, capacity: capacity, size: out_size)
  }
}

@_cdecl("fencepost_fleet_list_devices") @implementation
public func fencepost_fleet_list_devices(
  _ fleet: OpaquePointer?, _ out_devices: UnsafeMutablePointer<fencepost_device>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    _ = try Boundary.require(out_devices, count: capacity, "out_devices")
    let count = try Boundary.require(out_count, "out_count")
    let numbers = try handle.read { engine in engine.deviceNumbers }
    try OutputBuffer.write(numbers, to: out_devices, capacity: capacity, count: count)
  }
}

@_cdecl("fencepost_fleet_device_positions") @implementation
public func fencepost_fleet_device_positions(
  _ fleet: OpaquePointer?, _ devices: UnsafePointer<fencepost_device>?, _ count: Int,
  _ out_latitudes: UnsafeMutablePointer<Double>?, _ out_longitudes: UnsafeMutablePointer<Double>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    guard let devices = try Boundary.require(devices, count: count, "devices"),
      let latitudes = try Boundary.require(out_latitudes, count: count, "out_latitudes"),
      let longitudes = try Boundary.require(out_longitudes, count: count, "out_longitudes")
    else { return }
    try handle.read { engine throws(MonitorError) in
      for index in 0..<count where !engine.hasDevice(devices[index]) {
        throw .noSuchDevice("element \(index): no device has the number \(devices[index])", position: index)
      }
      for index in 0..<count {
        let place = try engine.position(of: devices[index])
        latitudes[index] = place?.latitude ?? .nan
        longitudes[index] = place?.longitude ?? .nan
      }
    }
  }
}

@_cdecl("fencepost_fleet_remove_devices") @implementation
public func fencepost_fleet_remove_devices(
  _ fleet: OpaquePointer?, _ devices: UnsafePointer<fencepost_device>?, _ count: Int, _ drop_events: UInt32,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    guard let devices = try Boundary.require(devices, count: count, "devices"), count > 0 else { return }
    try handle.call { engine throws(MonitorError) in
      try engine.remove(UnsafeBufferPointer(start: devices, count: count), droppingEvents: drop_events != 0)
    }
  }
}

/// Removes the silent devices, provided that their numbers fit into the caller's memory.
@_cdecl("fencepost_fleet_expire_devices") @implementation
public func fencepost_fleet_expire_devices(
  _ fleet: OpaquePointer?, _ expiry: fencepost_expiry, _ before_us: Int64,
  _ out_devices: UnsafeMutablePointer<fencepost_device>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    _ = try Boundary.require(out_devices, count: capacity, "out_devices")
    let count = try Boundary.require(out_count, "out_count")
    guard expiry == FENCEPOST_EXPIRY_INPUT || expiry == FENCEPOST_EXPIRY_ARRIVAL else {
      throw .invalidArgument("expiry is \(expiry); must be 0 (input) or 1 (arrival)")
    }
    let byArrival = expiry == FENCEPOST_EXPIRY_ARRIVAL
    let before = try Boundary.time(before_us, "before_us")
    let found = try handle.withStored { stored throws(MonitorError) in
      let found = try stored.read { engine throws(MonitorError) in
        try byArrival ? engine.devices(arrivedBefore: before) : engine.devices(quietSince: before)
      }
      if !found.isEmpty, found.count <= capacity {
        try stored.call { engine throws(MonitorError) in
          _ = try byArrival ? engine.expire(arrivedBefore: before) : engine.expire(before: before)
        }
      }
      return found
    }
    try OutputBuffer.write(found, to: out_devices, capacity: capacity, count: count)
  }
}
