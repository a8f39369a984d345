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
      let confidence = engine.options.accuracyConfidence
      return engine.poll(limit: 1) { entry, table in
        table.store(entry, to: out, position: entry.sequence, confidence: confidence)
      }
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
      guard var next = out, capacity > 0 else { return engine.waitingEvents }
      let confidence = engine.options.accuracyConfidence
      return engine.poll(limit: capacity) { entry, table in
        table.store(entry, to: next, position: entry.sequence, confidence: confidence)
        next += 1
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
  _ event: UnsafePointer<fencepost_event>?, _ device: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<CChar>?,
  _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let event = try Event(Boundary.require(event, "event"))
    var json = event.json
    if let device {
      json =
        FleetEvent(
          event: event, device: 0, deviceIdentifier: try Boundary.text(device, "device"), position: 0, row: 0
        ).json
    }
    try OutputBuffer.write(json.utf8, terminator: true, to: buffer, capacity: capacity, size: out_size)
  }
}
