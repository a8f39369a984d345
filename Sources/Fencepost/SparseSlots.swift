import FencepostKernel

/// A value that a slot can have though most slots have none.
protocol SparseValue: Sendable {
  /// What fills the places of the table that are free.
  init()
}

/// The values of those slots that are not as every other one.
///
/// Open addressing with linear probing. While the values are few, a slot's place is a hash of its number; once the table
/// would be as long as the slots are many, it is the number itself, and each look-up reads one place.
struct SparseSlots<Value: SparseValue>: Sendable {
  private struct Entry: Sendable {
    var slot = SparseSlots.free
    var value = Value()
  }

  /// The number that no slot has.
  private static var free: UInt32 { .max }
  private static var smallest: Int { 8 }
  /// A table longer than this is made smaller when fewer than one place of so many is taken; what is shorter may fill and
  /// empty again without asking the system for memory.
  private static var longestKept: Int { 1_024 }
  private static var sparsest: Int { 16 }

  /// A power of two of them, or none.
  private var entries: ContiguousArray<Entry> = []
  private(set) var count = 0
  /// Each slot has the place of its number, and no slot is beyond the table.
  private var isDirect = true
  /// One more than the largest slot that ever had a value.
  private var bound = 0

  /// How many places a walk over all values looks at.
  var placeCount: Int { entries.count }

  /// The value of a slot; `nil` where it has none.
  @inline(__always)
  subscript(slot: UInt32) -> Value? {
    get {
      let place = place(of: slot)
      return place < 0 ? nil : entries[place].value
    }
    set {
      let place = place(of: slot)
      if let newValue {
        if place < 0 { insert(slot, newValue) } else { entries[place].value = newValue }
      } else if place >= 0 {
        remove(at: place)
      }
    }
  }

  /// The value of a slot, to be changed; a slot without one gets what it has in common with the others.
  @inline(__always)
  subscript(slot: UInt32, or common: Value) -> Value {
    get { self[slot] ?? common }
    _modify {
      var place = place(of: slot)
      if place < 0 {
        insert(slot, common)
        place = self.place(of: slot)
      }
      yield &entries[place].value
    }
  }

  /// Changes the value of a slot; one that is then as those of the others is taken away.
  @inline(__always)
  mutating func update(_ slot: UInt32, or common: Value, _ body: (inout Value) -> Void) where Value: Equatable {
    let place = place(of: slot)
    var value = place < 0 ? common : entries[place].value
    body(&value)
    if value == common {
      if place >= 0 { remove(at: place) }
    } else if place < 0 {
      insert(slot, value)
    } else {
      entries[place].value = value
    }
  }

  /// Calls `body` with each slot that has a value, in no particular order.
  func forEach(_ body: (UInt32, Value) -> Void) {
    guard count > 0 else { return }
    for entry in entries where entry.slot != Self.free { body(entry.slot, entry.value) }
  }

  /// Takes all values away; a table that is not long stays.
  mutating func removeAll() {
    guard count > 0 else { return }
    count = 0
    if entries.count > Self.longestKept {
      entries = []
    } else {
      for place in entries.indices { entries[place] = Entry() }
    }
  }

  @inline(never)
  private mutating func remove(at place: Int) {
    count -= 1
    entries[place] = Entry()
    if !isDirect { closeGap(place) }
    if entries.count > Self.longestKept, count * Self.sparsest < entries.count { rehash(for: 0) }
  }

  // MARK: - Places

  /// Knuth's multiplicative hashing ("The Art of Computer Programming", vol. 3, 6.4): neighbours come far apart.
  @inline(__always)
  private static func home(_ slot: UInt32, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(slot) &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
  }

  /// Where the value of a slot stands, or −1.
  @inline(__always)
  private func place(of slot: UInt32) -> Int {
    if count == 0 { return -1 }
    return entries.withUnsafeBufferPointer { entries in
      if isDirect { return Int(slot) < entries.count && entries[Int(slot)].slot == slot ? Int(slot) : -1 }
      let mask = entries.count &- 1
      var place = Self.home(slot, mask)
      while entries[place].slot != slot {
        if entries[place].slot == Self.free { return -1 }
        place = (place &+ 1) & mask
      }
      return place
    }
  }

  /// Enters a slot that has no value.
  @inline(never)
  private mutating func insert(_ slot: UInt32, _ value: Value) {
    bound = max(bound, Int(slot) + 1)
    if isDirect ? Int(slot) >= entries.count : (count + 1) * 2 > entries.count { rehash(for: 1) }
    count += 1
    enter(Entry(slot: slot, value: value))
  }

  private mutating func enter(_ entry: Entry) {
    let mask = entries.count - 1
    var place = isDirect ? Int(entry.slot) : Self.home(entry.slot, mask)
    while entries[place].slot != Self.free { place = (place + 1) & mask }
    entries[place] = entry
  }

  /// Lays the table out anew, with room for so many more values.
  private mutating func rehash(for more: Int) {
    let old = entries
    var capacity = Self.smallest
    while capacity < (count + more) * 2 { capacity *= 2 }
    isDirect = capacity >= bound
    if isDirect { while capacity / 2 >= max(bound, Self.smallest) { capacity /= 2 } }
    entries = ContiguousArray(repeating: Entry(), count: capacity)
    for entry in old where entry.slot != Self.free { enter(entry) }
  }

  /// Moves back each following value whose home lies at or before the gap.
  private mutating func closeGap(_ gap: Int) {
    let mask = entries.count - 1
    var gap = gap
    var next = (gap + 1) & mask
    while entries[next].slot != Self.free {
      let home = Self.home(entries[next].slot, mask)
      if (next - home) & mask >= (next - gap) & mask {
        entries[gap] = entries[next]
        entries[next] = Entry()
        gap = next
      }
      next = (next + 1) & mask
    }
  }
}

#if FENCEPOST_INVARIANTS
  extension SparseSlots {
    func checkInvariants() throws(Invariant.Broken) {
      let taken = entries.indices.filter { entries[$0].slot != Self.free }
      try Invariant.hold(taken.count == count, "\(count) slots have a value, \(taken.count) stand in the table")
      for index in taken {
        try Invariant.hold(place(of: entries[index].slot) == index, "a slot with a value is found, once")
      }
    }
  }
#endif
