/// A cap within the requested distance of a position.
@frozen
public struct CapHit: Sendable, Equatable {
  public var id: UInt32
  /// A lower bound of the distance from the position to the cap, in metres; negative within the cap. The true distance
  /// is larger by no more than the rounding errors of single precision.
  public var slack: Float

  @inlinable
  public init(id: UInt32, slack: Float) {
    self.id = id
    self.slack = slack
  }
}

extension CapIndex {
  /// Finds every cap that is within a given distance of a position. A cap is within the distance if the chord from the
  /// position to the cap's centre is at most the cap's reach plus the distance.
  ///
  /// The results contain every cap within the distance. They may also contain caps that are slightly too far away: by a
  /// millionth of the sum of reach and distance, plus 4 · 10⁻⁷ of the edge of the cap's cube, plus two grid steps
  /// (`CapLevel.quantum`).
  ///
  /// - Parameters:
  ///   - position: The place around which to search.
  ///   - distance: In metres; at least 0, and may be infinite.
  ///   - hits: The results are appended to this array, in an order that depends only on the history of the index.
  public func collect(near position: EarthVector, within distance: Double, into hits: inout ContiguousArray<CapHit>) {
    // Also rejects NaN.
    guard distance >= 0 else { return }
    if !strays.isEmpty { collectStrays(near: position, within: distance, into: &hits) }
    guard treeCount > 0, position.x == position.x, position.y == position.y, position.z == position.z else { return }
    // The distance between any place on the Earth and any cap is less than 1e15 m. Limit the distance to 1e15 m, so
    // that its square does not overflow: a host may trap overflow.
    let bounded = position.isOnEarth ? min(distance, 1e15) : distance
    withSearch(near: position, within: bounded) { search in
      lookAround(&search, into: &hits)
      search.flush(into: &hits)
    }
  }

  /// Collects the caps for many positions that lie in one ball: all caps that overlap the ball with the given centre
  /// and radius. After this call, ``NearCaps/find(at:)`` finds the caps that contain one of these positions.
  ///
  /// - Parameters:
  ///   - centre: A place on or below the surface of the Earth.
  ///   - radius: In metres; at least 0, and no longer than the diameter of the Earth.
  ///   - bend: A position is reported as certainly inside a cap if it is also inside the smaller cap whose reach is
  ///     shorter by `bend` · reach³. Other positions within the cap are reported as possibly inside.
  public func gather(around centre: EarthVector, within radius: Double, bend: Double, into near: inout NearCaps) {
    near.begin(around: centre, within: radius, bend: bend)
    for stray in strays where stray.centre.squaredChord(to: centre).squareRoot() <= stray.reach + radius {
      near.appendStray(stray.id)
    }
    if treeCount > 0 {
      withUnsafeMutablePointer(to: &near) { near in
        withSearch(near: centre, within: radius) { search in
          search.near = near
          var none: ContiguousArray<CapHit> = []
          lookAround(&search, into: &none)
        }
      }
    }
    near.end()
  }

  @inline(__always)
  private func withSearch(near position: EarthVector, within distance: Double, _ body: (inout CapSearch) -> Void) {
    withUnsafeTemporaryAllocation(of: CapHit.self, capacity: CapSearch.bufferSize) { buffer in
      nodes.withUnsafeBufferPointer { table in
        groups.withUnsafeBufferPointer { groups in
          guard let buffer = buffer.baseAddress, let table = table.baseAddress, let groups = groups.baseAddress
          else { return }
          var search = CapSearch(
            nodes: table, nodeMask: nodes.length &- 1, homes: nodes.homes, groups: groups, buffer: buffer,
            position: position, distance: distance)
          body(&search)
        }
      }
    }
  }

  /// A lower bound of the distance from a position to the nearest cap that is not excluded, in metres. The true
  /// distance is larger by no more than the rounding errors of single precision. The result is negative within a cap,
  /// and equal to `distance` if no cap is within that distance. The search radius shrinks to the smallest result found
  /// so far.
  ///
  /// - Parameters:
  ///   - position: The place around which to search.
  ///   - distance: In metres; at least 0.
  ///   - excepted: The ids of the caps to exclude: the first `count` elements.
  public func leastSlack(
    near position: EarthVector, within distance: Double, except excepted: SIMD16<UInt32>, count: Int
  ) -> Double {
    // No bound is known if an argument is NaN, or if some caps lie outside the tree; the caller measures such caps
    // exactly.
    guard strays.isEmpty, distance >= 0, position.isOnEarth else { return -.infinity }
    guard treeCount > 0 else { return distance }
    let bounded = min(distance, 1e15)
    var least = distance
    withSearch(near: position, within: bounded) { search in
      search.excepted = excepted
      search.exceptedCount = count
      search.least = bounded
      search.isDrawnTogether = true
      var none: ContiguousArray<CapHit> = []
      lookAround(&search, into: &none)
      search.drawTogether()
      least = search.least
    }
    return least
  }

