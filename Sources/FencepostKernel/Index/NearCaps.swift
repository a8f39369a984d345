/// A contiguous copy of those caps of an index that are close to a ball; `find(at:)` searches it for the caps that
/// contain a position in the ball.
///
/// If many positions are close together, a caller searches the tree once for all of them, and then searches only this
/// copy for each position. See ``CapIndex/gather(around:within:bend:into:)``.
public struct NearCaps: ~Copyable {
  /// Four caps. Centres of caps are relative to the centre of the ball.
  struct Group {
    var x = SIMD4<Float>()
    var y = SIMD4<Float>()
    var z = SIMD4<Float>()
    /// The squared distances up to which a position may be within a cap.
    var outer = SIMD4<Float>()
    /// The squared distances below which a position is certainly within a cap.
    var inner = SIMD4<Float>()
    var ids = SIMD4<UInt32>()

    /// The offsets of the members of a lane, in bytes.
    static func place(_ member: Int, _ lane: Int) -> Int { member &* MemoryLayout<SIMD4<Float>>.stride &+ 4 &* lane }
  }

  private var groups: UnsafeMutablePointer<Group>
  private var length = 16
  /// The number of caps.
  public private(set) var count = 0
  private var centre = EarthVector(x: 0, y: 0, z: 0)
  private var radius: Float = 0
  private var bend: Float = 0
  /// Memory for the result of a search: the ids of the caps that certainly contain the position begin at the start, and
  /// the ids of the caps that may contain it begin in the middle.
  private var ids: UnsafeMutablePointer<UInt32>

  public init() {
    groups = .allocate(capacity: length)
    groups.initialize(repeating: Group(), count: length)
    ids = .allocate(capacity: 8 * length)
  }

  deinit {
    groups.deallocate()
    ids.deallocate()
  }

  // MARK: Gathering

  mutating func begin(around centre: EarthVector, within radius: Double, bend: Double) {
    count = 0
    self.centre = centre
    self.radius = Float(radius)
    self.bend = Float(bend * (1 + 0x1p-20))
  }

  /// Appends the caps of a tree node that lie within `distance` of the ball's centre.
  ///
  /// The outer limit of a cap is increased, and the inner limit is reduced, by more than the rounding errors of single
  /// precision. These errors come from three sources: the ball's centre relative to the centre of the cube, both
  /// centres relative to the position (2⁻²⁴ of a length for each axis), and the comparison of squares.
  ///
  /// - Parameters:
  ///   - relative: The centre of the ball, relative to the centre of the cube.
  ///   - distance: The radius of the ball, with a margin for rounding errors.
  @inline(never)
  mutating func append(
    _ first: UnsafePointer<CapIndex.Group>, _ count: Int, relative: SIMD3<Float>, edge: Float, within distance: Float
  ) {
    makeRoom(for: count)
    let x = SIMD4(repeating: relative.x)
    let y = SIMD4(repeating: relative.y)
    let z = SIMD4(repeating: relative.z)
    let distance = SIMD4(repeating: distance)
    let constant = 0x1.8p-23 * (1.5 * edge + 4 * radius) + 0x1p-20 * radius
    let entered = constant + 2 * Float(CapLevel.quantum) + 1e-5
    var group = first
    var left = count
    while left > 0 {
      let dx = group.pointee.x - x
      let dy = group.pointee.y - y
      let dz = group.pointee.z - z
      let reach = group.pointee.reach
      let limit = reach + distance
      var bits = CapIndex.bits((dx * dx + dy * dy + dz * dz) .<= limit * limit)
      if left < 4 { bits &= 1 &<< left &- 1 }
      if bits != 0 {
        let outer = reach + (0x1p-20 * reach + constant)
        // The inner reach is smaller for two more reasons: insertion rounds the reach and the centre, and a chord is
        // shorter than its arc.
        var inner = reach - ((0x1p-18 + 0x1p-20) * reach + entered + bend * (reach * reach * reach))
        inner.replace(with: 0, where: inner .< 0)
        append(bits, group, (dx, dy, dz), outer * outer, inner * inner)
      }
      group += 1
      left &-= 4
    }
  }

