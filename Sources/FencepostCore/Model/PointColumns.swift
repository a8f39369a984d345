/// Points as columns in the caller's memory. The memory is read only during the call that gets the columns; nothing is
/// copied.
public struct PointColumns {
  public typealias Column = FixColumns.Column

  /// The number of rows.
  public let count: Int
  private let latitudes: Column
  private let longitudes: Column
  /// The heights of the points; `nil` without heights.
  let heights: HeightColumns?
  private let times: Column?

  /// Creates columns of `count` rows; the values are in degrees (`Double`).
  ///
  /// - Parameters:
  ///   - heights: The heights of the points, which only the question which conditions contain them uses.
  ///   - times: The times of the points in microseconds (`Int64`), which only the same question uses: a condition that
  ///     is inactive at the time of a point does not contain it. `Int64.min` stands for a missing time.
  public init(
    count: Int, latitudes: Column, longitudes: Column, heights: HeightColumns? = nil, times: Column? = nil
  ) {
    self.count = count
    self.latitudes = latitudes
    self.longitudes = longitudes
    self.heights = heights
    self.times = times
  }

  /// Whether the points have heights or times.
  @inline(__always)
  var isQualified: Bool { heights != nil || times != nil }

  /// The time of a row in microseconds; `Int64.min` without one.
  func time(_ row: Int) -> Int64 { times?.value(row, as: Int64.self) ?? .min }

  @inline(__always)
  subscript(unchecked row: Int) -> Coordinate {
    Coordinate(
      latitude: latitudes.value(row, as: Double.self), longitude: longitudes.value(row, as: Double.self))
  }

  /// The point of a row.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` with the row, if its values are not a valid point.
  @inline(__always)
  package func point(_ row: Int) throws(MonitorError) -> Coordinate {
    let point = self[unchecked: row]
    if point.isValid { return point }
    throw Self.refused(point, row)
  }

  /// Throws if any row is not a valid point.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first such row.
  package func checkRows() throws(MonitorError) {
    for row in 0..<count { _ = try point(row) }
  }

  /// Throws if any row has a time that is not valid.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first such row.
  @inline(never)
  func checkTimes() throws(MonitorError) {
    guard times != nil else { return }
    for row in 0..<count {
      let time = time(row)
      if time != .min, let defect = Timestamp(microseconds: time).defect {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
    }
  }

  @inline(never)
  static func refused(_ point: Coordinate, _ row: Int) -> MonitorError {
    .invalidArgument("row \(row): \(point.defect ?? "")", position: row)
  }
}
