public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_condition") @implementation
public func fencepost_monitor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_condition: UnsafeMutablePointer<fencepost_condition>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).condition(identifier, out_condition)
  }
}

@_cdecl("fencepost_monitor_record") @implementation
public func fencepost_monitor_record(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_record: UnsafeMutablePointer<fencepost_record>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_record, "out_record")
    try handle.call { engine throws(MonitorError) in
      engine.store(recordOf: try engine.table.slot(ofIdentifierBytes: bytes), to: out)
    }
  }
}

@_cdecl("fencepost_monitor_next_record") @implementation
public func fencepost_monitor_next_record(
  _ monitor: OpaquePointer?, _ after: UInt64, _ out_record: UnsafeMutablePointer<fencepost_record>?,
  _ out_available: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_record, "out_record")
    let available = try Boundary.require(out_available, "out_available")
    try handle.call { engine in
      guard let slot = engine.table.slot(after: after) else {
        available.pointee = 0
        return
      }
      engine.store(recordOf: slot, to: out)
      available.pointee = 1
    }
  }
}

@_cdecl("fencepost_monitor_identifiers") @implementation
public func fencepost_monitor_identifiers(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ out_count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).identifiers(buffer, capacity, out_size, out_count)
  }
}

@_cdecl("fencepost_monitor_identifiers_in_state") @implementation
public func fencepost_monitor_identifiers_in_state(
  _ monitor: OpaquePointer?, _ state: fencepost_state, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ out_count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    guard let asked = UInt8(exactly: state).flatMap(Event.State.init(rawValue:)), asked != .unmonitored else {
      throw .invalidArgument("state is \(state); must be 0 (unknown), 1 (satisfied) or 2 (unsatisfied)")
    }
    let size = try Boundary.require(out_size, "out_size")
    let list = try handle.call { engine in IdentifierList(engine.table) { engine.state(of: $0) == asked } }
    try list.write(to: buffer, capacity, size, out_count)
  }
}