  /// Searches all levels: first one level together with the levels below it, and then each higher level.
  @inline(__always)
  private func lookAround(_ search: inout CapSearch, into hits: inout ContiguousArray<CapHit>) {
    var level = CapLevel.base
    var reach = levelReaches[level]
    while level < CapLevel.top && Double(CapLevel.reach(level)) < search.distance {
      level &+= 1
      reach = max(reach, levelReaches[level])
    }
    search.look(level: level, reach: reach, descending: true, into: &hits)
    while level < CapLevel.top {
      level &+= 1
      if levelCounts[level] != 0 {
        search.look(level: level, reach: levelReaches[level], descending: false, into: &hits)
      }
    }
  }

  @inline(never)
  private func collectStrays(
    near position: EarthVector, within distance: Double, into hits: inout ContiguousArray<CapHit>
  ) {
    for stray in strays {
      let limit = stray.reach + distance
      let chord = stray.centre.squaredChord(to: position).squareRoot()
      if limit >= 0 && chord <= limit {
        hits.append(CapHit(id: stray.id, slack: Float(chord - stray.reach) - 4))
      }
    }
  }
}

extension EarthVector {
  /// Returns true if no coordinate is NaN and no coordinate's square overflows. Tests each coordinate separately,
  /// because `max` may drop a NaN.
  @inline(__always)
  fileprivate var isOnEarth: Bool { x.magnitude < 1e9 && y.magnitude < 1e9 && z.magnitude < 1e9 }
}

/// The state of one search: the storage of the index, the query, and pending results.
struct CapSearch {
  static var bufferSize: Int { 128 }  // 1 kB on the stack; a larger array would be allocated on the heap

  let nodes: UnsafePointer<CapIndex.Node>
  let nodeMask: Int
  let homes: OpenTableHomes
  let groups: UnsafePointer<CapIndex.Group>
  let buffer: UnsafeMutablePointer<CapHit>
  var buffered = 0
  let position: EarthVector
  private(set) var distance: Double
  /// True if only the smallest slack is needed; caps that are farther away than the best result so far are then
  /// skipped.
  var isDrawnTogether = false
  /// A search for the smallest slack ignores the caps with the first `exceptedCount` of these ids.
  var excepted = SIMD16<UInt32>()
  var exceptedCount = 0
  var least = 0.0
  /// If `near` is not `nil`, the search adds caps to this list instead of reporting them.
  var near: UnsafeMutablePointer<NearCaps>?

  init(
    nodes: UnsafePointer<CapIndex.Node>, nodeMask: Int, homes: OpenTableHomes,
    groups: UnsafePointer<CapIndex.Group>,
    buffer: UnsafeMutablePointer<CapHit>, position: EarthVector, distance: Double
  ) {
    self.nodes = nodes
    self.nodeMask = nodeMask
    self.homes = homes
    self.groups = groups
    self.buffer = buffer
    self.position = position
    self.distance = distance
  }

  mutating func flush(into hits: inout ContiguousArray<CapHit>) {
    if isDrawnTogether { return drawTogether() }
    hits.append(contentsOf: UnsafeBufferPointer(start: buffer, count: buffered))
    buffered = 0
  }

  private func isExcepted(_ id: UInt32) -> Bool {
    for index in 0..<exceptedCount where excepted[index] == id { return true }
    return false
  }

  /// Updates the smallest slack from the new results, and shrinks the search to this slack.
  mutating func drawTogether() {
    for index in 0..<buffered where Double(buffer[index].slack) < least {
      guard !isExcepted(buffer[index].id) else { continue }
      least = Double(buffer[index].slack)
      distance = max(0, least)
    }
    buffered = 0
  }

  @inline(__always)
  func slot(_ key: UInt64) -> Int {
    OpenTable.place(from: CapIndex.home(key, homes), in: nodes, mask: nodeMask) { $0.key == key }
  }

  /// The search distance in single precision, padded for two errors at a level: the rounding of a position relative to
  /// a cube within `reach + distance` of the position, and the rounding in the comparison.
  @inline(__always)
  func paddedDistance(level: Int) -> Float {
    Float((distance + 0x1.8p-23 * (1.5 * CapLevel.edge(level) + distance)) * (1 + 0x1p-21))
  }

