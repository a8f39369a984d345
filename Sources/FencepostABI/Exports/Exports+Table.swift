public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_create") @implementation
public func fencepost_conditions_create(
  _ out_conditions: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let out = try Boundary.require(out_conditions, "out_conditions")
    out.pointee = ConditionsHandle.shared(Conditions()).give()
  }
}

@_cdecl("fencepost_conditions_destroy") @implementation
public func fencepost_conditions_destroy(_ conditions: OpaquePointer?) {
  if let conditions { ConditionsHandle.release(conditions) }
}

@_cdecl("fencepost_monitor_conditions") @implementation
public func fencepost_monitor_conditions(
  _ monitor: OpaquePointer?, _ out_conditions: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(of: monitor)
    try Boundary.require(out_conditions, "out_conditions").pointee = handle.give()
  }
}

@_cdecl("fencepost_conditions_version") @implementation
public func fencepost_conditions_version(
  _ conditions: OpaquePointer?, _ out_version: UnsafeMutablePointer<fencepost_table_version>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    let out = try Boundary.require(out_version, "out_version")
    try SizedStruct.check(out, "out_version")
    let version = try handle.version
    var value = fencepost_table_version(
      struct_size: 0, reserved: 0, count: UInt64(clamping: version.count), generation: version.generation,
      digest: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    withUnsafeMutableBytes(of: &value.digest) { $0.copyBytes(from: version.digest.bytes) }
    try SizedStruct.write(value, to: out, "out_version")
  }
}

@_cdecl("fencepost_conditions_snapshot") @implementation
public func fencepost_conditions_snapshot(
  _ conditions: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try ConditionsHandle.borrow(conditions)
    _ = try handle.requireShared("save the conditions of a monitor with fencepost_monitor_snapshot()")
    try handle.snapshot(buffer, capacity, out_size)
  }
}

@_cdecl("fencepost_conditions_restore") @implementation
public func fencepost_conditions_restore(
  _ snapshot: UnsafeRawPointer?, _ size: Int, _ out_conditions: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(snapshot, count: size, "snapshot")
    let out = try Boundary.require(out_conditions, "out_conditions")
    out.pointee = ConditionsHandle.shared(
      try refusedByEngine { () throws(MonitorError) in
        try Conditions(restoring: UnsafeRawBufferPointer(start: start, count: size))
      }
    ).give()
  }
}

@_cdecl("fencepost_conditions_describe") @implementation
public func fencepost_conditions_describe(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_condition: UnsafeMutablePointer<fencepost_condition>?,
  _ out_policy: UnsafeMutablePointer<fencepost_transition_policy>?, _ out_shape: UnsafeMutablePointer<fencepost_shape>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).describe(identifier, out_condition, out_policy, out_shape)
  }
}

@_cdecl("fencepost_conditions_geometry") @implementation
public func fencepost_conditions_geometry(
  _ conditions: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_wkb: UnsafeMutableRawPointer?,
  _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).geometry(
      identifier, out_wkb, capacity, out_size)
  }
}

@_cdecl("fencepost_conditions_identifiers") @implementation
public func fencepost_conditions_identifiers(
  _ conditions: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ out_count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).identifiers(buffer, capacity, out_size, out_count)
  }
}
