/// Stores the edges of a shape that are near a position, so that the nearest edge to a point close to the position is
/// usually found without a search of the tree.
///
/// Stores the eight nearest groups of edges, and the distance within which there are no other groups. Also stores the
/// answer of the last query, and the edge that was nearest then if no other edge was about as near: until the point has
/// moved as far as to the second edge, the plane through the nearest edge alone separates the two sides.
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
  /// The point of the last query that was answered, and the answer. Its `count` is 0 if no query was answered yet.
  private var last = EarthVector(x: 0, y: 0, z: 0)
  private var answer = FoundNear(least: 0, most: 0, edges: SIMD8(), count: 0)
  /// The edge that was nearest to `last`; without such an edge, `lone.free` is not positive.
  private var lone = LoneEdge()

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
    let step = point - last
    if step.dot(step) <= NearEdges.samePoint * NearEdges.samePoint, answer.count > 0 {
      return step.dot(step) == 0 ? answer : answer.widened(by: NearEdges.samePoint)
    }
    let apart = point - centre
    // Rounded up.
    let moved = Float(apart.dot(apart).squareRoot()) * (1 + 0x1p-20)
    guard moved < reach else { return nil }
    var found = NearestEdges()
    // A lower bound of the distances to the edges that are not candidates.
    var free = reach - moved
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
              guard index != first else { continue }
              let gap = gaps.load(fromByteOffset: 4 &* index, as: Float.self)
              guard gap - moved <= limit else {
                free = min(free, gap - moved)
                continue
              }
              let own = search.gap(group(index))
              guard own <= limit else {
                free = min(free, own)
                continue
              }
              let other = search.scan(group(index), scans + scanned)
              scanned &+= 1
              if other < most {
                (most, nearest) = (other, index)
                limit = LineCandidates.widened(most)
              }
            }
          }
          first = nearest
          free = min(free, found.take(scans, scanned, most))
        }
      }
    }
    guard found.count > 0, moved + LineCandidates.widened(found.most) < reach,
      let bounds = shape.bounds(at: point, found)
    else { return nil }
    (last, answer) = (point, bounds)
    lone = LoneEdge(shape, found, at: point, free: free)
    return bounds
  }

  /// Bounds of the signed boundary distance of a point that come from the last answer alone; `nil` if they do not
  /// decide the side, or are much wider than those of ``look(_:at:)``.
  @inline(__always)
  func glance(_ shape: GeodesicShape, at point: EarthVector) -> (least: Double, most: Double)? {
    guard owner == ObjectIdentifier(shape), let chord = lone.chord(after: point - last) else { return nil }
    return shape.bounds(chord.least, chord.most, lone.isLeft ? 1 : -1)
  }

  /// Whether a way certainly stays on one side of a polygon without a buffer, as far as the last answer alone shows.
  ///
  /// - Parameter sag: The largest distance of the way from the straight line between its ends, in metres.
  public func staysOnSide(
    of shape: GeodesicShape, from start: EarthVector, to end: EarthVector, sag: Double, isInside: Bool
  ) -> Bool {
    owner == ObjectIdentifier(shape) && shape.offset == 0 && lone.isLeft == isInside
      && lone.reaches(start - last, sag: sag) && lone.reaches(end - last, sag: sag)
  }

  /// Two points that are less than this apart, in metres, get the same answer, with bounds that are wider by this.
  private static var samePoint: Double { 2e-6 }
}

/// The only edge of a polygon that is about as near to a point as the nearest one.
private struct LoneEdge {
  /// The normal of the plane through the edge and the vertical at its start, towards the side of the point.
  private var normal = EarthVector(x: 0, y: 0, z: 0)
  /// A lower bound of the distance from the point to the edge, measured along `normal`, in metres.
  private var ahead = 0.0
  /// A lower bound of the distance from the point to every other edge; negative if there is no such edge.
  private var free = -1.0
  /// An upper bound of the distance from the point to the edge.
  private var most = 0.0
  private(set) var isLeft = false

  /// The greatest move, in metres, after which the edge still tells the side. The straight line between two points of
  /// the surface that are so far apart is less than 2 mm below the surface.
  private static var farthest: Double { 300 }
  /// More than that depth and all errors, in metres.
  private static var margin: Double { 0.01 }
  /// If the other edges leave less than this fraction of the distance from the edge, a new search is worth its time.
  private static var leastShare: Double { 0.5 }

  init() {}

