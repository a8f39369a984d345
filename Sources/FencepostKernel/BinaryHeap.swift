/// A priority queue: the smallest element comes first.
///
/// The caller passes the comparison function with each call, and must always pass the same function. For elements that
/// are `Comparable`, this argument is not needed.
///
/// The algorithm is from J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7 (1964).
@frozen
public struct BinaryHeap<Element: Sendable>: Sendable {
  @usableFromInline var storage: ContiguousArray<Element> = []

  @inlinable
  public init() {}

  /// The elements in no particular order.
  @inlinable
  public var elements: ContiguousArray<Element> { storage }

  @inlinable
  public var count: Int { storage.count }

  /// The smallest element.
  @inlinable
  public var first: Element? { storage.first }

  @inlinable
  public mutating func insert(_ element: Element, by precedes: (Element, Element) -> Bool) {
    storage.append(element)
    var child = storage.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(storage[child], storage[parent]) else { return }
      storage.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the smallest element, if there is one.
  @inlinable
  public mutating func removeFirst(by precedes: (Element, Element) -> Bool) {
    guard let last = storage.popLast(), !storage.isEmpty else { return }
    replaceFirst(with: last, by: precedes)
  }

  /// Removes all elements but keeps the memory allocated.
  @inlinable
  public mutating func removeAll() { storage.removeAll(keepingCapacity: true) }

  /// Replaces the smallest element of the heap with a new element. The heap must not be empty.
  @inlinable
  public mutating func replaceFirst(with element: Element, by precedes: (Element, Element) -> Bool) {
    storage[0] = element
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < storage.count else { return }
      if child + 1 < storage.count, precedes(storage[child + 1], storage[child]) { child += 1 }
      guard precedes(storage[child], storage[parent]) else { return }
      storage.swapAt(child, parent)
      parent = child
    }
  }
}

extension BinaryHeap where Element: Comparable {
  /// - Complexity: O(n log n)
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }

  @inlinable
  public mutating func insert(_ element: Element) { insert(element, by: <) }

  /// Removes the smallest element, if there is one.
  @inlinable
  public mutating func removeFirst() { removeFirst(by: <) }
}
