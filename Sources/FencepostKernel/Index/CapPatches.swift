/// The cap that is nearest to a position, and a lower bound of the distances to the other caps.
public struct NearestCap {
  /// `UInt32.max` means that no cap is known to be the nearest one.
  public var id: UInt32
  /// The distance from the position to the nearest cap, in metres, or a lower bound of this distance; negative within
  /// the cap.
  public var slack: Double
  /// A lower bound, in metres, of the distances to all other caps; at least ``slack``.
  public var next: Double

  public init(id: UInt32, slack: Double, next: Double) {
    self.id = id
    self.slack = slack
    self.next = next
  }

  /// Creates the result of a search that found no cap within a distance.
  public init(within distance: Double) { self.init(id: .max, slack: distance, next: distance) }

  /// Updates the search result with the slack of one more cap.
  @inline(__always)
  public mutating func add(_ id: UInt32, slack: Double) {
    if slack < self.slack {
      next = self.slack
      self.slack = slack
      self.id = id
    } else if slack < next {
      next = slack
    }
  }

  /// Limits `slack` and `next` to a distance at which there is something other than a cap.
  @inline(__always)
  public mutating func limit(to distance: Double) {
    slack = min(slack, distance)
    next = min(next, distance)
  }
}

/// The caps of a ``CapIndex`` near cubes of space, stored contiguously, for repeated queries about places near each
/// other.
///
/// A patch lists every cap whose slack is at most the patch's ``margin`` at some position in the patch's cube. A query
/// reads a few contiguous groups instead of descending the tree of the index; creating a patch costs about three
/// queries. In crowded regions the cubes are smaller. If even a small cube has too many caps, it has no patch, and
/// queries search the index.
///
/// The patches are a cache of the index: their owner, who also owns the index, calls ``keepUp(with:version:)`` before
/// each query. The cache's memory is limited; when the limit is reached, the cache is emptied.
public struct CapPatches: Sendable {
  /// The edge lengths of a large and a small cube, in metres; they are powers of two, like the margins of patches.
  private static let edges: (Double, Double) = (4_096, 1_024)
  /// The margin of a patch, as a fraction of the cube's edge.
  private static let marginShare = 0.5
  /// The margin as a fraction of the cube's edge, for a small cube with more than ``manyGroups`` groups of caps nearby:
  /// among so many caps, the nearest one is close.
  private static let narrowShare = 0.25
  private static let manyGroups = 12
  /// How many times more caps are near a large cube than near a small cube, if caps are evenly distributed.
  private static let cubesOfCrowd = 16
  /// Half the diagonal of a cube whose edge is 1, rounded up.
  private static let halfDiagonal = 0.866_026
  /// The maximum number of groups in a patch: searching a larger one would take as long as searching the index.
  private static let mostGroups = 24
  /// The maximum number of groups in all patches: 15 MB.
  private static let mostKept = 3 << 16
  /// An upper bound of the relative errors of chords and reaches in single precision.
  private static let singleError = 0x1p-20
  /// An upper bound, in metres, of the errors of chords and reaches in single precision if all lengths are short.
  private static let leastError = 1e-4
  /// A change of the index discards all patches. For each discarded patch, this many queries search the index before
  /// new patches are created.
  private static let patience = 4

  private struct Patch: OpenTableEntry {
    /// The number of the cube and its level; 0 marks a free slot of the table.
    var key: UInt64 = 0
    /// The first group of the patch. If the cube is crowded, this is the number of caps near the cube instead.
    var first: UInt32 = 0
    /// The number of groups; `crowded` means that the cube has too many caps for a patch.
    var count: UInt16 = 0
    var isNarrow = false

    static let crowded = UInt16.max

    var isFree: Bool { key == 0 }

    @inline(__always)
    func home(_ homes: OpenTableHomes) -> Int { homes.of(key) }
  }

  /// Four caps. Each stored reach exceeds the exact reach by more than all rounding errors together, so a computed
  /// slack is never larger than the true slack.
  private struct Group: Sendable {
    /// The centres of the caps, relative to the centre of the patch's cube.
    var x = SIMD4<Float>()
    var y = SIMD4<Float>()
    var z = SIMD4<Float>()
    /// A value that does not represent a cap has no centre.
    var reach = SIMD4<Float>(repeating: -1e9)
    var ids = SIMD4<UInt32>(repeating: .max)

    @inline(__always)
    static func slacks(_ group: UnsafePointer<Group>, _ position: SIMD3<Float>) -> SIMD4<Float> {
      let dx = group.pointee.x - position.x
      let dy = group.pointee.y - position.y
      let dz = group.pointee.z - position.z
      return (dx * dx + dy * dy + dz * dz).squareRoot() - group.pointee.reach
    }
  }

