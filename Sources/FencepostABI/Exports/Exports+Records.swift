public import CFencepost
import Fencepost

/// Implements `fencepost_monitor_condition`; see the header.
@_cdecl("fencepost_monitor_condition") @implementation
public func fencepost_monitor_condition(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_condition: UnsafeMutablePointer<fencepost_condition>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let handle = try Handle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_condition, "out_condition")
    try handle.call { engine throws(MonitorError) in
      engine.store(conditionOf: try engine.slot(ofIdentifierBytes: bytes), to: out)
    }
  }
}

/// Implements `fencepost_monitor_record`; see the header.
@_cdecl("fencepost_monitor_record") @implementation
public func fencepost_monitor_record(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_record: UnsafeMutablePointer<fencepost_record>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let handle = try Handle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_record, "out_record")
    try handle.call { engine throws(MonitorError) in
      engine.store(recordOf: try engine.slot(ofIdentifierBytes: bytes), to: out)
    }
  }
}

/// Implements `fencepost_monitor_next_record`; see the header.
@_cdecl("fencepost_monitor_next_record") @implementation
public func fencepost_monitor_next_record(
  _ monitor: OpaquePointer?, _ after: UInt64, _ out_record: UnsafeMutablePointer<fencepost_record>?,
  _ out_available: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let handle = try Handle.borrow(monitor)
    let out = try Boundary.require(out_record, "out_record")
    let available = try Boundary.require(out_available, "out_available")
    try handle.call { engine in
      guard let slot = engine.slot(after: after) else {
        available.pointee = 0
        return
      }
      engine.store(recordOf: slot, to: out)
      available.pointee = 1
    }
  }
}

/// Implements `fencepost_monitor_identifiers`; see the header.
@_cdecl("fencepost_monitor_identifiers") @implementation
public func fencepost_monitor_identifiers(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ out_count: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let handle = try Handle.borrow(monitor)
    let size = try Boundary.require(out_size, "out_size")
    let (bytes, count) = try handle.call { engine in
      var bytes: ContiguousArray<UInt8> = []
      var after: UInt64 = 0
      while let slot = engine.slot(after: after) {
        engine.withIdentifierBytes(of: slot) { bytes.append(contentsOf: $0) }
        bytes.append(0)
        after = engine.generation(of: slot)
      }
      return (bytes, engine.conditionCount)
    }
    try OutputBuffer.write(bytes, terminator: false, to: buffer, capacity: capacity, size: size)
    out_count?.pointee = count
  }
}
