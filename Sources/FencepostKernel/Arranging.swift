// A stable sort that compiles to little code. The standard library's sort takes 4 kB of code for each combination of
// element type and order, and the library had 34 such combinations.

extension RangeReplaceableCollection where Self: MutableCollection & RandomAccessCollection, Index == Int {
  /// Sorts an array; equal elements keep their order.
  ///
  /// Sorts up to eight elements by insertion, and more elements with ``Arranging/order(_:by:)``. If the array is already
  /// sorted, it takes n − 1 comparisons for n elements.
  ///
  /// - Parameter precedes: Whether the first element must come before the second; must be a strict weak order.
  @inlinable
  public mutating func arrange(by precedes: (Element, Element) -> Bool) {
    var sorted = 1
    while sorted < count, !precedes(self[sorted], self[sorted - 1]) { sorted += 1 }
    guard sorted < count else { return }
    guard count > Arranging.run else {
      for next in sorted..<count {
        var place = next
        while place > 0, precedes(self[place], self[place - 1]) {
          swapAt(place, place - 1)
          place -= 1
        }
      }
      return
    }
    let order = Arranging.order(count) { precedes(self[$0], self[$1]) }
    var arranged = Self()
    arranged.reserveCapacity(count)
    for place in order { arranged.append(self[Int(place)]) }
    self = arranged
  }
}

/// The part of the sort that exists once, not once for each type of element.
public enum Arranging {
  /// The number of elements that are sorted by insertion.
  public static var run: Int { 8 }

  /// Returns the places of elements in sorted order; equal elements keep their order.
  ///
  /// Sorts runs of eight places by insertion, and then merges neighbouring runs. Takes at most 4 n + n log₂ n
  /// comparisons for n elements.
  ///
  /// - Parameters:
  ///   - count: The number of elements, at most 2³² − 1.
  ///   - precedes: Whether the element at the first place must come before the element at the second place.
  @inline(never)
  public static func order(_ count: Int, by precedes: (Int, Int) -> Bool) -> ContiguousArray<UInt32> {
    var order = ContiguousArray(0..<UInt32(count))
    for next in 1..<count {
      var place = next
      while place % run != 0, precedes(Int(order[place]), Int(order[place - 1])) {
        order.swapAt(place, place - 1)
        place -= 1
      }
    }
    var width = run
    var merged = order
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
        if left < middle, right >= end || !precedes(Int(order[right]), Int(order[left])) {
          merged[place] = order[left]
          left += 1
        } else {
          merged[place] = order[right]
          right += 1
        }
      }
      swap(&order, &merged)
      width *= 2
    }
    return order
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
