// The storage of the tree: a hash table of nodes and an arena of blocks.
extension CapIndex {
  // MARK: Hash table

  /// The preferred slot of a node in the hash table. The children of a node have neighbouring slots, so a search, which
  /// needs several of them, reads few memory pages of the table. A preferred slot may lie after the end of the table.
  @inline(__always)
  static func home(_ key: UInt64, _ homes: OpenTableHomes) -> Int {
    let child = (key &>> 38 & 3) | (key &>> 17 & 12) | (key & 3) &<< 4
    return homes.of(key & ~CapLevel.familyMask) &+ Int(truncatingIfNeeded: child)
  }

  /// Returns the slot of a node, or −1 if the node does not exist.
  @inline(__always)
  func slot(_ key: UInt64) -> Int {
    nodes.place(from: CapIndex.home(key, nodes.homes)) { $0.key == key }
  }

  /// Adds a new node; there must be room for it.
  mutating func addNode(_ key: UInt64) -> Int {
    nodes.insert(Node(key: key))
  }

  // MARK: Blocks

  mutating func allocateBlock(log: Int) -> Int {
    liveGroups &+= 1 &<< log
    var found = log
    while found < freeBlocks.count && freeBlocks[found] == 0 { found &+= 1 }
    if found < freeBlocks.count {
      let block = Int(freeBlocks[found]) &- 1
      freeBlocks[found] = groups[block].ids[0]
      while found > log {
        found &-= 1
        chainBlock(block &+ (1 &<< found), log: found)
      }
      return block
    }
    let block = groups.count
    let needed = block &+ (1 &<< log)
    if needed > groups.capacity { groups.reserveCapacity(needed &+ needed / 2) }
    for _ in block..<needed { groups.append(Group()) }
    return block
  }

  mutating func freeBlock(_ block: Int, log: Int) {
    liveGroups &-= 1 &<< log
    chainBlock(block, log: log)
  }

  private mutating func chainBlock(_ block: Int, log: Int) {
    groups[block].ids[0] = freeBlocks[log]
    freeBlocks[log] = UInt32(truncatingIfNeeded: block &+ 1)
  }

  // MARK: Order

  /// Counts a change of the index, and after many changes reorders the blocks. Reordering costs some tens of
  /// nanoseconds per change on average.
  @inline(__always)
  mutating func countChange() {
    changes &+= 1
    if changes > CapIndex.fewChanges && changes > treeCount / CapIndex.settledFor { settle() }
  }

  /// Reorders the blocks so that parents come before their children and neighbours lie together; a search then reads
  /// few memory pages. The reordering releases free blocks unless they were reserved.
  mutating func settle() {
    changes = 0
    var settled = ContiguousArray<Group>()
    settled.reserveCapacity(max(liveGroups &+ liveGroups / 8, reservedGroups))
    let root = slot(CapLevel.key(level: CapLevel.top, x: 0, y: 0, z: 0))
    if root >= 0 { settle(slot: root, into: &settled) }
    groups = settled
    for log in 0..<freeBlocks.count { freeBlocks[log] = 0 }
  }

  private mutating func settle(slot: Int, into settled: inout ContiguousArray<Group>) {
    let node = nodes[slot]
    if node.count > 0 {
      let block = Int(node.block)
      nodes[slot].block = UInt32(truncatingIfNeeded: settled.count)
      settled.append(contentsOf: groups[block..<block &+ 1 &<< Int(node.blockLog)])
    }
    var children = node.children
    while children != 0 {
      let child = self.slot(CapIndex.childKey(node.key, children.trailingZeroBitCount))
      children &= children &- 1
      if child >= 0 { settle(slot: child, into: &settled) }
    }
  }

  /// Moves the entries of a node to a block of a different size.
  mutating func resizeBlock(slot: Int, log: Int) {
    let from = Int(nodes[slot].block)
    let to = allocateBlock(log: log)
    let used = (Int(nodes[slot].count) &+ 3) &>> 2
    for index in 0..<used { groups[to &+ index] = groups[from &+ index] }
    freeBlock(from, log: Int(nodes[slot].blockLog))
    nodes[slot].block = UInt32(truncatingIfNeeded: to)
    nodes[slot].blockLog = UInt8(truncatingIfNeeded: log)
  }

