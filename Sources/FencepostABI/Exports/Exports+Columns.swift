public import CFencepost
import Fencepost

/// Implements `fencepost_monitor_feed_columns`; see the header.
@_cdecl("fencepost_monitor_feed_columns") @implementation
public func fencepost_monitor_feed_columns(
  _ monitor: OpaquePointer?, _ columns: UnsafePointer<fencepost_fix_columns>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_feed_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let defaults = fencepost_fix_columns(
      struct_size: 0, refuse_invalid: 0, latitudes: nil, longitudes: nil, accuracies_m: nil, times_us: nil,
      latitude_stride: 8, longitude_stride: 8, accuracy_stride: 8, time_stride: 8)
    let value = try SizedStruct.read(Boundary.require(columns, "columns"), defaults: defaults, "columns")
    guard value.refuse_invalid <= 1 else {
      throw .invalidArgument("refuse_invalid is \(value.refuse_invalid); accepted are 0 and 1")
    }
    let latitudes = try Boundary.require(value.latitudes, count: count, "latitudes")
    let longitudes = try Boundary.require(value.longitudes, count: count, "longitudes")
    let times = try Boundary.require(value.times_us, count: count, "times_us")
    var rows: FixColumns?
    if count > 0, let latitudes, let longitudes, let times {
      let columns = FixColumns(
        count: count, latitudes: column(latitudes, value.latitude_stride),
        longitudes: column(longitudes, value.longitude_stride),
        accuracies: value.accuracies_m.map { column($0, value.accuracy_stride) },
        times: column(times, value.time_stride))
      if value.refuse_invalid == 1 { try refusedByEngine { () throws(MonitorError) in try columns.checkRows() } }
      rows = columns
    }
    var result = FeedResult()
    defer { out_result?.pointee = fencepost_feed_result(result) }
    guard let rows else { return }
    try handle.withStored { stored throws(MonitorError) in try stored.feed(rows, result: &result) }
  }
}

private func column(_ start: UnsafeRawPointer, _ stride: Int64) -> FixColumns.Column {
  FixColumns.Column(start: start, stride: Int(stride))
}
