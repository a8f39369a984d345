import FencepostKernel

/// The records: the last committed event of each condition that has one.
///
/// The entries are in blocks because their final number is unknown at the start. A single array needs memory for all
/// entries twice while it grows, and a million entries take 90 MB.
struct RecordTable: Sendable {
  private static let blockBits: UInt32 = 12
  private static let blockSize: UInt32 = 1 << blockBits

  private var blocks: ContiguousArray<ContiguousArray<EventEntry>> = []
  private var count: UInt32 = 0
  private var free: ContiguousArray<UInt32> = []

  @inline(__always)
  private static func place(_ index: UInt32) -> (block: Int, entry: Int) {
    (Int(index >> blockBits), Int(index & (blockSize - 1)))
  }

  subscript(index: UInt32) -> EventEntry {
    let place = Self.place(index)
    return blocks[place.block][place.entry]
  }

  /// Starts to read an entry into the cache.
  @inline(__always)
  func readAhead(_ index: UInt32) {
    let place = Self.place(index)
    ReadAhead.begin(blocks[place.block], place.entry)
  }

  mutating func insert(_ entry: EventEntry) -> UInt32 {
    if let index = free.popLast() {
      update(index, entry)
      return index
    }
    if count & (Self.blockSize - 1) == 0 {
      blocks.append([])
      // The first block grows with its entries, so that a small monitor needs little memory.
      if count > 0 { blocks[blocks.count - 1].reserveCapacity(Int(Self.blockSize)) }
    }
    blocks[blocks.count - 1].append(entry)
    count += 1
    return count - 1
  }

  mutating func update(_ index: UInt32, _ entry: EventEntry) {
    let place = Self.place(index)
    blocks[place.block][place.entry] = entry
  }

  mutating func remove(_ index: UInt32) {
    free.append(index)
  }
}

#if FENCEPOST_INVARIANTS
  extension RecordTable {
    /// - Parameter used: The index of the record of each condition that has one.
    func checkInvariants(_ used: [UInt32]) throws(Invariant.Broken) {
      try Invariant.hold(Set(used).count == used.count, "no two conditions have one record")
      try Invariant.hold(
        used.count + free.count == Int(count) && Set(used).isDisjoint(with: free),
        "a record is free or a condition's")
      try Invariant.hold(
        blocks.reduce(0) { $0 + $1.count } == Int(count)
          && blocks.dropLast().allSatisfy { $0.count == Int(Self.blockSize) },
        "all blocks except the last are full")
    }
  }
#endif
