import CPlatform
import FencepostKernel

/// A value that few slots have.
protocol SparseValue: Sendable {
  /// The value in the free places of the table.
  init()
}

/// The values of those slots that have one.
///
/// While few slots have values, the home of a slot in the table is a hash of its number. Once the table would be as
/// long as the largest slot number, the home is the slot number itself, and each look-up reads one place.
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

  /// The number that no slot has; it marks a free place.
  private static var free: UInt32 { .max }
  /// A table longer than `longestKept` is made smaller when fewer than one place in `sparsest` is occupied. A shorter
  /// table keeps its memory, so it can empty and fill again without an allocation.
  private static var longestKept: Int { 1_024 }
  private static var sparsest: Int { 16 }

  private var table = OpenTable<Entry>()
  /// One more than the largest slot that ever had a value.
  private var bound = 0

  var count: Int { table.count }

  /// The number of places that an iteration over all values visits.
  var placeCount: Int { table.length }

  /// The value of a slot; `nil` if it has none.
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

  /// The value of a slot, for modification; a slot without a value first gets `common`.
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

  /// Removes all values; a table that is not longer than `longestKept` keeps its memory.
  mutating func removeAll() {
    table.removeAll(keeping: Self.longestKept)
  }

  // MARK: - Places

  /// The place of the value of a slot, or −1 if it has none.
  @inline(__always)
  private func place(of slot: UInt32) -> Int {
    guard Int(slot) < bound else { return -1 }
    return table.place(from: table.homes.of(UInt64(slot))) { $0.slot == slot }
  }

  /// Inserts a slot that has no value.
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

  /// Rebuilds the table with room for `count` values.
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
      var slots = Set<UInt32>()
      table.forEach { slots.insert($0.slot) }
      try Invariant.hold(
        slots.count == count && slots.allSatisfy { self[$0] != nil }, "each slot with a value is found once")
    }
  }
#endif

/// A set of slots, one bit for each.
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
  /// Removes all elements and keeps the capacity. An empty array needs no call.
  @inline(__always)
  mutating func clear() {
    if count == 1 {
      removeLast()
    } else if !isEmpty {
      removeAll(keepingCapacity: true)
    }
  }
}