  @inline(__always)
  private mutating func append(
    _ lanes: Int, _ group: UnsafePointer<CapIndex.Group>, _ centre: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>),
    _ outer: SIMD4<Float>, _ inner: SIMD4<Float>
  ) {
    var bits = lanes
    repeat {
      let lane = bits.trailingZeroBitCount
      bits &= bits &- 1
      store(
        centre.0[lane], centre.1[lane], centre.2[lane], outer[lane], inner[lane], CapIndex.Group.id(lane, of: group))
    } while bits != 0
  }

  @inline(__always)
  private mutating func store(
    _ x: Float, _ y: Float, _ z: Float, _ outer: Float, _ inner: Float, _ id: UInt32
  ) {
    let group = UnsafeMutableRawPointer(groups + count &>> 2)
    let lane = count & 3
    group.storeBytes(of: x, toByteOffset: Group.place(0, lane), as: Float.self)
    group.storeBytes(of: y, toByteOffset: Group.place(1, lane), as: Float.self)
    group.storeBytes(of: z, toByteOffset: Group.place(2, lane), as: Float.self)
    group.storeBytes(of: outer, toByteOffset: Group.place(3, lane), as: Float.self)
    group.storeBytes(of: inner, toByteOffset: Group.place(4, lane), as: Float.self)
    group.storeBytes(of: id, toByteOffset: Group.place(5, lane), as: UInt32.self)
    count &+= 1
  }

  /// Appends a cap that may contain any position, so that every search returns it.
  mutating func appendStray(_ id: UInt32) {
    makeRoom(for: 1)
    store(0, 0, 0, .infinity, 0, id)
  }

  /// Writes caps that contain no position after the last cap, until the number of written caps is a multiple of 8;
  /// `count` does not change.
  mutating func end() {
    makeRoom(for: 0)
    let count = count
    for _ in count..<(count &+ 7) & ~7 { store(0, 0, 0, -1, 0, 0) }
    self.count = count
  }

  /// Makes room for `more` caps, and for the caps that `end()` writes.
  private mutating func makeRoom(for more: Int) {
    guard count &+ more &+ 8 > 4 &* length else { return }
    let longer = max(2 * length, (count + more + 8) / 4 + 1)
    let copy = UnsafeMutablePointer<Group>.allocate(capacity: longer)
    copy.update(from: groups, count: length)
    (copy + length).initialize(repeating: Group(), count: longer - length)
    groups.deallocate()
    groups = copy
    length = longer
    ids.deallocate()
    ids = .allocate(capacity: 8 * length)
  }

  // MARK: Looking

  /// Replaces the id of each cap.
  ///
  /// - Parameter name: Receives the id of a cap; returns the id to report, and whether the cap is the whole shape with
  ///   that id instead of only a bound of the shape. A cap that is only a bound of a shape is never reported as
  ///   certainly containing a position.
  @inlinable
  public mutating func rename(_ name: (UInt32) -> (id: UInt32, isCap: Bool)) {
    for index in 0..<count {
      let (id, isCap) = name(self[index])
      set(index, id, isCap: isCap)
    }
  }

  @usableFromInline subscript(index: Int) -> UInt32 {
    UnsafeRawPointer(groups + index &>> 2).load(fromByteOffset: Group.place(5, index & 3), as: UInt32.self)
  }

  @usableFromInline
  mutating func set(_ index: Int, _ id: UInt32, isCap: Bool) {
    let group = UnsafeMutableRawPointer(groups + index &>> 2)
    group.storeBytes(of: id, toByteOffset: Group.place(5, index & 3), as: UInt32.self)
    if !isCap { group.storeBytes(of: 0, toByteOffset: Group.place(4, index & 3), as: Float.self) }
  }

  /// Finds the caps that contain a given position in the ball.
  ///
  /// - Returns: The caps that certainly contain the position, and the caps that may contain it, in an order that
  ///   depends only on the history of the index. The next search overwrites the result. Behind the ids in the first
  ///   buffer, there is enough room to append all ids of the second buffer.
  public mutating func find(
    at position: EarthVector
  ) -> (certain: UnsafeMutableBufferPointer<UInt32>, possible: UnsafeMutableBufferPointer<UInt32>) {
    let x = SIMD4(repeating: Float(position.x - centre.x))
    let y = SIMD4(repeating: Float(position.y - centre.y))
    let z = SIMD4(repeating: Float(position.z - centre.z))
    @inline(__always)
    func squared(_ group: UnsafeMutablePointer<Group>) -> SIMD4<Float> {
      let dx = group.pointee.x - x
      let dy = group.pointee.y - y
      let dz = group.pointee.z - z
      return dx * dx + dy * dy + dz * dz
    }
    @inline(__always)
    func take(_ lanes: Int, _ group: UnsafeMutablePointer<Group>, _ next: inout UnsafeMutablePointer<UInt32>) {
      var bits = lanes
      while bits != 0 {
        let lane = bits.trailingZeroBitCount
        bits &= bits &- 1
        next.pointee = UnsafeRawPointer(group + lane &>> 2).load(
          fromByteOffset: Group.place(5, lane & 3), as: UInt32.self)
        next += 1
      }
    }
    let (first, middle) = (ids, ids + 4 &* length)
    var (certain, possible) = (first, middle)
    var group = groups
    let end = groups + (count &+ 3) / 4
    // Test two groups of caps at a time: usually no cap is near, and then one test is enough.
    while group < end {
      let (one, two) = (squared(group), squared(group + 1))
      let near = CapIndex.bits(one .<= group.pointee.outer, two .<= group[1].outer)
      if near != 0 {
        let within = near & CapIndex.bits(one .< group.pointee.inner, two .< group[1].inner)
        take(within, group, &certain)
        take(near & ~within, group, &possible)
      }
      group += 2
    }
    return (
      UnsafeMutableBufferPointer(start: first, count: certain - first),
      UnsafeMutableBufferPointer(start: middle, count: possible - middle)
    )
  }
}
