import FencepostKernel

/// The conditions in the order in which they were added, with the generation of each.
///
/// A list with gaps: removing leaves a gap, and the list is closed up when more than half of it is gaps.
struct AddOrder: Sendable {
  private(set) var generations: ContiguousArray<UInt64> = []
  private(set) var slots: ContiguousArray<UInt32> = []
  /// Per slot: its place in the list.
  private var places: ContiguousArray<UInt32> = []
  private(set) var count = 0
  private(set) var lastGeneration: UInt64 = 0

  static let gap = UInt32.max

  /// The slots in the order in which they were added.
  var live: some Collection<UInt32> { slots.lazy.filter { $0 != Self.gap } }

  mutating func reserve(_ more: Int) {
    generations.reserveCapacity(generations.count + more)
    slots.reserveCapacity(slots.count + more)
    places.reserveCapacity(places.count + more)
  }

  /// Puts a slot at the end and returns its generation.
  mutating func append(_ slot: UInt32) -> UInt64 {
    lastGeneration += 1
    append(slot, generation: lastGeneration)
    return lastGeneration
  }

  /// Puts a slot at the end that has had its generation before; larger than those before it.
  mutating func append(_ slot: UInt32, generation: UInt64) {
    while places.count <= Int(slot) { places.append(0) }
    places[Int(slot)] = UInt32(slots.count)
    generations.append(generation)
    slots.append(slot)
    count += 1
  }

  mutating func startGenerations(after generation: UInt64) {
    lastGeneration = generation
  }

  mutating func remove(_ slot: UInt32) {
    slots[Int(places[Int(slot)])] = Self.gap
    count -= 1
    if slots.count > 1_024, slots.count > count * 2 { closeUp() }
  }

  /// The first condition whose generation is larger than the given one.
  func next(after generation: UInt64) -> UInt32? {
    var low = 0
    var high = generations.count
    while low < high {
      let middle = (low + high) / 2
      if generations[middle] <= generation { low = middle + 1 } else { high = middle }
    }
    while low < slots.count {
      if slots[low] != Self.gap { return slots[low] }
      low += 1
    }
    return nil
  }

  /// The part of the list that is later than a generation.
  func slots(after generation: UInt64) -> ContiguousArray<UInt32>.SubSequence {
    var start = slots.count
    while start > 0, generations[start - 1] > generation { start -= 1 }
    return slots[start...]
  }

  private mutating func closeUp() {
    var target = 0
    for source in slots.indices where slots[source] != Self.gap {
      slots[target] = slots[source]
      generations[target] = generations[source]
      places[Int(slots[source])] = UInt32(target)
      target += 1
    }
    slots.removeLast(slots.count - target)
    generations.removeLast(generations.count - target)
  }
}

#if FENCEPOST_INVARIANTS
  extension AddOrder {
    func checkInvariants() throws(Invariant.Broken) {
      try Invariant.hold(generations.count == slots.count, "the add order has as many generations as slots")
      var live = 0
      for index in slots.indices {
        if index > 0 { try Invariant.hold(generations[index - 1] < generations[index], "generations ascend") }
        try Invariant.hold(generations[index] <= lastGeneration, "no generation is beyond the last one given")
        guard slots[index] != Self.gap else { continue }
        live += 1
        try Invariant.hold(places[Int(slots[index])] == UInt32(index), "a slot knows its place in the add order")
      }
      try Invariant.hold(live == count, "the add order counts \(count) conditions and has \(live)")
    }
  }
#endif
