/// Fixes of many devices as columns in the caller's memory. The devices are a dictionary column: each row has an index
/// into a table of device numbers.
///
/// The type is not generic over the width of an index. The code that feeds the columns is compiled separately, so
/// generic code would look up for each row how to read the index.
package struct FleetDictionaryColumns: FleetFixRows {
  /// The width of an index, in bytes. Indices are unsigned.
  package enum Width: Sendable {
    case one, two, four, eight
  }

  private let indices: FixColumns.Column
  private let width: Width
  private let numbers: UnsafeBufferPointer<UInt64>
  private let fixes: FixColumns
  let firstRow: Int
  private let skipsUnknown: Bool

  /// - Parameters:
  ///   - indices: The index of each row.
  ///   - width: The width of an index.
  ///   - numbers: The numbers of the devices, by index.
  ///   - fixes: The fixes of the rows; they determine the number of rows.
  ///   - firstRow: The row number that events of the first row have, for a table that is fed in parts.
  ///   - skipsUnknown: Whether rows whose index leads to the number 0, which no device has, are skipped and not
  ///     counted; otherwise they are refused.
  package init(
    indices: FixColumns.Column, width: Width, numbers: UnsafeBufferPointer<UInt64>, fixes: FixColumns,
    firstRow: Int = 0, skipsUnknown: Bool = false
  ) {
    self.indices = indices
    self.width = width
    self.numbers = numbers
    self.fixes = fixes
    self.firstRow = firstRow
    self.skipsUnknown = skipsUnknown
  }

  var count: Int { fixes.count }

  /// Returns the number of the device of a row; 0, which no device has, if the index is beyond the table.
  @inline(__always)
  func device(_ row: Int) -> UInt64 {
    let index = index(row)
    return index < UInt64(numbers.count) ? numbers[Int(truncatingIfNeeded: index)] : 0
  }

  @inline(__always)
  private func index(_ row: Int) -> UInt64 {
    switch width {
    case .four: UInt64(indices.value(row, as: UInt32.self))
    case .eight: indices.value(row, as: UInt64.self)
    case .two: UInt64(indices.value(row, as: UInt16.self))
    case .one: UInt64(indices.value(row, as: UInt8.self))
    }
  }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { fixes[unchecked: row] }

  var ellipses: EllipseColumns? { fixes.ellipses }

  var heights: HeightColumns? { fixes.heights }

  var isOne: Bool { fixes.isOne }

  /// Whether a row is skipped. A row whose index is beyond the table is never skipped, so that it is refused.
  func isSkipped(_ row: Int) -> Bool {
    let index = index(row)
    return skipsUnknown && index < UInt64(numbers.count) && numbers[Int(truncatingIfNeeded: index)] == 0
  }

  /// Returns the reason why a row has no device, if its index is beyond the table.
  fileprivate func defect(_ row: Int) -> String? {
    let index = index(row)
    guard index >= UInt64(numbers.count) else { return nil }
    return numbers.isEmpty
      ? "the device's index is \(index), but the dictionary is empty"
      : "the device's index is \(index); must be from 0 to \(numbers.count - 1)"
  }
}

extension FleetEngine {
  /// Feeds many fixes of many devices in order. See ``feed(_:result:)-(FleetColumns,_)``.
  package mutating func feed(
    _ columns: FleetDictionaryColumns, result: inout FeedResult
  ) throws(MonitorError) {
    do throws(MonitorError) {
      try feed(rows: columns, &result)
    } catch {
      if case .noSuchDevice(_, let row) = error, let defect = columns.defect(row) {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
      throw error
    }
  }
}
