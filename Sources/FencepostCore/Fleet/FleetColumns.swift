/// Fixes of many devices that can be read one by one.
protocol FleetFixRows: FixRows {
  /// Returns the number of the device of a row. The row must exist.
  func device(_ row: Int) -> UInt64
  /// The row number that events of the first row have.
  var firstRow: Int { get }
  /// Whether a row is skipped.
  func isSkipped(_ row: Int) -> Bool
}

extension FleetFixRows {
  var firstRow: Int { 0 }

  func isSkipped(_ row: Int) -> Bool { false }
}

/// An array of fixes of many devices.
struct FleetRows: FleetFixRows {
  let rows: [(device: UInt64, fix: Fix)]

  var count: Int { rows.count }

  @inline(__always)
  func device(_ row: Int) -> UInt64 { rows[row].device }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { rows[row].fix }
}

/// Fixes of many devices as columns in the caller's memory. See ``FixColumns``.
///
/// The memory is read only during the call that gets the columns; nothing is copied.
public struct FleetColumns {
  let devices: FixColumns.Column
  let fixes: FixColumns
  let firstRow: Int
  let skipsUnknown: Bool

  /// - Parameters:
  ///   - devices: The number of the device of each row (`UInt64`).
  ///   - fixes: The fixes of the rows; they determine the number of rows.
  ///   - firstRow: The row number that events of the first row have, for a table that is fed in parts.
  ///   - skipsUnknown: Whether rows with the number 0, which no device has, are skipped and not counted; otherwise they
  ///     are refused.
  public init(devices: FixColumns.Column, fixes: FixColumns, firstRow: Int = 0, skipsUnknown: Bool = false) {
    self.devices = devices
    self.fixes = fixes
    self.firstRow = firstRow
    self.skipsUnknown = skipsUnknown
  }
}

extension FleetColumns: FleetFixRows {
  var count: Int { fixes.count }

  @inline(__always)
  func device(_ row: Int) -> UInt64 { devices.value(row, as: UInt64.self) }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { fixes[unchecked: row] }

  var ellipses: EllipseColumns? { fixes.ellipses }

  var heights: HeightColumns? { fixes.heights }

  var isOne: Bool { fixes.isOne }

  func isSkipped(_ row: Int) -> Bool { skipsUnknown && device(row) == 0 }
}
