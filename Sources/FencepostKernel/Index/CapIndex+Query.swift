extension CapIndex {
  /// Appends the id of every cap that comes within a distance of a position: of every cap whose centre is no farther
  /// (straight through the Earth) than its reach and the distance together.
  ///
  /// The comparison errs towards reporting: a cap farther by less than a millionth, or by less than a ten-millionth of
  /// the edge of the cube it lives in, may be among the results; none is missed.
  ///
  /// - Parameters:
  ///   - position: where to look.
  ///   - distance: metres, at least 0, may be infinite.
  ///   - ids: appended to, in an order that depends only on the history of the index.
  public func collect(near position: EarthVector, within distance: Double, into ids: inout ContiguousArray<UInt32>) {
    // Also turns away what is not a number.
    guard distance >= 0 else { return }
    if !strays.isEmpty { collectStrays(near: position, within: distance, into: &ids) }
    guard treeCount > 0, position.x == position.x, position.y == position.y, position.z == position.z else { return }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: CapSearch.bufferSize) { buffer in
      nodes.withUnsafeBufferPointer { nodes in
        groups.withUnsafeBufferPointer { groups in
          guard let nodeBase = nodes.baseAddress, let bufferBase = buffer.baseAddress else { return }
          var search = CapSearch(
            nodes: nodeBase, nodeMask: nodes.count &- 1, hashShift: hashShift,
            groups: groups.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(nodeBase),
            buffer: bufferBase, position: position, distance: distance)
          var level = CapLevel.base
          var reach = levelReaches[level]
          while level < CapLevel.top && Double(CapLevel.reach(level)) < distance {
            level &+= 1
            reach = max(reach, levelReaches[level])
          }
          search.look(level: level, reach: reach, descending: true, into: &ids)
          while level < CapLevel.top {
            level &+= 1
            if levelCounts[level] != 0 {
              search.look(level: level, reach: levelReaches[level], descending: false, into: &ids)
            }
          }
          search.flush(into: &ids)
        }
      }
    }
  }

  @inline(never)
  private func collectStrays(
    near position: EarthVector, within distance: Double, into ids: inout ContiguousArray<UInt32>
  ) {
    for stray in strays {
      let limit = stray.reach + distance
      if limit >= 0 && stray.centre.squaredChord(to: position) <= limit * limit { ids.append(stray.id) }
    }
  }
}

/// One search: the storage of the index, what is asked, and results not yet handed over.
struct CapSearch {
  static var bufferSize: Int { 256 }

  let nodes: UnsafePointer<CapIndex.Node>
  let nodeMask: Int
  let hashShift: UInt64
  let groups: UnsafeRawPointer
  let buffer: UnsafeMutablePointer<UInt32>
  var buffered = 0
  let position: EarthVector
  let distance: Double

  init(
    nodes: UnsafePointer<CapIndex.Node>, nodeMask: Int, hashShift: UInt64, groups: UnsafeRawPointer,
    buffer: UnsafeMutablePointer<UInt32>, position: EarthVector, distance: Double
  ) {
    self.nodes = nodes
    self.nodeMask = nodeMask
    self.hashShift = hashShift
    self.groups = groups
    self.buffer = buffer
    self.position = position
    self.distance = distance
  }

  mutating func flush(into ids: inout ContiguousArray<UInt32>) {
    ids.append(contentsOf: UnsafeBufferPointer(start: buffer, count: buffered))
    buffered = 0
  }

  @inline(__always)
  func slot(_ key: UInt64) -> Int {
    var slot = CapIndex.home(key, hashShift)
    while true {
      let found = nodes[slot].key
      if found == key { return slot }
      if found == 0 { return -1 }
      slot = (slot &+ 1) & nodeMask
    }
  }

  /// The distance in single precision, padded for the rounding of what is measured at a level: the position relative
  /// to a cube within `reach + distance` of it, and the comparison itself.
  @inline(__always)
  func paddedDistance(level: Int) -> Float {
    Float((distance + 0x1.8p-23 * (1.5 * CapLevel.edge(level) + distance)) * (1 + 0x1p-21))
  }

  /// Searches the cubes of a level around the position, and what is below them if `descending`.
  @inline(__always)
  mutating func look(level: Int, reach: Float, descending: Bool, into ids: inout ContiguousArray<UInt32>) {
    let edge = CapLevel.edge(level)
    let radius = (Double(reach) + distance) * (1 + 0x1p-40)
    let cells = Double(1 &<< (2 &* (CapLevel.top &- level)))
    @inline(__always)
    func index(_ value: Double) -> Int {
      Int(max(0, min((value + CapLevel.origin) / edge, cells - 1)))
    }
    let firstX = index(position.x - radius)
    let lastX = index(position.x + radius)
    let firstY = index(position.y - radius)
    let lastY = index(position.y + radius)
    let firstZ = index(position.z - radius)
    let lastZ = index(position.z + radius)
    var x = firstX
    while x <= lastX {
      let relativeX = position.x - ((Double(x) + 0.5) * edge - CapLevel.origin)
      var y = firstY
      while y <= lastY {
        let relativeY = position.y - ((Double(y) + 0.5) * edge - CapLevel.origin)
        var z = firstZ
        while z <= lastZ {
          let relativeZ = position.z - ((Double(z) + 0.5) * edge - CapLevel.origin)
          let gapX = max(relativeX.magnitude - 0.5 * edge, 0)
          let gapY = max(relativeY.magnitude - 0.5 * edge, 0)
          let gapZ = max(relativeZ.magnitude - 0.5 * edge, 0)
          let gap = gapX * gapX + gapY * gapY + gapZ * gapZ
          if gap <= radius * radius {
            let slot = slot(CapLevel.key(level: level, x: x, y: y, z: z))
            if slot >= 0 {
              if descending {
                visit(slot: slot, level: level, x: x, y: y, z: z, into: &ids)
              } else if nodes[slot].count != 0 {
                let relative = SIMD3(Float(relativeX), Float(relativeY), Float(relativeZ))
                scan(slot: slot, relative: relative, padded: paddedDistance(level: level), into: &ids)
              }
            }
          }
          z &+= 1
        }
        y &+= 1
      }
      x &+= 1
    }
  }

