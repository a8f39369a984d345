public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_poll_event") @implementation
public func fencepost_monitor_poll_event(
  _ monitor: OpaquePointer?, _ out_event: UnsafeMutablePointer<fencepost_event>?,
  _ out_available: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_event, "out_event")
    let available = try Boundary.require(out_available, "out_available")
    let count = try handle.call { engine in
      engine.poll(limit: 1) { entry, table in table.store(entry, to: out) }
    }
    available.pointee = UInt32(count)
  }
}

@_cdecl("fencepost_monitor_poll_events") @implementation
public func fencepost_monitor_poll_events(
  _ monitor: OpaquePointer?, _ out_events: UnsafeMutablePointer<fencepost_event>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let out = try Boundary.require(out_events, count: capacity, "out_events")
    let count = try Boundary.require(out_count, "out_count")
    count.pointee = try handle.call { engine in
      var next = out
      return engine.poll(limit: capacity) { entry, table in
        if let event = next {
          table.store(entry, to: event)
          next = event + 1
        }
      }
    }
  }
}

@_cdecl("fencepost_monitor_acknowledge") @implementation
public func fencepost_monitor_acknowledge(
  _ monitor: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).call { engine in engine.acknowledge() }
  }
}

@_cdecl("fencepost_event_json") @implementation
public func fencepost_event_json(
  _ event: UnsafePointer<fencepost_event>?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let event = try Event(Boundary.require(event, "event"))
    try OutputBuffer.write(event.json.utf8, terminator: true, to: buffer, capacity: capacity, size: out_size)
  }
}

@_cdecl("fencepost_event_evidence") @implementation
public func fencepost_event_evidence(_ event: UnsafePointer<fencepost_event>?) -> UInt32 {
  guard let event, event.pointee.has_refinement == 0 else { return 0 }
  return UInt32(event.pointee.refinement_minor)
}
