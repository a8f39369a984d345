extension CapIndex {
  /// If a node has at least this many entries and a full block, the index tries to move entries to children of the
  /// node.
  static var crowd: Int { 16 }
  /// The minimum number of entries for which a child is created: smaller children cost more in cache misses than they
  /// save in comparisons.
  static var brood: Int { 12 }
  /// The blocks are reordered when the number of changes exceeds both `fewChanges` and the number of caps divided by
  /// `settledFor`. If reorderings were rarer, searches would read more pages; if they were more frequent, the
  /// reorderings would cost more than the insertions.
  static var fewChanges: Int { 1_024 }
  static var settledFor: Int { 4 }

  /// Adds a cap.
  ///
  /// - Parameters:
  ///   - id: Any value; `collect` reports this id. The index does not check whether an id is used twice.
  ///   - centre: A point on the Earth's surface.
  ///   - reach: In metres, measured straight through the Earth; at least 0, and may be infinite or longer than the
  ///     diameter of the Earth.
  public mutating func insert(_ id: UInt32, centre: EarthVector, reach: Double) {
    guard let cap = CapPlacement(centre: centre, reach: reach) else {
      strays.append(Stray(centre: centre, reach: reach, id: id))
      return
    }
    treeCount &+= 1
    var level = cap.start
    levelCounts[level] &+= 1
    if levelReaches[level] < cap.reach { levelReaches[level] = cap.reach }
    nodes.makeRoom(for: CapLevel.top &+ 2)
    var slot = enter(cap)
    while level > cap.level {
      let child = cap.child(level: level)
      if nodes[slot].children &>> child & 1 == 0 {
        let count = Int(nodes[slot].count)
        guard count >= CapIndex.crowd, count == 4 &<< Int(nodes[slot].blockLog) else { break }
        slot = spread(slot: slot, level: level)
        guard nodes[slot].children &>> child & 1 != 0 else { break }
      }
      level &-= 1
      slot = self.slot(cap.key(level: level))
      if nodes[slot].reach < cap.reach { nodes[slot].reach = cap.reach }
    }
    appendEntry(Entry(offset: cap.offset(level: level), reach: cap.reach, id: id), slot: slot)
    countChange()
  }

  /// Takes a cap out.
  ///
  /// - Parameters: The values that were passed to `insert` for this cap. Does nothing if the index does not contain
  ///   this cap.
  public mutating func remove(_ id: UInt32, centre: EarthVector, reach: Double) {
    guard let cap = CapPlacement(centre: centre, reach: reach) else {
      removeStray(id, centre: centre, reach: reach)
      return
    }
    var level = cap.start
    while true {
      let slot = self.slot(cap.key(level: level))
      if slot < 0 { return }
      if nodes[slot].count > 0 {
        let index = find(id, slot: slot)
        if index >= 0 {
          removeEntry(slot: slot, index: index)
          break
        }
      }
      if level == cap.level || nodes[slot].children == 0 { return }
      level &-= 1
    }
    treeCount &-= 1
    if treeCount == 0 {
      let strays = self.strays
      self = CapIndex()
      self.strays = strays
      return
    }
    levelCounts[cap.start] &-= 1
    if levelCounts[cap.start] == 0 { levelReaches[cap.start] = 0 }
    prune(cap, level: level)
    countChange()
  }

  /// Allocates the memory for `count` caps at once; this affects only speed.
  public mutating func reserve(_ count: Int) {
    let count = min(max(count, 0), 1 &<< 24)
    reservedGroups = count / 4 &+ count / 8
    groups.reserveCapacity(reservedGroups)
    nodes.makeRoom(for: max(count / 8 &- nodes.count, 0))
  }

  private mutating func removeStray(_ id: UInt32, centre: EarthVector, reach: Double) {
    let wanted = CapIndex.bits(centre, reach)
    let index = strays.firstIndex { $0.id == id && CapIndex.bits($0.centre, $0.reach) == wanted }
    guard let index else { return }
    strays.swapAt(index, strays.count &- 1)
    strays.removeLast()
    if strays.isEmpty { strays = [] }
  }

  /// The bit patterns used to compare caps, so that a NaN compares equal to itself.
  private static func bits(_ centre: EarthVector, _ reach: Double) -> SIMD4<UInt64> {
    SIMD4(centre.x.bitPattern, centre.y.bitPattern, centre.z.bitPattern, reach.bitPattern)
  }

  /// Returns the node at which a cap enters the tree; creates the node and its ancestors if necessary.
  private mutating func enter(_ cap: CapPlacement) -> Int {
    let start = cap.start
    var level = start
    var slot = self.slot(cap.key(level: level))
    var first = slot
    if slot < 0 {
      slot = addNode(cap.key(level: level))
      first = slot
      while level < CapLevel.top {
        nodes[slot].reach = cap.reach
        level &+= 1
        let bit = 1 &<< cap.child(level: level)
        slot = self.slot(cap.key(level: level))
        if slot >= 0 {
          nodes[slot].children |= bit
          break
        }
        slot = addNode(cap.key(level: level))
        nodes[slot].children = bit
      }
    }
    while nodes[slot].reach < cap.reach {
      nodes[slot].reach = cap.reach
      if level == CapLevel.top { break }
      level &+= 1
      slot = self.slot(cap.key(level: level))
    }
    return first
  }

  /// Moves entries of a node to its children. A new child is created only for at least `brood` entries. Returns the
  /// slot of the node, which may have changed.
  private mutating func spread(slot: Int, level: Int) -> Int {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { tally in
      tally.initialize(repeating: 0)
      let limit = CapLevel.reach(level &- 1)
      let quarter = Float(CapLevel.edge(level &- 1))
      let key = nodes[slot].key
      var slot = slot
      for index in 0..<Int(nodes[slot].count) {
        let entry = entry(slot: slot, index: index)
        if entry.reach <= limit { tally[CapIndex.child(of: entry.offset, quarter: quarter)] &+= 1 }
      }
      var made = 0
      for child in 0..<64 where tally[child] >= CapIndex.brood { made &+= 1 }
      guard made > 0 else { return slot }
      nodes.makeRoom(for: made &+ CapLevel.top &+ 2)
      slot = self.slot(key)
      for child in 0..<64 where tally[child] >= CapIndex.brood {
        nodes[slot].children |= 1 &<< UInt64(truncatingIfNeeded: child)
        tally[child] = UInt32(truncatingIfNeeded: addNode(CapIndex.childKey(key, child)) &+ 1) | 1 &<< 31
      }
      var index = Int(nodes[slot].count)
      while index > 0 {
        index &-= 1
        var entry = entry(slot: slot, index: index)
        guard entry.reach <= limit else { continue }
        let child = CapIndex.child(of: entry.offset, quarter: quarter)
        guard tally[child] &>> 31 != 0 else { continue }
        entry.offset -= CapIndex.centre(ofChild: child, quarter: quarter)
        removeEntry(slot: slot, index: index)
        appendEntry(entry, slot: Int(tally[child] & 0x7FFF_FFFF) &- 1)
      }
      return slot
    }
  }

  /// After a removal, moves the entries of a leaf to its parent if only a few entries remain, and removes empty nodes.
  private mutating func prune(_ cap: CapPlacement, level: Int) {
    var level = level
    var slot = self.slot(cap.key(level: level))
    while nodes[slot].children == 0 && level < CapLevel.top {
      let count = Int(nodes[slot].count)
      let parent = self.slot(cap.key(level: level &+ 1))
      let child = cap.child(level: level &+ 1)
      if count > 0 {
        guard level < CapLevel.base, count < CapIndex.brood,
          Int(nodes[parent].count) &+ count <= CapIndex.crowd / 2
        else { return }
        let shift = CapIndex.centre(
          ofChild: Int(truncatingIfNeeded: child), quarter: Float(CapLevel.edge(level)))
        while nodes[slot].count > 0 {
          let last = Int(nodes[slot].count) &- 1
          var entry = entry(slot: slot, index: last)
          entry.offset += shift
          removeEntry(slot: slot, index: last)
          appendEntry(entry, slot: parent)
        }
      }
      nodes[parent].children &= ~(1 &<< child)
      nodes.remove(at: slot)
      level &+= 1
      slot = self.slot(cap.key(level: level))
      if nodes[slot].count > 0 { return }
    }
  }

  // MARK: Children

  /// The number of the child that contains the point at an offset. The result is exact, because the centres of caps are
  /// rounded to a grid.
  @inline(__always)
  static func child(of offset: SIMD3<Float>, quarter: Float) -> Int {
    @inline(__always)
    func axis(_ value: Float) -> Int {
      (value >= -quarter ? 1 : 0) &+ (value >= 0 ? 1 : 0) &+ (value >= quarter ? 1 : 0)
    }
    return axis(offset.x) | axis(offset.y) &<< 2 | axis(offset.z) &<< 4
  }

  /// The centre of a child cube, relative to the centre of its parent cube.
  @inline(__always)
  static func centre(ofChild child: Int, quarter: Float) -> SIMD3<Float> {
    SIMD3(Float(child & 3) - 1.5, Float(child &>> 2 & 3) - 1.5, Float(child &>> 4) - 1.5) * quarter
  }

  /// The key of the nth child of the node with the given key.
  @inline(__always)
  static func childKey(_ key: UInt64, _ child: Int) -> UInt64 {
    let cell = key & (1 &<< 57 &- 1)
    return (key &>> 57 &- 1) &<< 57 | cell &<< 2 | CapLevel.childKey(child)
  }
}
