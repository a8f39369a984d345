/// Fixes in memory of the caller that can be read one by one.
protocol FixRows {
  var count: Int { get }
  /// The fix of a row, which must exist.
  subscript(unchecked row: Int) -> Fix { get }
}

/// Fixes one after the other.
struct FixArray: FixRows {
  let fixes: UnsafeBufferPointer<Fix>

  var count: Int { fixes.count }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { fixes[row] }
}

/// Fixes as columns in memory of the caller: each member in an array of its own, or in every n-th place of a larger one.
///
/// The memory is read during the call that it is given to; nothing is copied.
public struct FixColumns {
  /// One column: where its first value lies, and how many bytes there are from one row to the next (0: all rows share
  /// the value). The values need not be aligned.
  public struct Column {
    let start: UnsafeRawPointer
    let stride: Int

    public init(start: UnsafeRawPointer, stride: Int) {
      self.start = start
      self.stride = stride
    }

    @inline(__always)
    func value<Value: BitwiseCopyable>(_ row: Int, as type: Value.Type) -> Value {
      start.loadUnaligned(fromByteOffset: row &* stride, as: type)
    }
  }

  /// Number of rows.
  public let count: Int
  let latitudes: Column
  let longitudes: Column
  /// `nil`: none is reported.
  let accuracies: Column?
  let times: Column

  /// Columns of `count` rows: degrees, degrees, metres (all `Double`), microseconds (`Int64`).
  public init(count: Int, latitudes: Column, longitudes: Column, accuracies: Column?, times: Column) {
    self.count = count
    self.latitudes = latitudes
    self.longitudes = longitudes
    self.accuracies = accuracies
    self.times = times
  }

  @inline(__always)
  private func fix(_ row: Int, accuracy: Double) -> Fix {
    Fix(
      latitude: latitudes.value(row, as: Double.self), longitude: longitudes.value(row, as: Double.self),
      accuracy: accuracy, time: Timestamp(microseconds: times.value(row, as: Int64.self)))
  }
}

extension FixColumns: FixRows {
  @inline(__always)
  subscript(unchecked row: Int) -> Fix {
    fix(row, accuracy: accuracies.map { $0.value(row, as: Double.self) } ?? 0)
  }
}

extension FixColumns {
  /// Throws if a row would be skipped as invalid.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first such row.
  public func checkRows() throws(MonitorError) {
    for row in 0..<count {
      let fix = self[unchecked: row]
      if fix.isUsable { continue }
      let defect = fix.defect ?? "the accuracy is \(fix.accuracy), which means that there is no position"
      throw .invalidArgument("row \(row): \(defect)", position: row)
    }
  }
}
