/// A set of slots, a bit each.
struct SlotSet: Sendable {
  private var words: ContiguousArray<UInt64> = []

  func contains(_ slot: UInt32) -> Bool {
    let word = Int(slot) / 64
    return word < words.count && words[word] & 1 << (UInt64(slot) % 64) != 0
  }

  mutating func insert(_ slot: UInt32) {
    let word = Int(slot) / 64
    while words.count <= word { words.append(0) }
    words[word] |= 1 << (UInt64(slot) % 64)
  }

  mutating func remove(_ slot: UInt32) {
    let word = Int(slot) / 64
    if word < words.count { words[word] &= ~(1 << (UInt64(slot) % 64)) }
  }
}
