import FencepostKernel

/// Values that one device has for single conditions: a list of entries, which is searched linearly up to 16 entries and
/// by an index above that. Most devices have few entries, and a linear search of few entries costs less than a hash.
/// The order of the entries must not affect any output.
struct DeviceEntries<Value: Sendable>: Sendable {
  private struct Entry {
    var slot: UInt32
    var value: Value
  }

  /// The place of an entry in the list.
  private struct Place: SparseValue {
    var number: UInt32 = 0
  }

  /// A longer list has an index. The index is dropped at a quarter of this length, so that few changes rebuild it.
  private static var fewEntries: Int { 16 }
  /// If the capacity is larger than this, `removeAll` frees the list.
  private static var longestKept: Int { 1_024 }

  private var entries: ContiguousArray<Entry> = []
  /// Empty while there are few entries.
  private var index = SparseSlots<Place>()
  private var isIndexed = false

  @inline(__always)
  var isEmpty: Bool { entries.isEmpty }

  var count: Int { entries.count }

  /// The slots that have an entry.
  var slots: some Sequence<UInt32> { entries.lazy.map { $0.slot } }

  /// Calls `body` with each entry.
  func forEach(_ body: (UInt32, Value) -> Void) {
    for entry in entries { body(entry.slot, entry.value) }
  }

  /// The value of a slot; `nil` if it has no entry.
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

  /// Removes the entry of a slot.
  ///
  /// - Returns: Whether there was one.
  mutating func remove(_ slot: UInt32) -> Bool {
    let place = place(of: slot)
    if place >= 0 { remove(at: place) }
    return place >= 0
  }

  /// Changes the value of a slot; a slot without an entry has the value `common`. If the value becomes `common`, the
  /// entry is removed.
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

  mutating func removeAll() {
    guard !entries.isEmpty else { return }
    entries.removeAll(keepingCapacity: entries.capacity <= Self.longestKept)
    dropIndex()
  }

  // MARK: - Places

  /// The place of a slot's entry, or −1 if it has none.
  @inline(__always)
  private func place(of slot: UInt32) -> Int {
    if isIndexed { return indexedPlace(of: slot) }
    return entries.withUnsafeBufferPointer { entries in
      var place = 0
      while place < entries.count {
        if entries[place].slot == slot { return place }
        place &+= 1
      }
      return -1
    }
  }

  @inline(never)
  private func indexedPlace(of slot: UInt32) -> Int { index[slot].map { Int($0.number) } ?? -1 }

  @inline(never)
  private mutating func insert(_ slot: UInt32, _ value: Value) {
    entries.append(Entry(slot: slot, value: value))
    if isIndexed {
      index[slot] = Place(number: UInt32(entries.count - 1))
    } else if entries.count > Self.fewEntries {
      isIndexed = true
      for place in entries.indices { index[entries[place].slot] = Place(number: UInt32(place)) }
    }
  }

  /// Removes an entry and moves the last entry to its place.
  @inline(never)
  private mutating func remove(at place: Int) {
    let last = entries.removeLast()
    if isIndexed { index[place < entries.count ? entries[place].slot : last.slot] = nil }
    if place < entries.count {
      entries[place] = last
      if isIndexed { index[last.slot] = Place(number: UInt32(place)) }
    }
    if isIndexed, entries.count * 4 <= Self.fewEntries { dropIndex() }
  }

  private mutating func dropIndex() {
    guard isIndexed else { return }
    index = SparseSlots()
    isIndexed = false
  }
}

#if FENCEPOST_INVARIANTS
  extension DeviceEntries {
    func checkInvariants() throws(Invariant.Broken) {
      try index.checkInvariants()
      try Invariant.hold(index.count == (isIndexed ? count : 0), "the index has each entry, or is empty")
      for (place, entry) in entries.enumerated() {
        try Invariant.hold(self.place(of: entry.slot) == place, "the index finds each entry")
      }
    }
  }
#endif
