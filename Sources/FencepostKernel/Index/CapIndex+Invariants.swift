#if FENCEPOST_INVARIANTS
  extension CapIndex {
    /// Checks that every node can be reached, that its children and its `reach` are correct, and that it contains only
    /// caps that belong to it. The numbers of blocks and caps must agree with the nodes.
    package func checkInvariants() throws(Invariant.Broken) {
      var caps = 0
      var ownedGroups = 0
      try nodes.checkInvariants()
      var all: [Node] = []
      nodes.forEach { all.append($0) }
      for node in all {
        caps += Int(node.count)
        if node.count > 0 { ownedGroups += 1 << Int(node.blockLog) }
        try checkNode(node)
      }
      try Invariant.hold(
        ownedGroups == liveGroups, "the index counts \(liveGroups) groups in use, but has \(ownedGroups)")
      try Invariant.hold(caps == treeCount, "the index counts \(treeCount) caps in the tree, but has \(caps)")
    }

    private func checkNode(_ node: Node) throws(Invariant.Broken) {
      let level = Int(node.key >> 57) - 1
      let x = Int(node.key >> 38 & 0x7FFFF)
      let y = Int(node.key >> 19 & 0x7FFFF)
      let z = Int(node.key & 0x7FFFF)
      try Invariant.hold(node.count > 0 || node.children != 0, "a node of the index is empty")
      if level < CapLevel.top {
        let slot = slot(CapLevel.key(level: level + 1, x: x >> 2, y: y >> 2, z: z >> 2))
        try Invariant.hold(slot >= 0, "a node of the index has no parent")
        let bit = UInt64(x & 3 | (y & 3) << 2 | (z & 3) << 4)
        try Invariant.hold(nodes[slot].children >> bit & 1 == 1, "a parent in the index does not list its child")
        try Invariant.hold(nodes[slot].reach >= node.reach, "a cap of the index extends beyond its parent's bounds")
      }
      for bit in 0..<64 where node.children >> UInt64(bit) & 1 == 1 {
        let child = CapLevel.key(level: level - 1, x: x << 2 | bit & 3, y: y << 2 | bit >> 2 & 3, z: z << 2 | bit >> 4)
        try Invariant.hold(slot(child) >= 0, "a child of a node of the index is missing")
      }
      let half = Float(CapLevel.edge(level) / 2)
      for place in 0..<Int(node.count) {
        let group = groups[Int(node.block) + place / 4]
        let lane = place % 4
        try Invariant.hold(
          group.reach[lane] <= min(node.reach, CapLevel.reach(level)), "a cap of the index is too large for its node")
        try Invariant.hold(
          group.x[lane].magnitude <= half && group.y[lane].magnitude <= half && group.z[lane].magnitude <= half,
          "a cap of the index is stored in the wrong cube")
      }
    }
  }
#endif
