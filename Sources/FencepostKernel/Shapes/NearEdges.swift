/// Stores the edges of a shape that are near a position, so that the nearest edge to a point close to the position is
/// usually found without a search of the tree.
///
/// Stores the eight nearest groups of edges, and the distance within which there are no other groups.
public struct NearEdges: Sendable {
  /// The numbers of the stored groups. Only the first `count` elements are in use; the other elements are 0, and their
  /// gaps are infinite.
  private var groups = SIMD8<Int32>()
  /// For each stored group, a lower bound of the distance from its edges to `centre`, in metres.
  private var gaps = SIMD8<Float>(repeating: .infinity)
  private var count = 0
  /// A lower bound of the distance from `centre` to every group that is not stored.
  private var reach: Float = 0
  private var centre = EarthVector(x: 0, y: 0, z: 0)
  /// The group that contained the nearest edge in the last query, and is likely to contain the nearest edge in the next
  /// query.
  private var first = 0
  /// The shape whose groups of edges are stored, and the number of all groups of that shape.
  private var owner: ObjectIdentifier?
  private var groupCount = 0

  static var capacity: Int { 8 }

  /// Nothing is known.
  public init() {}

  /// - Parameter position: A position near the surface of the Earth.
  public init(of shape: GeodesicShape, around position: EarthVector) {
    centre = position
    (owner, groupCount) = (ObjectIdentifier(shape), shape.line.groupCount)
    LineSearch.use(shape.line, at: position) { search, top in
      let nearest = search.nearestGroups(top)
      (count, reach) = (nearest.count, nearest.reach)
      for index in 0..<count { (groups[index], gaps[index]) = (nearest.groups[index], nearest.gaps[index]) }
    }
    first = gaps.leastIndex
  }

  /// The signed boundary distance of a point, computed from the stored edges; `nil` if other edges may be nearer, or if
  /// the stored edges cannot decide the side.
  @inline(__always)
  mutating func look(_ shape: GeodesicShape, at point: EarthVector) -> FoundNear? {
    guard owner == ObjectIdentifier(shape), shape.line.groupCount == groupCount, count > 0 else { return nil }
    let apart = point - centre
    // Rounded up.
    let moved = Float(apart.dot(apart).squareRoot()) * (1 + 0x1p-20)
    guard moved < reach else { return nil }
    var found = NearestEdges()
    LineSearch.use(shape.line, at: point) { search, _ in
      withUnsafeTemporaryAllocation(of: LineSearch.Scan.self, capacity: NearEdges.capacity) { scans in
        let scans = scans.baseAddress.unsafelyUnwrapped
        // Read the group numbers one by one from memory, which is faster than extracting them from a vector.
        withUnsafeBytes(of: groups) { groups in
          func group(_ index: Int) -> Int { Int(groups.load(fromByteOffset: 4 &* index, as: Int32.self)) }
          var scanned = 1
          var nearest = first
          var most = search.scan(group(first), scans)
          var limit = LineCandidates.widened(most)
          withUnsafeBytes(of: gaps) { gaps in
            for index in 0..<count {
              let gap = gaps.load(fromByteOffset: 4 &* index, as: Float.self)
              guard gap - moved <= limit, index != first, search.gap(group(index)) <= limit else { continue }
              let other = search.scan(group(index), scans + scanned)
              scanned &+= 1
              if other < most {
                (most, nearest) = (other, index)
                limit = LineCandidates.widened(most)
              }
            }
          }
          first = nearest
          found.take(scans, scanned, most)
        }
      }
    }
    guard found.count > 0, moved + LineCandidates.widened(found.most) < reach else { return nil }
    return shape.bounds(at: point, found)
  }
}

/// The few edges of a shape that may be the nearest edge to a point.
struct NearestEdges {
  private(set) var edges = SIMD8<Int32>()
  private(set) var parts = SIMD8<Float>()
  /// The number of candidate edges; 0 if there are too many to list.
  private(set) var count = 0
  /// Bounds of the distance to the nearest chord, in metres.
  private(set) var least = Float.infinity
  private(set) var most = Float.infinity

  init() {}

  /// - Parameters:
  ///   - least: A lower bound of the distance to the nearest chord, in metres.
  ///   - most: An upper bound.
  init(least: Float, most: Float) { (self.least, self.most) = (least, most) }

  /// Adds a candidate; there must be fewer than eight.
  mutating func append(_ edge: Int32, _ part: Float) {
    (edges[count], parts[count]) = (edge, part)
    count &+= 1
  }

  /// Replaces the candidates with those edges of the scanned groups that may be nearest; the groups must contain all
  /// such edges.
  @inline(__always)
  fileprivate mutating func take(_ scans: UnsafeMutablePointer<LineSearch.Scan>, _ scanned: Int, _ most: Float) {
    let limit = LineCandidates.widened(most)
    var (edges, parts) = (SIMD8<Int32>(), SIMD8<Float>())
    var (taken, least) = (0, Float.infinity)
    withUnsafeMutableBytes(of: &edges) { edges in
      withUnsafeMutableBytes(of: &parts) { parts in
        for scan in scans..<(scans + scanned) {
          least = min(least, scan.pointee.least)
          guard scan.pointee.least <= limit else { continue }
          let start = Int32(truncatingIfNeeded: scan.pointee.group &* ShapeLine.fanOut)
          let row = UnsafeRawPointer(scan)
          for lane in 0..<8 {
            guard row.load(fromByteOffset: 4 &* lane, as: Float.self) <= limit else { continue }
            guard taken < 8 else { return taken = 9 }
            edges.storeBytes(of: start &+ Int32(lane), toByteOffset: 4 &* taken, as: Int32.self)
            parts.storeBytes(
              of: row.load(fromByteOffset: LineSearch.Scan.parts &+ 4 &* lane, as: Float.self),
              toByteOffset: 4 &* taken, as: Float.self)
            taken &+= 1
          }
        }
      }
    }
    (self.edges, self.parts, count) = (edges, parts, taken > 8 ? 0 : taken)
    (self.least, self.most) = (least, most)
  }
}

