/// The rows of one part of a column of points, sorted so that points that are close together follow one another. The
/// memory that one point needs is then often in the cache when the next point is processed.
///
/// The rows are radix sorted by the cells of a grid of degrees, whose two numbers are interleaved as in G. M. Morton,
/// "A computer oriented geodetic data base" (IBM, 1966). The order affects only the speed, not the results.
struct RowOrder: Sendable {
  /// The number of rows that are sorted at a time. With more rows, neighbours are closer together, but a row is farther
  /// from its data.
  static let part = 1 << rowBits
  private static let rowBits = 20
  /// With fewer rows than this, the lowest digit is not sorted: the points are too far apart for it to matter.
  private static let many = 1 << 15
  /// With fewer rows than this, the rows stay in their order.
  private static let fewest = 64
  /// The number of digits in a cell.
  private static let digits = 3
  private static let digit = 11
  private static let radix = 1 << digit
  private static let rowMask: UInt64 = UInt64(part) - 1

  private var keys: ContiguousArray<UInt64> = []
  private var other: ContiguousArray<UInt64> = []
  private var counts: ContiguousArray<UInt32> = []

  /// The row at position `index` of the order, relative to the first row of the part.
  @inline(__always)
  subscript(index: Int) -> Int { Int(truncatingIfNeeded: keys[index] & Self.rowMask) }

  /// The cell of that row. The leading bits are the larger cells that contain it, two bits for each level.
  @inline(__always)
  func cell(_ index: Int) -> UInt64 { keys[index] &>> UInt64(Self.rowBits) }

  /// Sorts rows.
  ///
  /// - Parameter rows: At most ``part`` rows.
  mutating func sort(_ rows: Range<Int>, of points: PointColumns) throws(MonitorError) {
    keys.removeAll(keepingCapacity: true)
    keys.reserveCapacity(rows.count)
    guard rows.count >= Self.fewest else {
      for row in rows { keys.append(Self.key(Self.cell(try points.point(row)), row - rows.lowerBound)) }
      return
    }
    if counts.isEmpty { counts = ContiguousArray(repeating: 0, count: Self.digits * Self.radix) }
    for index in counts.indices { counts[index] = 0 }
    let first = rows.count < Self.many ? 1 : 0
    for row in rows {
      let cell = Self.cell(try points.point(row))
      for digit in first..<Self.digits {
        counts[
          digit &* Self.radix &+ Int(truncatingIfNeeded: cell &>> UInt64(digit &* Self.digit)) & (Self.radix - 1)] += 1
      }
      keys.append(Self.key(cell, row - rows.lowerBound))
    }
    if other.count != keys.count { other = keys }
    for digit in first..<Self.digits {
      keys.withUnsafeMutableBufferPointer { keys in
        other.withUnsafeMutableBufferPointer { other in
          counts.withUnsafeMutableBufferPointer { counts in
            Self.move(
              keys, other, rows.count, shift: UInt64(Self.rowBits + digit * Self.digit),
              UnsafeMutableBufferPointer(rebasing: counts[digit * Self.radix..<(digit + 1) * Self.radix]))
          }
        }
      }
      swap(&keys, &other)
    }
  }

  @inline(__always)
  private static func key(_ cell: UInt64, _ row: Int) -> UInt64 {
    cell &<< UInt64(rowBits) | UInt64(truncatingIfNeeded: row)
  }

  /// The cell of a point: two numbers of 16 bits, interleaved.
  @inline(__always)
  private static func cell(_ point: Coordinate) -> UInt64 {
    let north = UInt32((point.latitude + 90) * (65_535.0 / 180))
    let east = UInt32((point.longitude + 180) * (65_535.0 / 360))
    return UInt64(spread(north) &<< 1 | spread(east))
  }

  /// Moves bits 0 … 15 to the even positions.
  @inline(__always)
  private static func spread(_ value: UInt32) -> UInt32 {
    var bits = (value | value &<< 8) & 0x00FF_00FF
    bits = (bits | bits &<< 4) & 0x0F0F_0F0F
    bits = (bits | bits &<< 2) & 0x3333_3333
    return (bits | bits &<< 1) & 0x5555_5555
  }

  /// One pass of the radix sort.
  ///
  /// - Parameter places: On entry, the number of keys with each digit; during the pass, the position of the next key
  ///   with each digit.
  @inline(__always)
  private static func move(
    _ from: UnsafeMutableBufferPointer<UInt64>, _ to: UnsafeMutableBufferPointer<UInt64>, _ count: Int, shift: UInt64,
    _ places: UnsafeMutableBufferPointer<UInt32>
  ) {
    var next: UInt32 = 0
    for digit in 0..<radix {
      let found = places[digit]
      places[digit] = next
      next &+= found
    }
    for index in 0..<count {
      let digit = Int(truncatingIfNeeded: from[index] &>> shift) & (radix - 1)
      to[Int(places[digit])] = from[index]
      places[digit] &+= 1
    }
  }
}
