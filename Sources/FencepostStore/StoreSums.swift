import Fencepost

/// The sum of the checksums of all rows but the head, and their numbers: what the head says of the others.
struct StoreSums: Equatable {
  /// Modulo 2⁶⁴.
  private var sum: UInt64 = 0
  private var conditions: UInt64 = 0
  private var events: UInt64 = 0
  /// The largest generation that a condition in the file has or had.
  private(set) var lastGeneration: UInt64 = 0

  init() {}

  mutating func add(_ table: MonitorRow.Table, key: UInt64, _ checksum: UInt64) {
    sum &+= checksum
    switch table {
    case .head: break
    case .conditions:
      conditions &+= 1
      lastGeneration = max(lastGeneration, key)
    case .events: events &+= 1
    }
  }

  mutating func remove(_ table: MonitorRow.Table, _ checksum: UInt64) {
    sum &-= checksum
    switch table {
    case .head: break
    case .conditions: conditions &-= 1
    case .events: events &-= 1
    }
  }

  /// The bytes at the end of the head.
  static let size = 32

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in [Schema.version, sum, conditions, events] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Whether these are the sums that the bytes at the end of a head tell.
  func agree(with end: UnsafeRawBufferPointer) -> Bool {
    end.elementsEqual(bytes)
  }
}
