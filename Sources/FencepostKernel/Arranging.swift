// A stable sort that compiles to little code. The standard library's sort takes 4 kB of code for each combination of
// element type and order, and the library has 38 such combinations. Only the comparison and the exchange of two elements
// are compiled for each combination; all share the sort of places below.

extension MutableCollection where Self: RandomAccessCollection, Index == Int {
  /// Sorts an array; equal elements keep their order.
  ///
  /// Sorts runs of eight elements by insertion, and then merges neighbouring runs. Takes at most 5 n + n log₂ n
  /// comparisons for n elements, and n − 1 if the array is already sorted. Allocates memory only for more than 64
  /// elements.
  ///
  /// - Parameter precedes: Whether the first element must come before the second; must be a strict weak order.
  @inlinable
  public mutating func arrange(by precedes: (Element, Element) -> Bool) {
    var sorted = 1
    while sorted < count, !precedes(self[sorted], self[sorted - 1]) { sorted += 1 }
    guard sorted < count else { return }
    let isArray: Void? = withContiguousMutableStorageIfAvailable { elements in
      arrangePlaces(sorted, elements.count) { first, second, isExchange in
        if isExchange {
          elements.swapAt(first, second)
          return true
        }
        return precedes(elements[first], elements[second])
      }
    }
    precondition(isArray != nil, "only arrays are sorted")
  }
}

/// Sorts the places of an array whose first elements are already in order.
///
/// The parameters are the number of places that are in order, the number of all places, and a function that returns
/// whether the element in the first place must come before the element in the second, or exchanges the two elements.
///
/// This is a variable, because the optimizer would compile the function again for each comparison if it knew it.
@usableFromInline nonisolated(unsafe) var arrangePlaces: (Int, Int, (Int, Int, Bool) -> Bool) -> Void = sortPlaces

private func sortPlaces(_ sorted: Int, _ count: Int, _ precedesOrExchange: (Int, Int, Bool) -> Bool) {
  // Sorts a list of places first, because a list is cheaper to sort than the elements. A short list is on the stack.
  withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * count) { places in
    guard var order = places.baseAddress else { return }
    var merged = order + count
    var width = 8
    for next in 0..<count {
      var place = next
      if next >= sorted {
        let start = next & ~7
        while place > start, precedesOrExchange(next, order[place - 1], false) {
          order[place] = order[place - 1]
          place -= 1
        }
      }
      order[place] = next
    }
    while width < count {
      var start = 0
      while start < count {
        let middle = min(start + width, count)
        let end = min(middle + width, count)
        var left = start
        var right = middle
        while left < middle, right < end {
          if precedesOrExchange(order[right], order[left], false) {
            merged[start] = order[right]
            right += 1
          } else {
            merged[start] = order[left]
            left += 1
          }
          start += 1
        }
        (merged + start).update(from: order + left, count: middle - left)
        start += middle - left
        (merged + start).update(from: order + right, count: end - right)
        start = end
      }
      swap(&order, &merged)
      width *= 2
    }
    // Moves the elements along the cycles of the permutation.
    for start in 0..<count {
      var place = start
      while order[place] != start {
        let next = order[place]
        _ = precedesOrExchange(place, next, true)
        order[place] = place
        place = next
      }
      order[place] = place
    }
  }
}

extension MutableCollection where Self: RandomAccessCollection, Index == Int, Element: Comparable {
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
