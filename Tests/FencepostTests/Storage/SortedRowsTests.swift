import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SortedRowsTests {
  private static let tables: [MonitorRow.Table] = [.head, .conditions, .events, .devices, .states]

  private func row(_ table: MonitorRow.Table, _ device: UInt64, _ key: UInt64, _ body: (MonitorRow) -> Void) {
    [UInt8(truncatingIfNeeded: key), 7].withUnsafeBytes {
      body(MonitorRow(table: table, key: key, generation: key + 1, device: device, bytes: $0))
    }
  }

  /// Rows come in the order of table, device and key, whatever their order of insertion, and each row keeps its own
  /// bytes.
  @Test func rowsComeInTheOrderInWhichTheyAreRead() {
    var random = SeededGenerator("SortedRowsTests")
    var places: [(MonitorRow.Table, UInt64, UInt64)] = []
    for table in Self.tables {
      for device in 0..<3 as Range<UInt64> {
        for key in [1, 2, 300] as [UInt64] { places.append((table, device, key)) }
      }
    }
    for _ in 0..<20 {
      var rows = SortedRows()
      for (table, device, key) in places.shuffled(using: &random) { row(table, device, key) { rows.append($0) } }
      var last: (UInt8, UInt64, UInt64)?
      var count = 0
      rows.forEach { row in
        let place = (row.table.place, row.device, row.key)
        if let last { #expect(last < place) }
        last = place
        count += 1
        #expect(row.generation == row.key + 1 && Array(row.bytes) == [UInt8(truncatingIfNeeded: row.key), 7])
      }
      #expect(count == places.count)
    }
    var nothing = 0
    SortedRows().forEach { _ in nothing += 1 }
    #expect(nothing == 0)
  }

  /// The head of a monitor is the first row to be read, because it contains the format of the other rows.
  @Test func theHeadIsFirst() {
    #expect(Self.tables.allSatisfy { $0 == .head || $0.place > MonitorRow.Table.head.place })
  }
}
