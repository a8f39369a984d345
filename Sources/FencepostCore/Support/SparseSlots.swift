import CPlatform
import FencepostKernel

/// A value that a slot can have though most slots have none.
protocol SparseValue: Sendable {
  /// What fills the places of the table that are free.
  init()
}

/// The values of those slots that are not as every other one.
///
/// While the values are few, a slot's home in the table is a hash of its number; once the table would be as long as the
/// slots are many, it is the number itself, and each look-up reads one place.
struct SparseSlots<Value: SparseValue>: Sendable {
  private struct Entry: OpenTableEntry {
    var slot: UInt32
    var value: Value

    @inline(__always)
    init() { self.init(slot: SparseSlots.free, value: Value()) }

    @inline(__always)
    init(slot: UInt32, value: Value) {
      self.slot = slot
      self.value = value
    }

    @inline(__always)
    var isFree: Bool { slot == SparseSlots.free }

    @inline(__always)
    func home(_ homes: OpenTableHomes) -> Int { homes.of(UInt64(slot)) }
  }

  /// The number that no slot has.
  private static var free: UInt32 { .max }
  /// A table longer than this is made smaller when fewer than one place of so many is taken; what is shorter may fill and
  /// empty again without asking the system for memory.
  private static var longestKept: Int { 1_024 }
  private static var sparsest: Int { 16 }

  private var table = OpenTable<Entry>()
  /// One more than the largest slot that ever had a value.
  private var bound = 0

  var count: Int { table.count }

  /// How many places a walk over all values looks at.
  var placeCount: Int { table.length }

  /// The value of a slot; `nil` where it has none.
  @inline(__always)
  subscript(slot: UInt32) -> Value? {
    get {
      let place = place(of: slot)
      return place < 0 ? nil : table[place].value
    }
    set {
      let place = place(of: slot)
      if let newValue {
        if place < 0 { insert(slot, newValue) } else { table[place].value = newValue }
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
      yield &table[place].value
    }
  }

  /// Begins to read the value of a slot into the cache.
  @inline(__always)
  func readAhead(_ slot: UInt32) {
    table.withUnsafeBufferPointer { entries in
      guard let start = entries.baseAddress, entries.count > 0 else { return }
      cplatform_read_ahead(start + (table.homes.of(UInt64(slot)) & (entries.count &- 1)))
    }
  }

  /// Calls `body` with each slot that has a value, in no particular order.
  func forEach(_ body: (UInt32, Value) -> Void) {
    table.forEach { body($0.slot, $0.value) }
  }

  /// Takes all values away; a table that is not long stays.
  mutating func removeAll() {
    table.removeAll(keeping: Self.longestKept)
  }

  // MARK: - Places

  /// Where the value of a slot stands, or −1.
  @inline(__always)
  private func place(of slot: UInt32) -> Int {
    guard Int(slot) < bound else { return -1 }
    return table.place(from: table.homes.of(UInt64(slot))) { $0.slot == slot }
  }

  /// Enters a slot that has no value.
  @inline(never)
  private mutating func insert(_ slot: UInt32, _ value: Value) {
    bound = max(bound, Int(slot) + 1)
    if table.isAtHome ? Int(slot) >= table.length : !table.hasRoom(for: 1) {
      layOut(for: table.count + 1)
    } else if table.isCrowded {
      table.scatter()
    }
    table.insert(Entry(slot: slot, value: value))
  }

  @inline(never)
  private mutating func remove(at place: Int) {
    table.remove(at: place)
    if table.length > Self.longestKept, table.count * Self.sparsest < table.length { layOut(for: table.count) }
  }

  /// Lays the table out anew, with room for so many values.
  private mutating func layOut(for count: Int) {
    var length = OpenTable<Entry>.length(for: count)
    guard length >= bound else { return table.layOut(length: length) }
    let shortest = OpenTable<Entry>.length(for: 0)
    while length / 2 >= max(bound, shortest) { length /= 2 }
    table.layOutAtHome(length: length)
  }
}

#if FENCEPOST_INVARIANTS
  extension SparseSlots {
    func checkInvariants() throws(Invariant.Broken) {
      try table.checkInvariants()
      var slots: Set<UInt32> = []
      table.forEach { slots.insert($0.slot) }
      try Invariant.hold(
        slots.count == count && slots.allSatisfy { self[$0] != nil }, "each slot with a value is found once")
    }
  }
#endif

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
