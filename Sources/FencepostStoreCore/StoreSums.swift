import FencepostCore

/// The sum of the checksums of all rows except the head, and the number of these rows. The head stores both values, so
/// that a changed, missing, duplicate or outdated row is detected.
struct StoreSums: Equatable {
  /// The number that identifies the file; see ``Schema``.
  let number: UInt64
  /// The family of a fleet's file; see ``Schema``.
  var family: UInt32 { UInt32(truncatingIfNeeded: number >> 32) }
  /// Modulo 2⁶⁴.
  private var sum: UInt64 = 0
  private var count: UInt64 = 0

  init(number: UInt64) {
    self.number = number
  }

  mutating func add(_ row: MonitorRow) {
    sum &+= row.checksum
    count &+= 1
  }

  mutating func remove(_ row: MonitorRow) {
    sum &-= row.checksum
    count &-= 1
  }

  /// The size of the result of ``end(of:)``, in bytes.
  static let size = 32

  /// The bytes of the file's number, with which the end of the head begins.
  var numberBytes: [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  /// Returns the end of a head: the number of the file, the sum of the checksums of the other rows, the number of the
  /// other rows, and a checksum over all preceding bytes of the head.
  func end(of head: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    var own = Checksum()
    own.add(head)
    for number in [number, sum, count] {
      own.add(number)
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    withUnsafeBytes(of: own.value.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }
}