  /// Searches a node and what is below it.
  mutating func visit(slot: Int, level: Int, x: Int, y: Int, z: Int, into ids: inout ContiguousArray<UInt32>) {
    let node = nodes + slot
    let edge = CapLevel.edge(level)
    let relative = SIMD3(
      Float(position.x - ((Double(x) + 0.5) * edge - CapLevel.origin)),
      Float(position.y - ((Double(y) + 0.5) * edge - CapLevel.origin)),
      Float(position.z - ((Double(z) + 0.5) * edge - CapLevel.origin)))
    let padded = paddedDistance(level: level)
    if node.pointee.count != 0 { scan(slot: slot, relative: relative, padded: padded, into: &ids) }
    let children = node.pointee.children
    guard children != 0, level > 0 else { return }

    let quarter = Float(CapLevel.edge(level &- 1))
    let radius = (min(node.pointee.reach, CapLevel.reach(level &- 1)) + padded) * (1 + 0x1p-21)
    let limit = radius * radius
    let gapsX = CapSearch.gaps(relative.x, quarter)
    let gapsY = CapSearch.gaps(relative.y, quarter)
    let gapsZ = CapSearch.gaps(relative.z, quarter)
    let nearX = UInt64(truncatingIfNeeded: CapIndex.bits(gapsX .<= limit))
    let nearY = UInt64(truncatingIfNeeded: CapIndex.bits(gapsY .<= limit))
    let nearZ = UInt64(truncatingIfNeeded: CapIndex.bits(gapsZ .<= limit))
    let spreadY = (nearY & 1 | (nearY & 2) &<< 3 | (nearY & 4) &<< 6 | (nearY & 8) &<< 9) &* 15
    let spreadZ = (nearZ & 1 | (nearZ & 2) &<< 15 | (nearZ & 4) &<< 30 | (nearZ & 8) &<< 45) &* 0xFFFF
    var near = children & (nearX &* 0x1111_1111_1111_1111) & (spreadY &* 0x0001_0001_0001_0001) & spreadZ
    while near != 0 {
      let child = near.trailingZeroBitCount
      near &= near &- 1
      let childX = child & 3
      let childY = child &>> 2 & 3
      let childZ = child &>> 4 & 3
      let gap = gapsX[childX] + gapsY[childY] + gapsZ[childZ]
      guard gap <= limit else { continue }
      let nextX = x &<< 2 | childX
      let nextY = y &<< 2 | childY
      let nextZ = z &<< 2 | childZ
      let next = self.slot(CapLevel.key(level: level &- 1, x: nextX, y: nextY, z: nextZ))
      guard next >= 0 else { continue }
      let nextRadius = (nodes[next].reach + padded) * (1 + 0x1p-21)
      guard gap <= nextRadius * nextRadius else { continue }
      visit(slot: next, level: level &- 1, x: nextX, y: nextY, z: nextZ, into: &ids)
    }
  }

  /// The squared distances along an axis to the four children of a cube.
  @inline(__always)
  static func gaps(_ relative: Float, _ quarter: Float) -> SIMD4<Float> {
    let below = SIMD4<Float>(-2, -1, 0, 1) * quarter - relative
    let above = SIMD4<Float>(1, 0, -1, -2) * quarter + relative
    var gaps = below.replacing(with: above, where: above .> below)
    gaps.replace(with: 0, where: gaps .< 0)
    return gaps * gaps
  }

  /// Compares the entries of a node.
  @inline(__always)
  mutating func scan(slot: Int, relative: SIMD3<Float>, padded: Float, into ids: inout ContiguousArray<UInt32>) {
    let stride = MemoryLayout<CapIndex.Group>.stride
    var group = groups + Int(nodes[slot].block) &* stride
    let end = group + (Int(nodes[slot].count) &+ 3) &>> 2 &* stride
    let x = SIMD4(repeating: relative.x)
    let y = SIMD4(repeating: relative.y)
    let z = SIMD4(repeating: relative.z)
    let distance = SIMD4(repeating: padded)
    while group < end {
      let dx = group.load(as: SIMD4<Float>.self) - x
      let dy = group.load(fromByteOffset: 16, as: SIMD4<Float>.self) - y
      let dz = group.load(fromByteOffset: 32, as: SIMD4<Float>.self) - z
      // Not a number in unused lanes: no comparison holds.
      let reach = group.load(fromByteOffset: 48, as: SIMD4<Float>.self) + distance
      let near = (dx * dx + dy * dy + dz * dz) .<= reach * reach
      var bits = CapIndex.bits(near)
      if bits != 0 {
        if buffered > CapSearch.bufferSize &- 4 { flush(into: &ids) }
        repeat {
          let lane = bits.trailingZeroBitCount
          bits &= bits &- 1
          buffer[buffered] = group.load(fromByteOffset: 64 &+ 4 &* lane, as: UInt32.self)
          buffered &+= 1
        } while bits != 0
      }
      group += stride
    }
  }
}
