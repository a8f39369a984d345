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

  /// The device's number of a row, which must exist.
  @inline(__always)
  func device(_ row: Int) -> UInt32 { devices.value(row, as: UInt32.self) }
}
