public import CFencepost
import Fencepost

/// Implements `fencepost_monitor_snapshot`; see the header.
@_cdecl("fencepost_monitor_snapshot") @implementation
public func fencepost_monitor_snapshot(
  _ monitor: OpaquePointer?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let start = try Boundary.require(buffer, count: capacity, "buffer")
    guard capacity > 0, let start else {
      out_size?.pointee = try handle.call { engine in engine.snapshotSize }
      return
    }
    let needed = try handle.call { engine in
      engine.withSnapshot { snapshot in
        out_size?.pointee = snapshot.count
        if capacity >= snapshot.count {
          UnsafeMutableRawBufferPointer(start: start, count: capacity).copyMemory(from: snapshot)
        }
        return snapshot.count
      }
    }
    guard capacity >= needed else { throw .bufferTooSmall(needed: needed) }
  }
}

/// Implements `fencepost_monitor_restore`; see the header.
@_cdecl("fencepost_monitor_restore") @implementation
public func fencepost_monitor_restore(
  _ snapshot: UnsafeRawPointer?, _ size: Int, _ out_monitor: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(snapshot, count: size, "snapshot")
    let out = try Boundary.require(out_monitor, "out_monitor")
    let engine = try refusedByEngine { () throws(MonitorError) in
      try MonitorEngine(restoring: UnsafeRawBufferPointer(start: start, count: size))
    }
    out.pointee = Handle.give(StoredEngine(engine))
  }
}
