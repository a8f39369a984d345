/// A spatial index of caps that finds the caps within a given distance of a position.
///
/// A cap is the part of space within `reach` metres (chord) of a centre; the index does not depend on the shapes that
/// the caps enclose. All lengths are straight lines, so poles and the antimeridian need no special treatment.
///
/// The index is a loose tree of cubes, four children along each axis, whose nodes live in one hash table:
///
/// * Level k has cubes of edge `CapLevel.edge(k)` and accepts caps of reach up to `CapLevel.reach(k)`, which is half an
///   edge. A cap of a level-k node therefore extends at most half an edge beyond the cube that contains its centre. The
///   lowest level that can accept a cap is the cap's class.
/// * A new cap is put into the node that contains its centre, at the level `CapLevel.base`, or at the cap's class if
///   the class is a higher level. A cap moves to a lower level only if its node is crowded, and never to a level below
///   its class. In sparse regions, many caps share one node; in dense regions, the depth of the tree depends on the
///   sizes of the caps.
/// * All ancestors of a node exist, and each node has a mask of its 64 possible children, so a search never examines
///   empty space. `reach` of a node is an upper bound of the reach of the caps at this node and below it.
/// * On insertion, centres are rounded to a grid of `CapLevel.quantum` metres. The grid is so coarse that the offset
///   from a cube's centre is exact in `Float` at every level that a cap can move to. A cap that moves to another level
///   or is removed therefore has exactly the location that it had on insertion. The stored reach of a cap is increased
///   to compensate for the rounding of its centre.
/// * Caps that do not fit into any cube (an infinite reach, NaN, or a centre off the Earth) are in a plain list and are
///   always measured exactly.
///
/// The index is a value: a copy shares its storage with the original until one of them changes. The order in which a
/// search returns its results depends only on the sequence of calls.
public struct CapIndex: Sendable {
  /// One cube of the tree, which occupies one slot of the hash table.
  struct Node: OpenTableEntry {
    /// The key of the cube (see `CapLevel.key`); 0 if the slot of the hash table is free.
    var key: UInt64
    /// Bit x + 4 y + 16 z is set if the node has a child at (x, y, z), each from 0 to 3.
    var children: UInt64 = 0
    /// The index of the first group of this node's entries; meaningless while `count` is 0.
    var block: UInt32 = 0
    /// The number of entries at this node, without those of its children.
    var count: UInt32 = 0
    /// An upper bound of the padded reaches of the caps at this node and below it.
    var reach: Float = 0
    /// The block has 2^blockLog groups.
    var blockLog: UInt8 = 0

    @inline(__always)
    init() { self.init(key: 0) }

    @inline(__always)
    init(key: UInt64) { self.key = key }

    @inline(__always)
    var isFree: Bool { key == 0 }

    @inline(__always)
    func home(_ homes: OpenTableHomes) -> Int { CapIndex.home(key, homes) }
  }

  /// Four caps of a node; each field holds the values of all four. The coordinates of a cap's centre are relative to
  /// the centre of the node's cube.
  struct Group: Sendable {
    var x = SIMD4<Float>()
    var y = SIMD4<Float>()
    var z = SIMD4<Float>()
    var reach = SIMD4<Float>()
    var ids = SIMD4<UInt32>()

    /// Reads one id directly from memory, because a subscript of the vector would copy the whole vector.
    @inline(__always)
    static func id(_ lane: Int, of group: UnsafePointer<Group>) -> UInt32 {
      UnsafeRawPointer(group).load(
        fromByteOffset: 4 &* MemoryLayout<SIMD4<Float>>.stride &+ 4 &* lane, as: UInt32.self)
    }
  }

  /// A cap that is in the plain list, because it does not fit into any cube.
  struct Stray: Sendable {
    var centre: EarthVector
    var reach: Double
    var id: UInt32
  }

  var nodes = OpenTable<Node>()

  /// Blocks of 2^n groups. In a free block, the first element of `ids` refers to the next free block of the same size.
  var groups: ContiguousArray<Group> = []
  /// For each n, the index of the first free block of 2^n groups, plus 1; 0 if no block of this size is free.
  var freeBlocks = ContiguousArray<UInt32>(repeating: 0, count: 32)
  /// The number of groups in the blocks that nodes use.
  var liveGroups = 0
  /// The number of groups that were reserved in advance.
  var reservedGroups = 0
  /// The number of changes since the blocks were last reordered.
  var changes = 0

  /// The number of caps that start at each level, and an upper bound of their padded reaches.
  var levelCounts = ContiguousArray<Int>(repeating: 0, count: CapLevel.top + 1)
  var levelReaches = ContiguousArray<Float>(repeating: 0, count: CapLevel.top + 1)

  var treeCount = 0
  var strays: ContiguousArray<Stray> = []

  public init() {}

  /// The number of caps.
  public var count: Int { treeCount + strays.count }

  /// Whether every cap is in the tree.
  var isWithoutStrays: Bool { strays.isEmpty }

  /// The number of bytes that are allocated for the index, including unused bytes.
  public var byteCount: Int {
    nodes.length * MemoryLayout<Node>.stride
      + groups.capacity * MemoryLayout<Group>.stride
      + strays.capacity * MemoryLayout<Stray>.stride
  }
}

