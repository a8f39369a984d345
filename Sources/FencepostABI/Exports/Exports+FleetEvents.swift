public import CFencepost
import FencepostCore

@_cdecl("fencepost_fleet_poll_events") @implementation
public func fencepost_fleet_poll_events(
  _ fleet: OpaquePointer?, _ out_events: UnsafeMutablePointer<fencepost_event>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_events, count: capacity, "out_events")
    let count = try Boundary.require(out_count, "out_count")
    count.pointee =
      if let out, capacity > 0 {
        try handle.poll(into: out, capacity: capacity)
      } else {
        try handle.read { engine in engine.waitingEvents }
      }
  }
}

extension Handle where Stored == StoredFleet {
  /// Commits the events that were delivered before, and writes up to `capacity` events.
  fileprivate func poll(
    into events: UnsafeMutablePointer<fencepost_event>, capacity: Int
  ) throws(BoundaryError) -> Int {
    try call { engine in
      var next = events
      return engine.poll(limit: capacity) { entry, fleet, table in
        table.store(
          entry.entry, to: next, position: entry.position, confidence: fleet.options.accuracyConfidence,
          device: fleet.deviceNumber(of: entry),
          row: UInt64(clamping: entry.row))
        next += 1
      }
    }
  }
}

@_cdecl("fencepost_fleet_acknowledge") @implementation
public func fencepost_fleet_acknowledge(
  _ fleet: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try FleetHandle.borrow(fleet).call { engine in engine.acknowledge() }
  }
}

@_cdecl("fencepost_fleet_abandon") @implementation
public func fencepost_fleet_abandon(
  _ fleet: OpaquePointer?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    if try handle.call({ engine in
      engine.abandon()
      return engine.hasEvents
    }) {
      handle.ring()
    }
  }
}

@_cdecl("fencepost_fleet_set_wakeup") @implementation
public func fencepost_fleet_set_wakeup(
  _ fleet: OpaquePointer?, _ wakeup: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    handle.setWakeup(wakeup, context)
    if wakeup != nil, try handle.read({ engine in engine.hasEvents }) { handle.ring() }
  }
}

@_cdecl("fencepost_fleet_state") @implementation
public func fencepost_fleet_state(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ identifier: UnsafePointer<CChar>?,
  _ out_state: UnsafeMutablePointer<fencepost_state>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_state, "out_state")
    out.pointee = try handle.read { engine throws(MonitorError) in
      fencepost_state(try engine.state(ofIdentifierBytes: bytes, for: device).rawValue)
    }
  }
}

@_cdecl("fencepost_fleet_list_conditions") @implementation
public func fencepost_fleet_list_conditions(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ state: fencepost_state, _ after: UInt64,
  _ out_conditions: UnsafeMutablePointer<fencepost_condition_state>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let output = try ConditionStates(state, out_conditions, capacity, out_count)
    output.count.pointee = try handle.read { engine throws(MonitorError) in
      var count = 0
      try engine.forEachCondition(in: output.wanted, after: after, of: device) { slot, state, since, evidence, table in
        output.write(slot, state, since: since, evidence: evidence, table, &count)
        return output.isOpen(count)
      }
      return count
    }
  }
}

@_cdecl("fencepost_fleet_list_devices_inside") @implementation
public func fencepost_fleet_list_devices_inside(
  _ fleet: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_presences: UnsafeMutablePointer<fencepost_device_presence>?, _ capacity: Int,
  _ out_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let out = try Boundary.require(out_presences, count: capacity, "out_presences")
    let count = try Boundary.require(out_count, "out_count")
    let bytes = identifier.map(Boundary.identifier)
    let needed = try handle.ask { engine throws(MonitorError) in
      var needed = 0
      func write(_ presence: DevicePresence) {
        if needed < capacity { out?[needed] = fencepost_device_presence(presence) }
        needed += 1
      }
      if let bytes {
        try engine.forEachDevice(insideOf: bytes, write)
      } else {
        engine.forEachDeviceInside(write)
      }
      return needed
    }
    count.pointee = needed
    guard capacity == 0 || needed <= capacity else { throw .bufferTooSmall(needed: needed, of: "elements") }
  }
}

extension fencepost_device_presence {
  fileprivate init(_ presence: DevicePresence) {
    self.init(
      generation: presence.generation, tag: presence.tag, since_us: presence.since.microseconds,
      evidence_date_us: presence.evidenceDate.microseconds, device: presence.device)
  }
}

@_cdecl("fencepost_fleet_explain") @implementation
public func fencepost_fleet_explain(
  _ fleet: OpaquePointer?, _ device: fencepost_device, _ identifier: UnsafePointer<CChar>?,
  _ out_explanation: UnsafeMutablePointer<fencepost_explanation>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try FleetHandle.borrow(fleet)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_explanation, "out_explanation")
    let room = try PartsRoom(out)
    let explanation = try handle.read { engine throws(MonitorError) in
      try engine.explain(identifierBytes: bytes, for: device)
    }
    var value = fencepost_explanation(explanation)
    room.store(explanation.parts, in: &value)
    try SizedStruct.write(value, to: out, "out_explanation")
  }
}