  @inline(__always)
  init(_ shape: GeodesicShape, _ found: NearestEdges, at point: EarthVector, free: Float) {
    guard shape.isPolygon, found.count == 1, found.parts[0] > 0, found.parts[0] < 1 else { return }
    let edge = Int(found.edges[0])
    let start = shape.line.vertices[edge]
    let left = start.scaled.cross(shape.line.vertices[edge &+ 1] - start)
    let side = left.dot(point - start) / left.length
    isLeft = side > 0
    normal = left / (isLeft ? left.length : -left.length)
    // No point of the edge is farther from the plane than the edge is from its chord, which lies in the plane.
    ahead = side.magnitude - shape.line.sagitta(edge) - LoneEdge.margin
    self.free = ahead > 0 ? Double(free) - LoneEdge.margin : -1
    most = Double(found.most)
  }

  /// Whether all points that are at most `sag` metres from a point are certainly on the same side as before.
  ///
  /// The points for which this holds are those of a half-space and a ball: with two of them, the straight way between
  /// them is on the same side too.
  ///
  /// - Parameter apart: How far the point has moved.
  func reaches(_ apart: EarthVector, sag: Double) -> Bool {
    let moved = apart.length + sag
    return moved < min(free, LoneEdge.farthest) && ahead + normal.dot(apart) > sag
  }

  /// Bounds of the chord from a point to the nearest edge, if the point is certainly on the same side as before.
  ///
  /// On the straight way to the point, neither is the plane of the edge reached nor any other edge.
  ///
  /// - Parameter apart: How far the point has moved.
  @inline(__always)
  func chord(after apart: EarthVector) -> (least: Double, most: Double)? {
    let moved = apart.dot(apart).squareRoot()
    let (ahead, free) = (ahead + normal.dot(apart), free - moved)
    guard free > 0, moved < LoneEdge.farthest, ahead > 0, free >= LoneEdge.leastShare * ahead else { return nil }
    return (min(ahead, free), most + moved)
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
  ///
  /// - Returns: A lower bound of the distances to the other edges of these groups, in metres.
  @inline(__always)
  fileprivate mutating func take(
    _ scans: UnsafeMutablePointer<LineSearch.Scan>, _ scanned: Int, _ most: Float
  ) -> Float {
    let limit = LineCandidates.widened(most)
    var (edges, parts) = (SIMD8<Int32>(), SIMD8<Float>())
    var (taken, least, others) = (0, Float.infinity, Float.infinity)
    withUnsafeMutableBytes(of: &edges) { edges in
      withUnsafeMutableBytes(of: &parts) { parts in
        for scan in scans..<(scans + scanned) {
          least = min(least, scan.pointee.least)
          guard scan.pointee.least <= limit else {
            others = min(others, scan.pointee.least)
            continue
          }
          let start = Int32(truncatingIfNeeded: scan.pointee.group &* ShapeLine.fanOut)
          let row = UnsafeRawPointer(scan)
          for lane in 0..<8 {
            let near = row.load(fromByteOffset: 4 &* lane, as: Float.self)
            guard near <= limit else {
              others = min(others, near)
              continue
            }
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
    return others
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
    fileprivate(set) var near: SIMD8<Float>
    /// The nearest point of each chord, as a fraction of the chord's length.
    fileprivate(set) var part: SIMD8<Float>
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
    let (chord, sagitta, part) = chords(group &* ShapeLine.fanOut)
    let slack = sagitta + rounding
    let (near, far) = (chord - slack, chord + slack)
    var (least, most) = (near.leastElement, far.leastElement)
    scan.initialize(to: Scan(near: near, part: part, group: group, least: least))
    let bits = bits(group)
    if bits != 0xff { (least, most) = leaveOut(~bits, scan, far) }
    return most
  }

  /// Excludes the lanes that contain no edge.
  @inline(never)
  private func leaveOut(
    _ bits: UInt8, _ scan: UnsafeMutablePointer<Scan>, _ far: SIMD8<Float>
  ) -> (least: Float, most: Float) {
    var far = far
    for lane in 0..<8 where bits & (1 << lane) != 0 {
      scan.pointee.near[lane] = .infinity
      far[lane] = .infinity
    }
    scan.pointee.least = scan.pointee.near.leastElement
    return (scan.pointee.least, far.leastElement)
  }
}

#if FENCEPOST_INVARIANTS
  extension GeodesicShape {
    /// The signed boundary distance, to within a micrometre, of a point given as a vector.
    public func boundaryDistance(at position: EarthVector) -> Double { boundaryDistance(of: SurfacePoint(position)) }
  }
#endif
