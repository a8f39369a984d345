import FencepostKernel

/// The conditions in the order in which they were added, with the generation of each.
///
/// The list has gaps: removing a condition leaves a gap. The gaps are removed when they are more than half of the list.
struct AddOrder: Sendable {
  private(set) var generations: ContiguousArray<UInt64> = []
  private(set) var slots: ContiguousArray<UInt32> = []
  /// The place of each slot in the list.
  private var places: ContiguousArray<UInt32> = []
  /// A bit for each place of the list: whether the condition there is announced; see ``append(_:isAnnounced:)``.
  private var announced: ContiguousArray<UInt64> = []
  /// Whether the place of each slot equals the slot. This is true as long as no slot was reused.
  private(set) var isOfSlots = true
  private(set) var count = 0
  /// The number of announced conditions.
  private(set) var announcedCount = 0
  private(set) var lastGeneration: UInt64 = 0

  private static let gap = UInt32.max
  /// In a list of at most this many places, gaps are never removed, because they take few bytes and are skipped
  /// quickly.
  private static let fewPlaces = 1_024

  /// The slots in the order in which they were added.
  var live: some Collection<UInt32> { slots.lazy.filter { $0 != Self.gap } }

  /// Returns the slots of the conditions after a generation, in add order.
  func live(after generation: UInt64) -> some Collection<UInt32> {
    slots[place(after: generation)...].lazy.filter { $0 != Self.gap }
  }

  /// Returns the slots in a part of the list, for a caller that reads the list in steps. Places are from 0 up to, but
  /// not including, ``placeCount``.
  func live(in places: Range<Int>) -> some Collection<UInt32> { slots[places].lazy.filter { $0 != Self.gap } }

  /// The number of places of the list, including gaps.
  var placeCount: Int { slots.count }

  /// Returns the place of a slot in the list. Conditions that were added later have later places.
  @inline(__always)
  func place(of slot: UInt32) -> UInt32 { places[Int(slot)] }

  /// Whether the generations are consecutive numbers.
  var isWithoutGaps: Bool {
    guard let first = generations.first, let last = generations.last else { return true }
    return last - first == UInt64(generations.count - 1)
  }

  mutating func reserve(_ more: Int) {
    generations.reserveCapacity(generations.count + more)
    slots.reserveCapacity(slots.count + more)
    places.reserveCapacity(places.count + more)
  }

  /// Appends a slot, and returns its generation.
  ///
  /// - Parameter isAnnounced: Whether the first determination of the condition causes an event in any case, because the
  ///   condition was not assumed to be unsatisfied.
  mutating func append(_ slot: UInt32, isAnnounced: Bool = false) -> UInt64 {
    lastGeneration += 1
    append(slot, generation: lastGeneration, isAnnounced: isAnnounced)
    return lastGeneration
  }

  /// Appends a slot that already has a generation, which must be greater than those before it.
  mutating func append(_ slot: UInt32, generation: UInt64, isAnnounced: Bool = false) {
    while places.count <= Int(slot) { places.append(0) }
    places[Int(slot)] = UInt32(slots.count)
    if Int(slot) != slots.count { isOfSlots = false }
    if slots.count / 64 >= announced.count { announced.append(0) }
    if isAnnounced {
      announced[slots.count / 64] |= 1 << UInt64(slots.count % 64)
      announcedCount += 1
    }
    generations.append(generation)
    slots.append(slot)
    count += 1
  }

  mutating func startGenerations(after generation: UInt64) {
    lastGeneration = generation
  }

  mutating func remove(_ slot: UInt32) {
    let place = Int(places[Int(slot)])
    slots[place] = Self.gap
    let bit: UInt64 = 1 << UInt64(place % 64)
    if announced[place / 64] & bit != 0 { announcedCount -= 1 }
    announced[place / 64] &= ~bit
    count -= 1
    if slots.count > Self.fewPlaces, slots.count > count * 2 { closeUp() }
  }

  /// Returns the first condition whose generation is greater than the given one.
  func next(after generation: UInt64) -> UInt32? {
    live(after: generation).first
  }

  /// Returns the number of conditions after a generation, plus the number of gaps among them.
  func count(after generation: UInt64) -> Int { slots.count - place(after: generation) }

  private func place(after generation: UInt64) -> Int {
    guard let last = generations.last, last > generation else { return generations.count }
    var low = 0
    var high = generations.count
    while low < high {
      let middle = (low + high) / 2
      if generations[middle] <= generation { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of announced conditions after a generation, or up to 63 more.
  func announcedCount(after generation: UInt64) -> Int {
    announced.dropFirst(place(after: generation) / 64).reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Calls `body` with the announced conditions after a generation, and perhaps with some announced conditions before
  /// it.
  func forEachAnnounced(after generation: UInt64, _ body: (UInt32) -> Void) {
    for word in (place(after: generation) / 64)..<announced.count where announced[word] != 0 {
      var bits = announced[word]
      while bits != 0 {
        body(slots[word * 64 + bits.trailingZeroBitCount])
        bits &= bits - 1
      }
    }
  }

  private mutating func closeUp() {
    var target = 0
    isOfSlots = false
    for source in slots.indices where slots[source] != Self.gap {
      let isAnnounced = announced[source / 64] >> UInt64(source % 64) & 1
      announced[target / 64] &= ~(1 << UInt64(target % 64))
      announced[target / 64] |= isAnnounced << UInt64(target % 64)
      slots[target] = slots[source]
      generations[target] = generations[source]
      places[Int(slots[source])] = UInt32(target)
      target += 1
    }
    slots.removeLast(slots.count - target)
    generations.removeLast(generations.count - target)
    announced.removeLast(announced.count - (target + 63) / 64)
    if target % 64 != 0 { announced[target / 64] &= 1 << UInt64(target % 64) - 1 }
  }
}

#if FENCEPOST_INVARIANTS
  extension AddOrder {
    func checkInvariants() throws(Invariant.Broken) {
      try Invariant.hold(generations.count == slots.count, "the add order has as many generations as slots")
      var live = 0
      for index in slots.indices {
        if index > 0 { try Invariant.hold(generations[index - 1] < generations[index], "the generations ascend") }
        try Invariant.hold(generations[index] <= lastGeneration, "no generation is above the last generation")
        guard slots[index] != Self.gap else { continue }
        live += 1
        try Invariant.hold(places[Int(slots[index])] == UInt32(index), "a slot knows its place in the add order")
        try Invariant.hold(
          !isOfSlots || slots[index] == UInt32(index),
          "if the order is marked as that of slots, each slot is its own place")
      }
      try Invariant.hold(
        announced.count == (slots.count + 63) / 64, "the add order has a bit for each of its places")
      for place in 0..<announced.count * 64 where announced[place / 64] >> UInt64(place % 64) & 1 == 1 {
        try Invariant.hold(place < slots.count && slots[place] != Self.gap, "each announced condition exists")
      }
      try Invariant.hold(
        announced.reduce(0) { $0 + $1.nonzeroBitCount } == announcedCount, "the count of announced conditions is right")
      try Invariant.hold(live == count, "the add order counts \(count) conditions, but has \(live)")
    }
  }
#endif