  /// An upper bound of the rounding error of a slack that was computed in single precision at the given level.
  @inline(__always)
  func slackPadding(level: Int, reach: Float) -> Float {
    Float(0x1.8p-23 * 1.5 * CapLevel.edge(level)) + 0x1p-20 * (reach + Float(min(distance, 1.3e7)))
  }

  /// Searches the cubes of a level around the position. If `descending` is true, also searches the levels below.
  @inline(__always)
  mutating func look(level: Int, reach: Float, descending: Bool, into hits: inout ContiguousArray<CapHit>) {
    let edge = CapLevel.edge(level)
    let radius = (Double(reach) + distance) * (1 + 0x1p-40)
    let cells = Double(1 &<< (2 &* (CapLevel.top &- level)))
    // The edge length is a power of two, so multiplying by its inverse gives the same result as a division.
    let density = 1 / edge
    @inline(__always)
    func index(_ value: Double) -> Int {
      Int(max(0, min((value + CapLevel.origin) * density, cells - 1)))
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
                visit(slot: slot, level: level, x: x, y: y, z: z, into: &hits)
              } else if nodes[slot].count != 0 {
                let relative = SIMD3(Float(relativeX), Float(relativeY), Float(relativeZ))
                scan(slot: slot, level: level, relative: relative, padded: paddedDistance(level: level), into: &hits)
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

  /// Searches a node and its descendants.
  mutating func visit(slot: Int, level: Int, x: Int, y: Int, z: Int, into hits: inout ContiguousArray<CapHit>) {
    let node = nodes + slot
    let edge = CapLevel.edge(level)
    let relative = SIMD3(
      Float(position.x - ((Double(x) + 0.5) * edge - CapLevel.origin)),
      Float(position.y - ((Double(y) + 0.5) * edge - CapLevel.origin)),
      Float(position.z - ((Double(z) + 0.5) * edge - CapLevel.origin)))
    var padded = paddedDistance(level: level)
    if node.pointee.count != 0 {
      scan(slot: slot, level: level, relative: relative, padded: padded, into: &hits)
      if isDrawnTogether, buffered > 0 {
        drawTogether()
        padded = paddedDistance(level: level)
      }
    }
    guard level > 0, node.pointee.children != 0 else { return }

    let quarter = Float(CapLevel.edge(level &- 1))
    let radius = (min(node.pointee.reach, CapLevel.reach(level &- 1)) + padded) * (1 + 0x1p-21)
    var limit = radius * radius
    let gapsX = CapSearch.gaps(relative.x, quarter)
    let gapsY = CapSearch.gaps(relative.y, quarter)
    let gapsZ = CapSearch.gaps(relative.z, quarter)
    let nearX = UInt64(truncatingIfNeeded: CapIndex.bits(gapsX .<= limit))
    let nearY = UInt64(truncatingIfNeeded: CapIndex.bits(gapsY .<= limit))
    let nearZ = UInt64(truncatingIfNeeded: CapIndex.bits(gapsZ .<= limit))
    // In the mask, bit number x + 4 y + 16 z stands for child (x, y, z). The four bits of x are repeated in each group
    // of four; each bit of y fills a group, and the resulting sixteen bits are repeated four times; each bit of z fills
    // sixteen bits. A child is near on every axis if its bit is set in all three masks.
    let spreadY = (nearY & 1 | (nearY & 2) &<< 3 | (nearY & 4) &<< 6 | (nearY & 8) &<< 9) &* 15
    let spreadZ = (nearZ & 1 | (nearZ & 2) &<< 15 | (nearZ & 4) &<< 30 | (nearZ & 8) &<< 45) &* 0xFFFF
    var near =
      node.pointee.children & (nearX &* 0x1111_1111_1111_1111) & (spreadY &* 0x0001_0001_0001_0001) & spreadZ
    let key = CapLevel.key(level: level &- 1, x: x &<< 2, y: y &<< 2, z: z &<< 2)
    var first = isDrawnTogether ? CapSearch.child(relative, quarter) : -1
    while near != 0 {
      var child = near.trailingZeroBitCount
      if isDrawnTogether {
        // First search the cube that contains the position: its results exclude most of the other cubes.
        if first >= 0, near &>> UInt64(first) & 1 != 0 { child = first }
        first = -1
        padded = paddedDistance(level: level)
        let radius = (min(node.pointee.reach, CapLevel.reach(level &- 1)) + padded) * (1 + 0x1p-21)
        limit = radius * radius
      }
      near &= ~(1 &<< UInt64(child))
      let gap = gapsX[child & 3] + gapsY[child &>> 2 & 3] + gapsZ[child &>> 4 & 3]
      guard gap <= limit else { continue }
      let next = self.slot(key | CapLevel.childKey(child))
      guard next >= 0 else { continue }
      let nextRadius = (nodes[next].reach + padded) * (1 + 0x1p-21)
      guard gap <= nextRadius * nextRadius else { continue }
      visit(
        slot: next, level: level &- 1,
        x: x &<< 2 | child & 3, y: y &<< 2 | child &>> 2 & 3, z: z &<< 2 | child &>> 4 & 3, into: &hits)
    }
  }

  /// The child of a cube that is nearest to a position.
  @inline(__always)
  static func child(_ relative: SIMD3<Float>, _ quarter: Float) -> Int {
    let places = (relative / quarter + 2).clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 3))
    return Int(places.x) | Int(places.y) &<< 2 | Int(places.z) &<< 4
  }

