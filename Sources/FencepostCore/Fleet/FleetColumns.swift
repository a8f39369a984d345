/// Fixes of many devices that can be read one by one.
protocol FleetFixRows: FixRows {
  /// The device's number of a row, which must exist.
  func device(_ row: Int) -> UInt32
  /// The row that events of the first one say.
  var firstRow: Int { get }
  /// Whether a row is passed over.
  func isSkipped(_ row: Int) -> Bool
}

extension FleetFixRows {
  var firstRow: Int { 0 }

  func isSkipped(_ row: Int) -> Bool { false }
}

/// Fixes of many devices one after the other.
struct FleetRows: FleetFixRows {
  let rows: [(device: UInt32, fix: Fix)]

  var count: Int { rows.count }

  @inline(__always)
  func device(_ row: Int) -> UInt32 { rows[row].device }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { rows[row].fix }
}

/// Fixes of many devices as columns in memory of the caller. See ``FixColumns``.
///
/// The memory is read during the call that it is given to; nothing is copied.
public struct FleetColumns {
  let devices: FixColumns.Column
  let fixes: FixColumns
  let firstRow: Int
  let skipsUnknown: Bool

  /// - Parameters:
  ///   - devices: The device's number of each row (`UInt32`).
  ///   - fixes: The fixes of the rows; how many there are.
  ///   - firstRow: The row that events of the first one say, of a table that is fed in parts.
  ///   - skipsUnknown: Whether rows of the largest number, which no device has, are passed over and not counted; else they
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
  func device(_ row: Int) -> UInt32 { devices.value(row, as: UInt32.self) }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { fixes[unchecked: row] }

  func isSkipped(_ row: Int) -> Bool { skipsUnknown && device(row) == .max }
}
