// A stable sort that compiles to little code. The standard library's sort takes 4 kB of code for each combination of
// element type and order, and the library had 34 such combinations.

extension RangeReplaceableCollection where Self: MutableCollection & RandomAccessCollection, Index == Int {
  /// Sorts an array; equal elements keep their order.
  ///
  /// Sorts runs of eight elements by insertion, and then merges neighbouring runs. Takes at most 5 n + n log₂ n
  /// comparisons for n elements, and n − 1 if the array is already sorted.
  ///
  /// - Parameter precedes: Whether the first element must come before the second; must be a strict weak order.
  @inlinable
  public mutating func arrange(by precedes: (Element, Element) -> Bool) {
    var sorted = 1
    while sorted < count, !precedes(self[sorted], self[sorted - 1]) { sorted += 1 }
    guard sorted < count else { return }
    var width = 8
    for next in sorted..<count {
      var place = next
      while place % width != 0, precedes(self[place], self[place - 1]) {
        swapAt(place, place - 1)
        place -= 1
      }
    }
    guard width < count else { return }
    var merged = self
    while width < count {
      var left = 0
      var right = 0
      for place in 0..<count {
        if place % (2 * width) == 0 {
          left = place
          right = place + width
        }
        let middle = Swift.min(place / (2 * width) * 2 * width + width, count)
        let end = Swift.min(middle + width, count)
        if left < middle, right >= end || !precedes(self[right], self[left]) {
          merged[place] = self[left]
          left += 1
        } else {
          merged[place] = self[right]
          right += 1
        }
      }
      swap(&self, &merged)
      width *= 2
    }
  }
}

extension RangeReplaceableCollection
where Self: MutableCollection & RandomAccessCollection, Index == Int, Element: Comparable {
  /// Sorts an array in ascending order.
  @inlinable
  public mutating func arrange() { arrange { $0 < $1 } }
}

extension Sequence {
  /// The elements, sorted by the given order; equal elements keep their order.
  @inlinable
  public func arranged(by precedes: (Element, Element) -> Bool) -> [Element] {
    var all = Array(self)
    all.arrange(by: precedes)
    return all
  }
}

extension Sequence where Element: Comparable {
  /// Returns the elements in ascending order.
  @inlinable
  public func arranged() -> [Element] { arranged { $0 < $1 } }
}
