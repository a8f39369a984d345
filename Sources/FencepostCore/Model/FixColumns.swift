/// Fixes in the caller's memory that can be read one by one.
protocol FixRows {
  var count: Int { get }
  /// Returns the fix of a row. The row must exist.
  subscript(unchecked row: Int) -> Fix { get }
  /// Returns the latitude and the longitude of a row. The row must exist.
  func place(unchecked row: Int) -> SIMD2<Double>
  /// The error ellipses of the rows; `nil` without ellipses.
  var ellipses: EllipseColumns? { get }
  /// The heights of the rows; `nil` without heights.
  var heights: HeightColumns? { get }
  /// Whether there is one row, which is fed like a single fix: a fix that is refused is an error.
  var isOne: Bool { get }
}

extension FixRows {
  var ellipses: EllipseColumns? { nil }
  var heights: HeightColumns? { nil }
  var isOne: Bool { false }

  @inline(__always)
  func place(unchecked row: Int) -> SIMD2<Double> { self[unchecked: row].coordinate.vector }
}

extension FixExtras {
  /// The error ellipse and the height of a row.
  @inline(never)
  init(_ ellipses: EllipseColumns?, _ heights: HeightColumns?, row: Int) {
    self.init(ellipse: ellipses?.ellipse(row), height: heights?.height(row))
  }
}

/// An array of fixes.
struct FixArray: FixRows {
  let fixes: UnsafeBufferPointer<Fix>

  var count: Int { fixes.count }

  @inline(__always)
  subscript(unchecked row: Int) -> Fix { fixes[row] }

  @inline(__always)
  func place(unchecked row: Int) -> SIMD2<Double> {
    UnsafeRawPointer(fixes.baseAddress.unsafelyUnwrapped).loadUnaligned(
      fromByteOffset: row &* MemoryLayout<Fix>.stride, as: SIMD2<Double>.self)
  }
}

/// Fixes as columns in the caller's memory. The values of a column are in an array of their own, or at a regular
/// distance in a larger array.
///
/// The memory is read only during the call that gets the columns; nothing is copied.
public struct FixColumns {
  /// One column: the address of its first value, and the number of bytes from one row to the next (0 if all rows share
  /// one value). The values need not be aligned.
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

  /// The number of rows.
  public let count: Int
  let latitudes: Column
  let longitudes: Column
  /// The accuracies; `nil` if none are reported.
  let accuracies: Column?
  let times: Column
  let ellipses: EllipseColumns?
  let heights: HeightColumns?
  let isOne: Bool

  /// Creates columns of `count` rows. Latitudes and longitudes are in degrees and accuracies in metres (all `Double`);
  /// times are in microseconds (`Int64`).
  ///
  /// - Parameter isOne: Whether there is one row, which is fed like a single fix: a fix that is refused is an error.
  public init(
    count: Int, latitudes: Column, longitudes: Column, accuracies: Column?, times: Column,
    ellipses: EllipseColumns? = nil, heights: HeightColumns? = nil, isOne: Bool = false
  ) {
    self.count = count
    self.latitudes = latitudes
    self.longitudes = longitudes
    self.accuracies = accuracies
    self.times = times
    self.ellipses = ellipses
    self.heights = heights
    self.isOne = isOne
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
      let ellipseDefect = ellipses?.ellipse(row)?.defect
      if fix.isUsable, ellipseDefect == nil { continue }
      let defect =
        fix.defect ?? ellipseDefect ?? "the accuracy is \(fix.accuracy), which means that there is no position"
      throw .invalidArgument("row \(row): \(defect)", position: row)
    }
  }
}
