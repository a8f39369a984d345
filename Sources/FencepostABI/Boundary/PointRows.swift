import CFencepost
import FencepostCore

/// Makes point columns from a caller's C structure. The coordinates are not checked here.
extension PointColumns {
  init(
    _ columns: UnsafePointer<fencepost_point_columns>?, count: Int
  ) throws(BoundaryError) {
    let defaults = fencepost_point_columns(
      struct_size: 0, reserved: 0, latitudes: nil, longitudes: nil, latitude_stride: 8, longitude_stride: 8,
      altitudes_m: nil, geoid_heights_m: nil, ground_heights_m: nil, altitude_stride: 8, geoid_height_stride: 8,
      ground_height_stride: 8, times_us: nil, time_stride: 8)
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
        stride: Int(truncatingIfNeeded: value.longitude_stride)),
      heights: HeightColumns(
        altitudes: Column(value.altitudes_m, stride: value.altitude_stride), verticalAccuracies: nil,
        geoidHeights: Column(value.geoid_heights_m, stride: value.geoid_height_stride),
        groundHeights: Column(value.ground_heights_m, stride: value.ground_height_stride)),
      times: value.times_us.map { Column(start: $0, stride: Int(truncatingIfNeeded: value.time_stride)) })
  }
}

/// Makes columns of measured positions from a caller's C structure. The values are not checked here.
extension MeasuredColumns {
  init(_ columns: UnsafePointer<fencepost_measured_columns>?, count: Int) throws(BoundaryError) {
    let defaults = fencepost_measured_columns(
      struct_size: 0, reserved: 0, latitudes: nil, longitudes: nil, accuracies_m: nil, majors_m: nil, minors_m: nil,
      orientations: nil, latitude_stride: 8, longitude_stride: 8, accuracy_stride: 8, major_stride: 8, minor_stride: 8,
      orientation_stride: 8)
    let value = try SizedStruct.read(Boundary.require(columns, "columns"), defaults: defaults, "columns")
    guard value.reserved == 0 else { throw .unsupported("columns.reserved must be zero") }
    func column(_ start: UnsafePointer<Double>?, _ stride: Int64) -> Column? { Column(start, stride: stride) }
    let latitudes = column(try Boundary.require(value.latitudes, count: count, "latitudes"), value.latitude_stride)
    let longitudes = column(try Boundary.require(value.longitudes, count: count, "longitudes"), value.longitude_stride)
    // Columns without rows are not read.
    let anywhere = Column(start: UnsafeRawPointer(columns.unsafelyUnwrapped), stride: 0)
    let points = PointColumns(count: count, latitudes: latitudes ?? anywhere, longitudes: longitudes ?? anywhere)
    let accuracies = column(value.accuracies_m, value.accuracy_stride)
    let ellipses = try EllipseColumns(
      column(value.majors_m, value.major_stride), column(value.minors_m, value.minor_stride),
      column(value.orientations, value.orientation_stride))
    self.init(points: points, accuracies: accuracies, ellipses: ellipses)
  }
}

extension FixColumns.Column {
  init?(_ start: UnsafePointer<Double>?, stride: Int64) {
    guard let start else { return nil }
    self.init(start: UnsafeRawPointer(start), stride: Int(truncatingIfNeeded: stride))
  }
}

extension EllipseColumns {
  /// Makes columns of error ellipses; `nil` without columns.
  init?(
    _ majors: FixColumns.Column?, _ minors: FixColumns.Column?, _ orientations: FixColumns.Column?
  ) throws(BoundaryError) {
    guard let majors, let minors, let orientations else {
      guard majors == nil, minors == nil, orientations == nil else {
        throw .invalidArgument("majors_m, minors_m and orientations must all be NULL or all be columns")
      }
      return nil
    }
    self.init(majors: majors, minors: minors, orientations: orientations)
  }
}
