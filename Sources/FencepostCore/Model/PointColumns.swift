/// Points as columns in the caller's memory. The memory is read only during the call that gets the columns; nothing is
/// copied.
public struct PointColumns {
  public typealias Column = FixColumns.Column

  /// The number of rows.
  public let count: Int
  private let latitudes: Column
  private let longitudes: Column

  /// Creates columns of `count` rows; the values are in degrees (`Double`).
  public init(count: Int, latitudes: Column, longitudes: Column) {
    self.count = count
    self.latitudes = latitudes
    self.longitudes = longitudes
  }

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

  @inline(never)
  static func refused(_ point: Coordinate, _ row: Int) -> MonitorError {
    .invalidArgument("row \(row): \(point.defect ?? "")", position: row)
  }
}
