import FencepostKernel

/// The last event that was handled, of those conditions that have had one.
struct RecordTable: Sendable {
  private var entries: ContiguousArray<EventEntry> = []
  private var free: ContiguousArray<UInt32> = []

  subscript(index: UInt32) -> EventEntry { entries[Int(index)] }

  mutating func insert(_ entry: EventEntry) -> UInt32 {
    if let index = free.popLast() {
      entries[Int(index)] = entry
      return index
    }
    entries.append(entry)
    return UInt32(entries.count - 1)
  }

  mutating func update(_ index: UInt32, _ entry: EventEntry) {
    entries[Int(index)] = entry
  }

  mutating func remove(_ index: UInt32) {
    free.append(index)
  }
}

#if FENCEPOST_INVARIANTS
  extension RecordTable {
    /// - Parameter used: The record of each condition that has one.
    func checkInvariants(_ used: [UInt32]) throws(Invariant.Broken) {
      try Invariant.hold(Set(used).count == used.count, "no two conditions have one record")
      try Invariant.hold(
        used.count + free.count == entries.count && Set(used).isDisjoint(with: free),
        "a record is free or a condition's")
    }
  }
#endif
