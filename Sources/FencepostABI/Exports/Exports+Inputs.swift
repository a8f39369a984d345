public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_feed_fix") @implementation
public func fencepost_monitor_feed_fix(
  _ monitor: OpaquePointer?, _ fix: UnsafePointer<fencepost_fix>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let fix = try Boundary.require(fix, "fix").pointee
    try handle.withStored { stored throws(MonitorError) in
      try stored.feed(Fix(fix))
    }
  }
}

@_cdecl("fencepost_monitor_feed_fixes") @implementation
public func fencepost_monitor_feed_fixes(
  _ monitor: OpaquePointer?, _ fixes: UnsafePointer<fencepost_fix>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_feed_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let start = try Boundary.require(fixes, count: count, "fixes")
    try counting(out_result) { result throws(BoundaryError) in
      guard count > 0 else { return }
      try start.withRows(count) { rows throws(BoundaryError) in
        try handle.withStored { stored throws(MonitorError) in try stored.feed(rows.span, result: &result) }
      }
    }
  }
}

@_cdecl("fencepost_monitor_feed_sightings") @implementation
public func fencepost_monitor_feed_sightings(
  _ monitor: OpaquePointer?, _ sightings: UnsafePointer<fencepost_beacon_sighting>?, _ count: Int,
  _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let report = SightingRows(try Boundary.require(sightings, count: count, "sightings"), count)
    try handle.call { engine throws(MonitorError) in
      try engine.feed(report.rows, at: Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_monitor_set_beacon_scanning") @implementation
public func fencepost_monitor_set_beacon_scanning(
  _ monitor: OpaquePointer?, _ scanning: UInt32, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).call { engine throws(MonitorError) in
      try engine.setScanning(scanning != 0, at: Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_monitor_set_host_capabilities") @implementation
public func fencepost_monitor_set_host_capabilities(
  _ monitor: OpaquePointer?, _ diagnostics: UInt32, _ unsupported_kinds: UInt32, _ time_us: Int64,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let kinds = try kinds(unsupported_kinds)
    try handle.call { engine throws(MonitorError) in
      try engine.setHostCapabilities(
        Diagnostics(rawValue: diagnostics), unsupported: kinds, at: Timestamp(microseconds: time_us))
    }
  }
}

/// Returns the kinds of a bit set.
func kinds(_ unsupported_kinds: UInt32) throws(BoundaryError) -> Set<ConditionKind> {
  guard unsupported_kinds & ~ConditionKind.allBits == 0 else {
    let bits = ConditionKind.allCases.filter { !$0.isRule }.map { "\($0.bit)" }
    throw .invalidArgument(
      "unsupported_kinds is \(unsupported_kinds); must be a combination of the bits "
        + "\(bits.dropLast().joined(separator: ", ")) and \(bits[bits.count - 1])")
  }
  return Set(ConditionKind.allCases.filter { unsupported_kinds & $0.bit != 0 })
}

@_cdecl("fencepost_monitor_rewind") @implementation
public func fencepost_monitor_rewind(
  _ monitor: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).call { engine throws(MonitorError) in
      try engine.rewind(to: Timestamp(microseconds: time_us))
    }
  }
}

@_cdecl("fencepost_monitor_advance") @implementation
public func fencepost_monitor_advance(
  _ monitor: OpaquePointer?, _ time_us: Int64, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try MonitorHandle.borrow(monitor).call { engine throws(MonitorError) in
      try engine.advance(to: Timestamp(microseconds: time_us))
    }
  }
}
