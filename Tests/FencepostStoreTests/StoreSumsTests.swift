import Fencepost
import Testing

@testable import FencepostStore
@testable import FencepostStoreCore

@Suite struct StoreSumsTests {
  private let rows: [(table: MonitorRow.Table, key: UInt64, bytes: [UInt8])] = [
    (.devices, 0, [1, 2, 3]), (.conditions, 1, [4, 5]), (.conditions, 2, [4, 5]), (.events, 7, []),
  ]

  private func with(_ index: Int, _ body: (MonitorRow) -> Void) {
    rows[index].bytes.withUnsafeBytes {
      body(MonitorRow(table: rows[index].table, key: rows[index].key, generation: rows[index].key, bytes: $0))
    }
  }

  private func sums(_ order: [Int], number: UInt64 = 5) -> StoreSums {
    var sums = StoreSums(number: number)
    for index in order { with(index) { sums.add($0) } }
    return sums
  }

  private func end(_ sums: StoreSums, _ head: [UInt8] = [9, 9]) -> [UInt8] { head.withUnsafeBytes { sums.end(of: $0) } }

  @Test func theOrderOfRowsPlaysNoPart() {
    #expect(sums([0, 1, 2, 3]) == sums([3, 1, 0, 2]))
  }

  @Test func aRowThatGoesLeavesNothing() {
    var sums = sums([0, 1, 2])
    with(1) { sums.remove($0) }
    #expect(sums == self.sums([2, 0]))
    with(0) { sums.remove($0) }
    with(2) { sums.remove($0) }
    #expect(sums == StoreSums(number: 5))
  }

  /// The sums detect a row that is missing, duplicated, changed, under another key, or from another file.
  @Test func whatIsAnotherShows() {
    let whole = end(sums([0, 1, 2]))
    for other in [[0, 1], [0, 1, 2, 2], [0, 1, 1], [0, 2, 2], [0, 1, 3]] { #expect(end(sums(other)) != whole) }
    #expect(end(sums([0, 1, 2], number: 6)) != whole)
    #expect(end(sums([0, 1, 2]), [9, 8]) != whole)
    #expect(end(sums([0, 1, 2])) == whole)
  }

  @Test func theEndOfAHeadBeginsWithTheFilesNumber() {
    let sums = sums([0], number: 0x0102_0304_0506_0708)
    let end = end(sums)
    #expect(end.count == StoreSums.size)
    #expect(sums.numberBytes == [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(Array(end.prefix(8)) == sums.numberBytes)
    #expect(Array(end[16..<24]) == [1, 0, 0, 0, 0, 0, 0, 0], "the number of rows")
  }
}