/// The levels of the tree, and the sizes of their cubes.
enum CapLevel {
  /// The top level has one cube, which contains the Earth.
  static let top = 9
  /// The level of caps in sparse regions, except for caps whose class is a higher level.
  static let base = 5
  /// log2 of the edge length, in metres, of the cubes at the lowest level.
  static let edgeLog = 7
  /// log2 of the ratio between a level's edge length and the longest reach that the level accepts.
  static let looseness = 1
  /// log2 of the number of grid steps in a metre, chosen so that half an edge of the base level has 2^24 steps.
  static let stepLog = 24 - (edgeLog + 2 * base - 1)

  /// On each axis, the grid extends from −origin to +origin, in metres.
  static let origin = Double(1 << (edgeLog + 2 * top - 1))
  static let steps = Double(1 << stepLog)
  /// Rounding moves a centre by less than this distance, in metres.
  static let quantum = 1 / steps

  /// The edge length, in metres, of the cubes at a level.
  @inline(__always)
  static func edge(_ level: Int) -> Double { Double(1 &<< (edgeLog &+ 2 &* level)) }

  /// The longest reach that a level accepts, in metres.
  @inline(__always)
  static func reach(_ level: Int) -> Float { Float(1 &<< (edgeLog &- looseness &+ 2 &* level)) }

  /// log2 of the edge length of the cubes at a level, in grid steps.
  @inline(__always)
  static func shift(_ level: Int) -> Int { stepLog &+ edgeLog &+ 2 &* level }

  /// The key that identifies a cube: 19 bits for each axis and, above them, the level plus one.
  @inline(__always)
  static func key(level: Int, x: Int, y: Int, z: Int) -> UInt64 {
    key(level: level, x: Int64(x), y: Int64(y), z: Int64(z))
  }

  /// Takes 64-bit coordinates, because keys and step numbers do not fit into an `Int` on a 32-bit target.
  @inline(__always)
  static func key(level: Int, x: Int64, y: Int64, z: Int64) -> UInt64 {
    UInt64(truncatingIfNeeded: Int64(level &+ 1) &<< 57 | x &<< 38 | y &<< 19 | z)
  }

  /// The bits of a key that differ between the children of a node.
  static let familyMask: UInt64 = 3 &<< 38 | 3 &<< 19 | 3

  /// The difference between the key of child n of a cube and the key of its child 0.
  @inline(__always)
  static func childKey(_ child: Int) -> UInt64 {
    let child = UInt64(truncatingIfNeeded: child)
    return (child & 3) &<< 38 | (child &>> 2 & 3) &<< 19 | child &>> 4 & 3
  }
}

/// The location of a cap in the index: its rounded centre, its padded reach, and the lowest level that accepts it.
struct CapPlacement: Sendable {
  /// The coordinates of the rounded centre, in grid steps from the corner of the grid.
  var x: Int64
  var y: Int64
  var z: Int64
  var reach: Float
  /// The lowest level that accepts the cap's reach.
  var level: Int

  /// Returns `nil` for a cap that does not fit into any cube.
  @inline(__always)
  init?(centre: EarthVector, reach: Double) {
    let limit = 1.6e7
    guard centre.x.magnitude <= limit, centre.y.magnitude <= limit, centre.z.magnitude <= limit,
      reach >= 0, reach <= limit
    else { return nil }
    x = Int64((centre.x + CapLevel.origin) * CapLevel.steps + 0.5)
    y = Int64((centre.y + CapLevel.origin) * CapLevel.steps + 0.5)
    z = Int64((centre.z + CapLevel.origin) * CapLevel.steps + 0.5)
    // Comparing in single precision may cause a relative error of two parts in four million. Above the base level, the
    // offset from the cube's centre is also inexact, which may add an error of the same size.
    let padded = reach + CapLevel.quantum
    let relative = padded > Double(CapLevel.reach(CapLevel.base)) ? 0x1p-20 : 0x1p-21
    self.reach = Float(padded + padded * relative)
    level = 0
    while level < CapLevel.top && self.reach > CapLevel.reach(level) { level &+= 1 }
  }

  /// The level at which the cap enters the tree.
  @inline(__always)
  var start: Int { max(level, CapLevel.base) }

  /// The name of the cube that contains the centre.
  @inline(__always)
  func key(level: Int) -> UInt64 {
    let shift = Int64(CapLevel.shift(level))
    return CapLevel.key(level: level, x: x &>> shift, y: y &>> shift, z: z &>> shift)
  }

  /// Returns which of the 64 children of a cube at the given level contains the centre.
  @inline(__always)
  func child(level: Int) -> UInt64 {
    let shift = Int64(CapLevel.shift(level &- 1))
    let slot = (x &>> shift & 3) | (y &>> shift & 3) &<< 2 | (z &>> shift & 3) &<< 4
    return UInt64(truncatingIfNeeded: slot)
  }

  /// The position of the cap's centre relative to the centre of its cube at a level.
  @inline(__always)
  func offset(level: Int) -> SIMD3<Float> {
    let edge: Int64 = 1 &<< Int64(CapLevel.shift(level))
    let half = edge &>> 1
    return SIMD3(
      Float((x & (edge &- 1)) &- half), Float((y & (edge &- 1)) &- half), Float((z & (edge &- 1)) &- half))
      * Float(CapLevel.quantum)
  }
}
