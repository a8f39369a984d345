import CFencepost
import FencepostCore

/// Makes point columns from a caller's C structure. The coordinates are not checked here.
extension PointColumns {
  init(
    _ columns: UnsafePointer<fencepost_point_columns>?, count: Int
  ) throws(BoundaryError) {
    let defaults = fencepost_point_columns(
      struct_size: 0, reserved: 0, latitudes: nil, longitudes: nil, latitude_stride: 8, longitude_stride: 8)
    let value = try SizedStruct.read(Boundary.require(columns, "columns"), defaults: defaults, "columns")
    guard value.reserved == 0 else { throw .unsupported("columns.reserved must be zero") }
    let latitudes = try Boundary.require(value.latitudes, count: count, "latitudes")
    let longitudes = try Boundary.require(value.longitudes, count: count, "longitudes")
    // Columns without rows are not read.
    let anywhere = UnsafeRawPointer(columns.unsafelyUnwrapped)
    self.init(
      count: count,
      latitudes: Column(
        start: latitudes.map { UnsafeRawPointer($0) } ?? anywhere,
        stride: Int(truncatingIfNeeded: value.latitude_stride)),
      longitudes: Column(
        start: longitudes.map { UnsafeRawPointer($0) } ?? anywhere,
        stride: Int(truncatingIfNeeded: value.longitude_stride)))
  }
}
