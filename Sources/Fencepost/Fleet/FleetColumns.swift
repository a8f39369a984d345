/// Fixes of many devices that can be read one by one.
protocol FleetFixRows {
  var count: Int { get }
  /// The device's number of a row, which must exist.
  func device(_ row: Int) -> UInt32
  /// The fix of a row, which must exist.
  func fix(_ row: Int) -> Fix
}

/// Fixes of many devices one after the other.
struct FleetRows: FleetFixRows {
  let rows: [(device: UInt32, fix: Fix)]

  var count: Int { rows.count }

  @inline(__always)
  func device(_ row: Int) -> UInt32 { rows[row].device }

  @inline(__always)
  func fix(_ row: Int) -> Fix { rows[row].fix }
}

/// Fixes of many devices as columns in memory of the caller. See ``FixColumns``.
///
/// The memory is read during the call that it is given to; nothing is copied.
public struct FleetColumns {
  let devices: FixColumns.Column
  let fixes: FixColumns

  /// - Parameters:
  ///   - devices: The device's number of each row (`UInt32`).
  ///   - fixes: The fixes of the rows; how many there are.
  public init(devices: FixColumns.Column, fixes: FixColumns) {
    self.devices = devices
    self.fixes = fixes
  }

}

extension FleetColumns: FleetFixRows {
  var count: Int { fixes.count }

  @inline(__always)
  func device(_ row: Int) -> UInt32 { devices.value(row, as: UInt32.self) }

  @inline(__always)
  func fix(_ row: Int) -> Fix { fixes[unchecked: row] }
}
