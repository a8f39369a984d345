public import CFencepost
import FencepostCore

@_cdecl("fencepost_significant_change_accept") @implementation
public func fencepost_significant_change_accept(
  _ filter: UnsafeMutablePointer<fencepost_significant_change_filter>?, _ fix: UnsafePointer<fencepost_fix>?,
  _ out_accepted: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let filter = try Boundary.require(filter, "filter")
    let fix = try Boundary.require(fix, "fix")
    let accepted = try Boundary.require(out_accepted, "out_accepted")
    let defaults = fencepost_significant_change_filter(
      struct_size: 0, has_last: 0, minimum_distance_m: 500, minimum_interval_us: 300_000_000, last: fencepost_fix())
    var value = try SizedStruct.read(UnsafePointer(filter), defaults: defaults, "filter")
    // A structure that is too small to contain the last fix would make the filter accept every fix.
    guard filter.pointee.struct_size >= UInt32(MemoryLayout<fencepost_significant_change_filter>.size) else {
      throw .invalidArgument(
        "struct_size of filter is \(filter.pointee.struct_size); initialise it with its INIT macro")
    }
    var inner = try refusedByEngine { () throws(MonitorError) in
      try SignificantChangeFilter(
        minimumDistance: value.minimum_distance_m, minimumIntervalMicroseconds: value.minimum_interval_us,
        last: value.has_last == 0 ? nil : Fix(value.last))
    }
    let isAccepted = inner.accepts(Fix(fix.pointee))
    if isAccepted {
      value.has_last = 1
      value.last = fix.pointee
      try SizedStruct.write(value, to: filter, "filter")
    }
    accepted.pointee = isAccepted ? 1 : 0
  }
}

@_cdecl("fencepost_best_fix") @implementation
public func fencepost_best_fix(
  _ fixes: UnsafePointer<fencepost_fix>?, _ count: Int, _ now_us: Int64,
  _ selection: UnsafePointer<fencepost_fix_selection>?, _ out_index: UnsafeMutablePointer<Int>?,
  _ out_available: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let start = try Boundary.require(fixes, count: count, "fixes")
    let index = try Boundary.require(out_index, "out_index")
    let available = try Boundary.require(out_available, "out_available")
    var settings = FixSelection()
    if let selection {
      let defaults = fencepost_fix_selection(
        struct_size: 0, reserved: 0, speed_m_per_s: settings.speed, maximum_age_us: settings.maximumAgeMicroseconds)
      let value = try SizedStruct.read(selection, defaults: defaults, "selection")
      guard value.reserved == 0 else { throw .unsupported("selection.reserved must be zero") }
      settings = FixSelection(speed: value.speed_m_per_s, maximumAgeMicroseconds: value.maximum_age_us)
    }
    let now = Timestamp(microseconds: now_us)
    let best = try start.withRows(count) { rows throws(BoundaryError) in
      try refusedByEngine { () throws(MonitorError) in try settings.bestFix(among: rows.span, now: now) }
    }
    guard let best else {
      available.pointee = 0
      return
    }
    index.pointee = best
    available.pointee = 1
  }
}
