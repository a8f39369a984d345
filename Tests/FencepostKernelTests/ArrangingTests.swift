import TestSupport
import Testing

@testable import FencepostKernel

/// Arrays are sorted, and equal elements keep their order.
@Suite struct ArrangingTests {
  /// Sorts arrays of every length up to 70 and of three larger lengths; an array contains few or many different values.
  /// Some arrays are sorted or reversed. The result is the same as sorting by value and then by the original index.
  @Test func equalElementsKeepTheirOrder() {
    var random = SeededGenerator("arranging")
    for count in Array(0...70) + [1000, 4096, 5001] {
      for most in [0, 3, 9, 1000] {
        let values = (0..<count).map { _ in random.integer(0...most) }
        for made in [values, values.sorted(), values.sorted(by: >)] {
          let rows = made.enumerated().map { (index: $0.offset, value: $0.element) }
          let expected = rows.sorted { ($0.value, $0.index) < ($1.value, $1.index) }
          var arranged = ContiguousArray(rows)
          arranged.arrange { $0.value < $1.value }
          #expect(arranged.map(\.index) == expected.map(\.index), "\(made)")
          #expect(made.arranged() == made.sorted())
        }
      }
    }
  }

  /// A sorted array takes one comparison for each pair of neighbours, and any array of n elements takes at most 5 n + n
  /// log₂ n comparisons.
  @Test func comparisonsAreFew() {
    var random = SeededGenerator("arranging, comparisons")
    for count in [2, 8, 9, 100, 4096, 50_000] {
      let values = (0..<count).map { _ in random.integer(0...1_000_000) }
      for (made, most) in [
        (values.sorted(), count - 1), (values, count * (5 + (count - 1).bitWidth - (count - 1).leadingZeroBitCount)),
      ] {
        var comparisons = 0
        _ = made.arranged { a, b in
          comparisons += 1
          return a < b
        }
        #expect(comparisons <= most, "\(count)")
      }
    }
  }
}