  private var patches = OpenTable<Patch>()
  private var groups: ContiguousArray<Group> = []
  private var found: ContiguousArray<CapHit> = []
  /// The version of the index from which the patches were created.
  private var version: UInt64 = 0
  private var count = -1
  /// The number of queries that must still search the index before new patches are created.
  private var waiting = 0

  public init() {}

  /// The number of bytes of memory in use.
  public var byteCount: Int {
    patches.length * MemoryLayout<Patch>.stride + groups.capacity * MemoryLayout<Group>.stride
  }

  /// Drops the patches if the index has changed.
  ///
  /// - Parameters:
  ///   - count: The number of caps in the index.
  ///   - version: A number that differs after each change of the index.
  @inline(__always)
  public mutating func keepUp(with count: Int, version: UInt64) {
    if version != self.version || count != self.count { begin(count, version) }
  }

  @inline(never)
  private mutating func begin(_ count: Int, _ version: UInt64) {
    waiting = patches.count * Self.patience
    self.count = count
    self.version = version
    removeAll()
  }

  private mutating func removeAll() {
    patches = OpenTable()
    groups = []
  }

  // MARK: - Places

  /// A position in a cube that has a patch.
  public struct Place {
    fileprivate var first: Int
    fileprivate var count: Int
    fileprivate var offset: SIMD3<Float>
    /// A patch contains all caps whose slack is at most this many metres.
    public fileprivate(set) var margin: Double
  }

  private enum Search {
    case found(Place)
    case missing(level: Int)
    case crowded
  }

  @inline(__always)
  private static func edge(_ level: Int) -> Double { level == 0 ? edges.0 : edges.1 }

  @inline(__always)
  private static func cube(_ position: EarthVector, _ level: Int) -> (key: UInt64, centre: EarthVector) {
    SpaceCubes.cube(position, level: level, edge: edge(level))
  }

  @inline(__always)
  private func search(_ position: EarthVector) -> Search {
    for level in 0..<2 {
      let (key, centre) = Self.cube(position, level)
      var wanted = Patch()
      wanted.key = key
      let place = patches.place(from: wanted.home(patches.homes)) { $0.key == key }
      guard place >= 0 else { return .missing(level: level) }
      let patch = patches[place]
      guard patch.count != Patch.crowded else { continue }
      let offset = SIMD3(
        Float(position.x - centre.x), Float(position.y - centre.y), Float(position.z - centre.z))
      return .found(
        Place(
          first: Int(patch.first), count: Int(patch.count), offset: offset,
          margin: Self.edge(level) * (patch.isNarrow ? Self.narrowShare : Self.marginShare)))
    }
    return .crowded
  }

  /// The patch entry for a position, if the cube that contains the position has a patch.
  @inline(__always)
  public func place(of position: EarthVector) -> Place? {
    guard patches.count > 0, SpaceCubes.isNumbered(position), case .found(let place) = search(position) else {
      return nil
    }
    return place
  }

  /// The patch entry for a position; creates a missing patch if this is allowed.
  ///
  /// - Parameter cap: A function that returns the centre and the reach of a cap.
  @inline(never)
  public mutating func makePlace(
    of position: EarthVector, _ index: CapIndex, cap: (UInt32) -> (centre: EarthVector, reach: Double)
  ) -> Place? {
    guard SpaceCubes.isNumbered(position), index.isWithoutStrays else { return nil }
    guard waiting == 0 else {
      waiting -= 1
      return nil
    }
    while true {
      switch search(position) {
      case .found(let place): return place
      case .crowded: return nil
      case .missing(let level): make(position, level, index, cap)
      }
    }
  }

  private mutating func make(
    _ position: EarthVector, _ level: Int, _ index: CapIndex,
    _ cap: (UInt32) -> (centre: EarthVector, reach: Double)
  ) {
    let edge = Self.edge(level)
    let (key, centre) = Self.cube(position, level)
    found.removeAll(keepingCapacity: true)
    var patch = Patch()
    patch.key = key
    patch.isNarrow = level == 1 && crowd(at: position) > Self.manyGroups * 4 * Self.cubesOfCrowd
    let share = patch.isNarrow ? Self.narrowShare : Self.marginShare
    index.collect(near: centre, within: edge * (Self.halfDiagonal + share), into: &found)
    if level == 1, !patch.isNarrow, found.count > Self.manyGroups * 4 {
      patch.isNarrow = true
      // The slack of each cap is a lower bound, so removing caps with a larger slack has the same effect as a query
      // with the smaller distance.
      found.removeAll { Double($0.slack) > edge * (Self.halfDiagonal + Self.narrowShare) }
    }
    let needed = (found.count + 3) / 4
    if groups.count + needed > Self.mostKept { removeAll() }
    if needed > Self.mostGroups {
      patch.first = UInt32(found.count)
      patch.count = Patch.crowded
    } else {
      patch.first = UInt32(groups.count)
      patch.count = UInt16(needed)
      var number = 0
      while number < found.count {
        if number & 3 == 0 { groups.append(Group()) }
        let (middle, reach) = cap(found[number].id)
        set(groups.count - 1, number & 3, found[number].id, middle, reach, around: centre, edge)
        number += 1
      }
    }
    patches.makeRoom(for: 1)
    patches.insert(patch)
  }