  // MARK: Entries

  struct Entry {
    var offset: SIMD3<Float>
    var reach: Float
    var id: UInt32
  }

  @inline(__always)
  func entry(slot: Int, index: Int) -> Entry {
    let lane = index & 3
    let group = groups[Int(nodes[slot].block) &+ index &>> 2]
    return Entry(
      offset: SIMD3(group.x[lane], group.y[lane], group.z[lane]), reach: group.reach[lane], id: group.ids[lane])
  }

  @inline(__always)
  mutating func setEntry(_ entry: Entry, slot: Int, index: Int) {
    let lane = index & 3
    let place = Int(nodes[slot].block) &+ index &>> 2
    groups[place].x[lane] = entry.offset.x
    groups[place].y[lane] = entry.offset.y
    groups[place].z[lane] = entry.offset.z
    groups[place].reach[lane] = entry.reach
    groups[place].ids[lane] = entry.id
  }

  mutating func appendEntry(_ entry: Entry, slot: Int) {
    let count = Int(nodes[slot].count)
    if count == 0 {
      nodes[slot].block = UInt32(truncatingIfNeeded: allocateBlock(log: 0))
      nodes[slot].blockLog = 0
    } else if count == 4 &<< Int(nodes[slot].blockLog) {
      resizeBlock(slot: slot, log: Int(nodes[slot].blockLog) &+ 1)
    }
    if nodes[slot].reach < entry.reach { nodes[slot].reach = entry.reach }
    nodes[slot].count = UInt32(truncatingIfNeeded: count &+ 1)
    setEntry(entry, slot: slot, index: count)
  }

  /// Replaces an entry of a node with the node's last entry.
  mutating func removeEntry(slot: Int, index: Int) {
    let last = Int(nodes[slot].count) &- 1
    if index != last { setEntry(entry(slot: slot, index: last), slot: slot, index: index) }
    nodes[slot].count = UInt32(truncatingIfNeeded: last)
    let log = Int(nodes[slot].blockLog)
    if last == 0 {
      freeBlock(Int(nodes[slot].block), log: log)
    } else if log > 0 && last <= 1 &<< log {
      resizeBlock(slot: slot, log: log &- 1)
    }
  }

  /// Returns the index of an entry at a node, or −1.
  @inline(__always)
  func find(_ id: UInt32, slot: Int) -> Int {
    groups.withUnsafeBufferPointer { groups in
      let block = Int(nodes[slot].block)
      let count = Int(nodes[slot].count)
      let wanted = SIMD4<UInt32>(repeating: id)
      var index = 0
      while index < count {
        let bits = CapIndex.bits(groups[block &+ index &>> 2].ids .== wanted)
        if bits != 0 {
          let found = index &+ bits.trailingZeroBitCount
          return found < count ? found : -1
        }
        index &+= 4
      }
      return -1
    }
  }

  /// Returns one bit for each lane: bits 0 to 3 for the first vector, and bits 4 to 7 for the second.
  @inline(__always)
  static func bits(_ one: SIMDMask<SIMD4<Int32>>, _ two: SIMDMask<SIMD4<Int32>>) -> Int {
    let lanes =
      unsafeBitCast(one, to: SIMD4<UInt32>.self) & SIMD4(1, 2, 4, 8)
      | unsafeBitCast(two, to: SIMD4<UInt32>.self) & SIMD4(16, 32, 64, 128)
    let halves = unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
    let both = halves[0] | halves[1]
    return Int(truncatingIfNeeded: (both | both &>> 32) & 255)
  }

  /// Returns one bit for each lane of a vector.
  @inline(__always)
  static func bits(_ mask: SIMDMask<SIMD4<Int32>>) -> Int {
    let lanes = unsafeBitCast(mask, to: SIMD4<UInt32>.self) & SIMD4(1, 2, 4, 8)
    let halves = unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
    let both = halves[0] | halves[1]
    return Int(truncatingIfNeeded: (both | both &>> 32) & 15)
  }
}
