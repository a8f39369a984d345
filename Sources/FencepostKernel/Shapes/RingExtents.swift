/// The extents of rings on a plane, measured in eight directions. A ring cannot enclose a ring that has a larger extent
/// in any direction; this leaves few candidates, which are examined roughly from the smallest to the largest.
///
/// The plane is horizontal at the centre of the box that bounds all rings. If all vertices lie within about 80° of this
/// centre, the projection onto the plane does not fold the rings or the areas within them, so an area has the same
/// extents as its ring. If a ring lies within another ring, none of its extents is larger than the outer ring's extent
/// in the same direction.
struct RingExtents {
  /// For each ring, the smallest coordinate of its vertices in each of the eight directions, in metres, rounded up.
  private var inner: ContiguousArray<SIMD8<Float>> = []
  /// The rings, ordered by size. Rings of about the same size are sorted by number, because rings that lie close
  /// together often have consecutive numbers.
  private var order: ContiguousArray<Int> = []
  /// The first level contains, for each ring in the order of `order`, lower bounds of the coordinates of the ring's
  /// edges. In each further level, an element contains the smallest bounds of eight consecutive elements of the
  /// previous level.
  private var tree: ContiguousArray<SIMD8<Float>> = []
  /// The index at which each level of the tree starts, and the index at which the last level ends.
  private var levels: ContiguousArray<Int> = [0]
  /// For each ring R, two bounds of size classes: every ring that encloses R has at least the class `least`, and every
  /// ring within R has at most the class `most`. The size class of a ring is given by the leading bits of the sum of
  /// its extents.
  private var sizes: ContiguousArray<(least: UInt32, most: UInt32)> = []

  private static var fanOut: Int { 8 }
  /// Metres.
  private static var longestEdge: Double { 100_000 }

  /// - Returns: `nil` if the rings do not fit on the plane.
  init?(_ lines: ContiguousArray<ShapeLine>) {
    guard let plane = Plane(lines) else { return nil }
    let rounding = Float(plane.size) * 0x1p-21 + 1e-3
    var outer: ContiguousArray<SIMD8<Float>> = []
    for line in lines {
      // Long edges are cut into pieces, because short pieces stay near their chords.
      let line = line.cut(RingExtents.longestEdge)
      var least = SIMD8<Float>(repeating: .infinity)
      var sagitta = 0.0
      for index in line.vertices.indices {
        guard let place = plane.place(line.vertices[index]) else { return nil }
        least = least.replacing(with: place, where: place .< least)
        if line.isEdge(index) { sagitta = max(sagitta, line.sagitta(index)) }
      }
      inner.append(least + rounding)
      // At a distance d from the chord, the sum of two coordinates differs from its value on the chord by at most √2·d.
      outer.append(least - (Float(2 * sagitta) + rounding))
      sizes.append((RingExtents.size(inner[inner.count - 1]), RingExtents.size(outer[outer.count - 1]) + 1))
    }
    order = ContiguousArray(lines.indices.arranged { (sizes[$0].least, $0) < (sizes[$1].least, $1) })
    for ring in order { tree.append(outer[ring]) }
    levels.append(tree.count)
    while levels[levels.count - 1] - levels[levels.count - 2] > 1 {
      let below = levels[levels.count - 2]..<levels[levels.count - 1]
      for first in stride(from: below.lowerBound, to: below.upperBound, by: RingExtents.fanOut) {
        var least = tree[first]
        for other in first..<min(first + RingExtents.fanOut, below.upperBound) {
          least = least.replacing(with: tree[other], where: tree[other] .< least)
        }
        tree.append(least)
      }
      levels.append(tree.count)
    }
  }

  /// Returns the size class of a ring with these extents: twice the size is 64 classes higher.
  private static func size(_ extents: SIMD8<Float>) -> UInt32 {
    var sum: Float = 0
    for direction in 0..<8 { sum -= extents[direction] }
    return max(sum, 0).bitPattern >> 17
  }

  /// Calls `body` with each ring that may enclose `ring`, roughly from the smallest to the largest. `body` returns true
  /// if the ring that it gets encloses `ring`. After `body` has returned true for a ring, larger rings are skipped.
  func forEachEnclosing(_ ring: Int, _ body: (Int) -> Bool) {
    var limit = UInt32.max
    visit(levels.count - 2, 0, ring, &limit, body)
  }

  private func visit(_ level: Int, _ index: Int, _ ring: Int, _ limit: inout UInt32, _ body: (Int) -> Bool) {
    // The first ring of a node has the smallest class among the node's rings.
    guard sizes[order[index << (3 * level)]].least <= limit, !any(tree[levels[level] + index] .> inner[ring]) else {
      return
    }
    guard level > 0 else {
      let other = order[index]
      if other != ring, body(other) { limit = min(limit, sizes[other].most) }
      return
    }
    let count = levels[level] - levels[level - 1]
    for child in index * RingExtents.fanOut..<min((index + 1) * RingExtents.fanOut, count) {
      visit(level - 1, child, ring, &limit, body)
    }
  }

  /// A plane with two axes, east and north.
  private struct Plane {
    let middle, up, east, north: EarthVector
    /// An upper bound of all coordinates, in metres.
    let size: Double

    init?(_ lines: ContiguousArray<ShapeLine>) {
      guard let first = lines.first?.vertices.first else { return nil }
      var (low, high) = (first, first)
      for line in lines {
        for vector in line.vertices {
          low = EarthVector(x: min(low.x, vector.x), y: min(low.y, vector.y), z: min(low.z, vector.z))
          high = EarthVector(x: max(high.x, vector.x), y: max(high.y, vector.y), z: max(high.z, vector.z))
        }
      }
      middle = (low + high) * 0.5
      size = (high - low).length
      guard middle.length > 1e6 else { return nil }
      up = middle / middle.length
      let way = up.z.magnitude < 0.7 ? EarthVector(x: -up.y, y: up.x, z: 0) : EarthVector(x: 0, y: -up.z, z: up.y)
      east = way / way.length
      north = up.cross(east)
    }

    /// The coordinates of a position in eight directions: along the two axes, along the two diagonals, and along the
    /// opposites of these four directions. `nil` for a position that is less than 1 000 km above the parallel plane
    /// through the Earth's centre.
    func place(_ vector: EarthVector) -> SIMD8<Float>? {
      guard vector.dot(up) > 1e6 else { return nil }
      let apart = vector - middle
      let (a, b) = (Float(apart.dot(east)), Float(apart.dot(north)))
      return SIMD8(a, b, a + b, a - b, -a, -b, -a - b, b - a)
    }
  }
}