  /// The squared distances from a position to the four children of a cube, measured along one axis.
  @inline(__always)
  static func gaps(_ relative: Float, _ quarter: Float) -> SIMD4<Float> {
    let below = SIMD4<Float>(-2, -1, 0, 1) * quarter - relative
    let above = SIMD4<Float>(1, 0, -1, -2) * quarter + relative
    var gaps = below.replacing(with: above, where: above .> below)
    gaps.replace(with: 0, where: gaps .< 0)
    return gaps * gaps
  }

  /// Compares the entries of a node with the query.
  @inline(__always)
  mutating func scan(
    slot: Int, level: Int, relative: SIMD3<Float>, padded: Float, into hits: inout ContiguousArray<CapHit>
  ) {
    var group = groups + Int(nodes[slot].block)
    let count = Int(nodes[slot].count)
    if let near {
      near.pointee.append(
        group, count, relative: relative, edge: Float(CapLevel.edge(level)), within: padded)
      return
    }
    let end = group + (count &+ 3) &>> 2
    // Unused lanes of the last group keep old finite numbers: a comparison with NaN would raise FE_INVALID, which a
    // host may trap.
    let last = end - 1
    let used = 0b1111 &>> ((0 &- count) & 3)
    let x = SIMD4(repeating: relative.x)
    let y = SIMD4(repeating: relative.y)
    let z = SIMD4(repeating: relative.z)
    let distance = SIMD4(repeating: padded)
    let padding = SIMD4(repeating: slackPadding(level: level, reach: nodes[slot].reach))
    @inline(__always)
    func measure(_ group: UnsafePointer<CapIndex.Group>) -> (
      squared: SIMD4<Float>, reach: SIMD4<Float>, near: SIMDMask<SIMD4<Int32>>
    ) {
      let dx = group.pointee.x - x
      let dy = group.pointee.y - y
      let dz = group.pointee.z - z
      let reach = group.pointee.reach
      let limit = reach + distance
      let squared = dx * dx + dy * dy + dz * dz
      return (squared, reach, squared .<= limit * limit)
    }
    @inline(__always)
    func report(_ group: UnsafePointer<CapIndex.Group>, _ squared: SIMD4<Float>, _ reach: SIMD4<Float>, _ lanes: Int) {
      if buffered > CapSearch.bufferSize &- 4 { flush(into: &hits) }
      let slack = squared.squareRoot() - reach - padding
      var bits = lanes
      while bits != 0 {
        let lane = bits.trailingZeroBitCount
        bits &= bits &- 1
        buffer[buffered] = CapHit(id: CapIndex.Group.id(lane, of: group), slack: slack[lane])
        buffered &+= 1
      }
    }
    // Test two groups at a time: usually neither group has a hit, and then one test is enough.
    while group < last {
      let (one, two) = (measure(group), measure(group + 1))
      var bits = CapIndex.bits(one.near, two.near)
      if group + 1 == last { bits &= used &<< 4 | 15 }
      if bits != 0 {
        if bits & 15 != 0 { report(group, one.squared, one.reach, bits & 15) }
        if bits > 15 { report(group + 1, two.squared, two.reach, bits &>> 4) }
      }
      group += 2
    }
    if group == last {
      let one = measure(group)
      let bits = CapIndex.bits(one.near) & used
      if bits != 0 { report(group, one.squared, one.reach, bits) }
    }
  }
}
