public import CFencepost
import Fencepost

/// Implements `fencepost_monitor_snapshot`; see the header.
@_cdecl("fencepost_monitor_snapshot") @implementation
public func fencepost_monitor_snapshot(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let handle = try Handle.borrow(monitor)
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    guard capacity > 0, let start else {
      out_size?.pointee = try handle.call { engine in engine.snapshotSize }
      return
    }
    try handle.call { engine throws(MonitorError) in
      try engine.withSnapshot { snapshot throws(MonitorError) in
        out_size?.pointee = snapshot.count
        guard capacity >= snapshot.count else { throw .bufferTooSmall(needed: snapshot.count) }
        UnsafeMutableRawBufferPointer(start: start, count: capacity).copyMemory(from: snapshot)
      }
    }
  }
}

/// Implements `fencepost_monitor_restore`; see the header.
@_cdecl("fencepost_monitor_restore") @implementation
public func fencepost_monitor_restore(
  _ snapshot: UnsafeRawPointer?, _ size: Int, _ out_monitor: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(MonitorError) in
    let start = try Boundary.require(snapshot, count: size, "snapshot")
    let out = try Boundary.require(out_monitor, "out_monitor")
    let engine = try MonitorEngine(restoring: UnsafeRawBufferPointer(start: start, count: size))
    out.pointee = Handle.give(StoredEngine(engine))
  }
}
