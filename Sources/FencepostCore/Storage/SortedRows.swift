import FencepostKernel

/// Sorts rows into the order in which they must be read, for a storage that returns them in another order.
struct SortedRows {
  private struct Place {
    var table: MonitorRow.Table
    var key: UInt64
    var generation: UInt64
    var device: UInt64
    var range: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []

  mutating func append(_ row: MonitorRow) {
    let start = bytes.count
    bytes.append(contentsOf: row.bytes)
    places.append(
      Place(
        table: row.table, key: row.key, generation: row.generation, device: row.device, range: start..<bytes.count))
  }

  func forEach<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    let sorted = places.arranged {
      ($0.table.place, $0.device, $0.key) < ($1.table.place, $1.device, $1.key)
    }
    try bytes.withRawBytes { all throws(Failure) in
      for place in sorted {
        try body(
          MonitorRow(
            table: place.table, key: place.key, generation: place.generation, device: place.device,
            bytes: UnsafeRawBufferPointer(rebasing: all[place.range])))
      }
    }
  }
}