  /// The number of caps near the large cube that contains a position if this cube is known to be too crowded for a
  /// patch; otherwise 0.
  private func crowd(at position: EarthVector) -> Int {
    var wanted = Patch()
    wanted.key = Self.cube(position, 0).key
    let place = patches.place(from: wanted.home(patches.homes)) { $0.key == wanted.key }
    return place >= 0 && patches[place].count == Patch.crowded ? Int(patches[place].first) : 0
  }

  private mutating func set(
    _ group: Int, _ lane: Int, _ id: UInt32, _ middle: EarthVector, _ reach: Double, around centre: EarthVector,
    _ edge: Double
  ) {
    let x = middle.x - centre.x
    let y = middle.y - centre.y
    let z = middle.z - centre.z
    let lengths = (x * x + y * y + z * z).squareRoot() + edge + reach
    groups.withUnsafeMutableBufferPointer { groups in
      // The five members of a group are stored one after the other, each with four lanes. Each lane is written in
      // place, because assigning a lane of a vector would copy the whole vector.
      let lanes = UnsafeMutableRawPointer(groups.baseAddress! + group) + 4 &* lane
      let member = MemoryLayout<SIMD4<Float>>.stride
      lanes.storeBytes(of: Float(x), as: Float.self)
      lanes.storeBytes(of: Float(y), toByteOffset: member, as: Float.self)
      lanes.storeBytes(of: Float(z), toByteOffset: 2 &* member, as: Float.self)
      lanes.storeBytes(
        of: Float(reach + lengths * Self.singleError + Self.leastError), toByteOffset: 3 &* member, as: Float.self)
      lanes.storeBytes(of: id, toByteOffset: 4 &* member, as: UInt32.self)
    }
  }

  // MARK: - Questions

  /// Finds the nearest cap that is not excluded, and the distance of the next nearest cap; caps farther away than the
  /// patch's margin may be missed.
  ///
  /// - Parameter distance: The largest distance of interest, in metres; caps farther away are ignored.
  @inline(__always)
  public func nearest(
    at place: Place, within distance: Double, except excepted: SIMD16<UInt32>, count: Int
  ) -> NearestCap {
    groups.withUnsafeBufferPointer { groups in
      guard let base = groups.baseAddress else { return NearestCap(within: distance) }
      var nearest = UInt32.max
      var least = Float(min(distance, 1e9)).nextUp
      var next = least
      var group = base + place.first
      let end = group + place.count
      // Two groups are tested at a time: usually neither contains a cap nearer than those found so far, and then one
      // test is enough.
      while group < end {
        let one = Group.slacks(group, place.offset)
        let two = group + 1 < end ? Group.slacks(group + 1, place.offset) : SIMD4(repeating: .infinity)
        defer { group += 2 }
        var rest = CapIndex.bits(one .< SIMD4(repeating: next), two .< SIMD4(repeating: next))
        while rest != 0 {
          let lane = rest.trailingZeroBitCount
          rest &= rest &- 1
          let found = lane < 4 ? one[lane & 3] : two[lane & 3]
          guard found < next else { continue }
          let id = UnsafeRawPointer(group + lane &>> 2).load(
            fromByteOffset: 4 &* MemoryLayout<SIMD4<Float>>.stride &+ 4 &* (lane & 3), as: UInt32.self)
          var isExcepted = false
          for index in 0..<count where excepted[index] == id { isExcepted = true }
          if isExcepted { continue }
          if found < least {
            next = least
            least = found
            nearest = id
          } else {
            next = found
          }
        }
      }
      return NearestCap(id: nearest, slack: min(distance, Double(least)), next: min(distance, Double(next)))
    }
  }

  /// Appends the caps within a distance of a position, as ``CapIndex/collect(near:within:into:)`` does; the distance
  /// must be at most the margin of the patch.
  public func collect(at place: Place, within distance: Double, into hits: inout ContiguousArray<CapHit>) {
    groups.withUnsafeBufferPointer { groups in
      guard let base = groups.baseAddress else { return }
      let limit = SIMD4(repeating: Float(distance) * (1 + 0x1p-20))
      for number in place.first..<(place.first &+ place.count) {
        let group = base + number
        let slack = Group.slacks(group, place.offset)
        var rest = CapIndex.bits(slack .<= limit)
        while rest != 0 {
          let lane = rest.trailingZeroBitCount
          rest &= rest &- 1
          hits.append(CapHit(id: group.pointee.ids[lane], slack: slack[lane]))
        }
      }
    }
  }
}
