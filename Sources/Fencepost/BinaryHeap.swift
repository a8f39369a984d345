/// A queue from which the smallest element comes first.
///
/// Source: J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).
struct BinaryHeap<Element: Comparable & Sendable>: Sendable {
  private(set) var elements: ContiguousArray<Element> = []

  init() {}

  /// - Complexity: O(n log n)
  init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  var count: Int { elements.count }

  /// The smallest element.
  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { break }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the smallest element, if there is one.
  mutating func removeFirst() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[parent] else { break }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
