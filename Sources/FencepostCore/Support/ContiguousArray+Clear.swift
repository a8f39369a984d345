extension ContiguousArray {
  /// Empties the array, which keeps its room. Of what is empty already nothing is asked.
  @inline(__always)
  mutating func clear() {
    if count == 1 {
      removeLast()
    } else if !isEmpty {
      removeAll(keepingCapacity: true)
    }
  }
}
