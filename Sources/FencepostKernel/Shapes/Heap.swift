/// What a `Heap` holds: elements in an order without ties that matter.
protocol HeapElement {
  func precedes(_ other: Self) -> Bool
}

/// The first of many: J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).
struct Heap<Element: HeapElement> {
  private var elements: ContiguousArray<Element> = []

  init() {}

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child].precedes(elements[(child - 1) / 2]) {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return first }
    elements[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < elements.count else { return first }
      if child + 1 < elements.count, elements[child + 1].precedes(elements[child]) { child += 1 }
      guard elements[child].precedes(elements[parent]) else { return first }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