extension LineSearch {
  /// The groups of edges that are nearest to a point.
  struct NearestGroups {
    var groups = SIMD8<Int32>()
    var count = 0
    /// A lower bound of the distance from the point to every group that is not in `groups`.
    var reach = Float.infinity
    private(set) var gaps = SIMD8<Float>(repeating: -.infinity)
    private var farthest = 0

    /// Groups of edges at this distance or farther away are skipped.
    var limit: Float { count < NearEdges.capacity ? .infinity : gaps[farthest] }

    mutating func take(_ group: Int, _ gap: Float) {
      if count < NearEdges.capacity {
        (groups[count], gaps[count]) = (Int32(truncatingIfNeeded: group), gap)
        count &+= 1
      } else if gap < gaps[farthest] {
        drop(gaps[farthest])
        (groups[farthest], gaps[farthest]) = (Int32(truncatingIfNeeded: group), gap)
      } else {
        return drop(gap)
      }
      if count == NearEdges.capacity { farthest = gaps.greatestIndex }
    }

    mutating func drop(_ gap: Float) { reach = min(reach, gap) }
  }

  func nearestGroups(_ top: Int) -> NearestGroups {
    var nearest = NearestGroups()
    if top == 0 { nearest.take(0, 0) } else { visitGroups(top, 0, &nearest) }
    return nearest
  }

  private func visitGroups(_ level: Int, _ index: Int, _ nearest: inout NearestGroups) {
    let (gaps, children) = gaps(level, index)
    let first = index &* ShapeLine.fanOut
    if level == 1 {
      for child in 0..<children { nearest.take(first &+ child, gaps[child]) }
      return
    }
    let start = gaps.leastIndex
    visitGroups(level &- 1, first &+ start, &nearest)
    for child in 0..<children where child != start {
      if gaps[child] < nearest.limit {
        visitGroups(level &- 1, first &+ child, &nearest)
      } else {
        nearest.drop(gaps[child])
      }
    }
  }

  /// Working memory of a search: where the eight edges of a group are in relation to a point.
  struct Scan {
    /// A lower bound of the distance to each chord, in metres; infinite for a lane without an edge.
    fileprivate(set) var near: (SIMD4<Float>, SIMD4<Float>)
    /// The nearest point of each chord, as a fraction of the chord's length.
    fileprivate(set) var part: (SIMD4<Float>, SIMD4<Float>)
    fileprivate(set) var group: Int
    /// The smallest of the eight bounds in `near`.
    fileprivate(set) var least: Float

    /// The offset of the first element of `part`, in bytes.
    static var parts: Int { 32 }
  }

  /// Examines a group of edges.
  ///
  /// - Returns: An upper bound of the distance to the nearest chord.
  @inline(__always)
  fileprivate func scan(_ group: Int, _ scan: UnsafeMutablePointer<Scan>) -> Float {
    let (low, high) = (four(group &* ShapeLine.fanOut), four(group &* ShapeLine.fanOut &+ 4))
    var (least, most) = (low.near.orLess(high.near).least, low.far.orLess(high.far).least)
    scan.initialize(to: Scan(near: (low.near, high.near), part: (low.part, high.part), group: group, least: least))
    let bits = bits(group)
    if bits != 0xff { (least, most) = leaveOut(~bits, scan, low.far, high.far) }
    return most
  }

  /// Excludes the lanes that contain no edge.
  @inline(never)
  private func leaveOut(
    _ bits: UInt8, _ scan: UnsafeMutablePointer<Scan>, _ low: SIMD4<Float>, _ high: SIMD4<Float>
  ) -> (least: Float, most: Float) {
    var far = (low, high)
    for lane in 0..<4 {
      if bits & (1 << lane) != 0 { (scan.pointee.near.0[lane], far.0[lane]) = (.infinity, .infinity) }
      if bits & (16 << lane) != 0 { (scan.pointee.near.1[lane], far.1[lane]) = (.infinity, .infinity) }
    }
    scan.pointee.least = scan.pointee.near.0.orLess(scan.pointee.near.1).least
    return (scan.pointee.least, far.0.orLess(far.1).least)
  }
}

extension SIMD4 where Scalar == Float {
  @inline(__always)
  fileprivate func orLess(_ other: SIMD4) -> SIMD4 { replacing(with: other, where: other .< self) }

  @inline(__always)
  fileprivate var least: Float { Swift.min(Swift.min(x, y), Swift.min(z, w)) }
}

#if FENCEPOST_INVARIANTS
  extension GeodesicShape {
    /// The signed boundary distance, to within a micrometre, of a point given as a vector.
    public func boundaryDistance(at position: EarthVector) -> Double { boundaryDistance(of: SurfacePoint(position)) }
  }
#endif
