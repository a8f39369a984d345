/// Which edges of a shape's line are near a place: where to look for the nearest one from a little way on, without a walk
/// over the tree.
///
/// The eight groups of edges that come nearest, and up to which distance there is no other.
public struct NearEdges: Sendable {
  /// Numbers of groups, the first `count` of them; 0 and infinite gaps beyond.
  private var groups = SIMD8<Int32>()
  /// What each is no nearer than to `centre`, metres.
  private var gaps = SIMD8<Float>(repeating: .infinity)
  private var count = 0
  /// What no other group is nearer than to `centre`.
  private var reach: Float = 0
  private var centre = EarthVector(x: 0, y: 0, z: 0)
  /// The group with the edge that was nearest last, which likely is so again.
  private var first = 0
  /// Of which shape and how many groups: the numbers mean nothing to another.
  private var owner: ObjectIdentifier?
  private var groupCount = 0

  static var capacity: Int { 8 }

  /// Nothing is known.
  public init() {}

  /// - Parameter position: near the surface.
  public init(of shape: GeodesicShape, around position: EarthVector) {
    centre = position
    (owner, groupCount) = (ObjectIdentifier(shape), shape.line.groupCount)
    let nearest = LineSearch.nearestGroups(shape.line, to: position)
    (count, reach) = (nearest.count, nearest.reach)
    for index in 0..<count { (groups[index], gaps[index]) = (nearest.groups[index], nearest.gaps[index]) }
    first = gaps.leastIndex
  }

  /// The edges that may be nearest to a point; `nil` when there may be others.
  @inline(__always)
  mutating func candidates(_ shape: GeodesicShape, near point: EarthVector) -> LineCandidates? {
    guard owner == ObjectIdentifier(shape), shape.line.groupCount == groupCount, count > 0 else { return nil }
    let apart = point - centre
    // Rounded up.
    let moved = Float(apart.dot(apart).squareRoot()) * (1 + 0x1p-20)
    guard moved < reach else { return nil }
    var candidates = LineCandidates()
    LineSearch.use(shape.line, at: point) { search, _ in
      withUnsafeTemporaryAllocation(of: LineSearch.Scan.self, capacity: NearEdges.capacity) { scans in
        let scans = scans.baseAddress.unsafelyUnwrapped
        var scanned = 1
        var nearest = first
        var scan = search.scan(Int(groups[first]))
        var most = scan.most
        (scans + 0).initialize(to: scan)
        // Element by element from memory, which costs less than out of a vector.
        withUnsafeBytes(of: gaps) { gaps in
          for index in 0..<count where index != first {
            let gap = gaps.load(fromByteOffset: 4 &* index, as: Float.self)
            guard gap - moved <= LineCandidates.widened(most),
              search.gap(Int(groups[index])) <= LineCandidates.widened(most)
            else { continue }
            scan = search.scan(Int(groups[index]))
            (scans + scanned).initialize(to: scan)
            scanned &+= 1
            if scan.most < most { (most, nearest) = (scan.most, index) }
          }
        }
        first = nearest
        candidates.take(scans, scanned, most)
      }
    }
    guard !candidates.isCrowded, moved + LineCandidates.widened(candidates.most) < reach else { return nil }
    return candidates
  }
}

extension LineSearch {
  /// The groups of edges that are nearest to a point.
  struct NearestGroups {
    var groups = SIMD8<Int32>()
    var count = 0
    /// What no other group is nearer than.
    var reach = Float.infinity
    private(set) var gaps = SIMD8<Float>(repeating: -.infinity)
    private var farthest = 0

    /// What is no nearer is not taken.
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

  static func nearestGroups(_ line: ShapeLine, to point: EarthVector) -> NearestGroups {
    var nearest = NearestGroups()
    LineSearch.use(line, at: point) { search, top in
      if top == 0 { nearest.take(0, 0) } else { search.visitGroups(top, 0, &nearest) }
    }
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

  /// Eight edges as they lie to the point.
  struct Scan {
    var group: Int
    /// Bounds of the distance to each chord, metres; infinite for what is no edge.
    var near, far: SIMD8<Float>
    /// Where the nearest place of each chord is.
    var part: SIMD8<Float>
    /// The least of each.
    var least, most: Float
  }
}

extension LineCandidates {
  init() {}

  /// Takes what is near enough of groups that hold all that may be.
  @inline(__always)
  fileprivate mutating func take(_ scans: UnsafeMutablePointer<LineSearch.Scan>, _ scanned: Int, _ most: Float) {
    let limit = LineCandidates.widened(most)
    var least = SIMD8<Float>(repeating: .infinity)
    for index in 0..<scanned {
      let scan = scans + index
      least = least.orLess(scan.pointee.near)
      guard scan.pointee.least <= limit else { continue }
      let start = scan.pointee.group &* ShapeLine.fanOut
      withUnsafeBytes(of: &scan.pointee.near) { near in
        withUnsafeBytes(of: &scan.pointee.part) { part in
          for lane in 0..<8 {
            let gap = near.load(fromByteOffset: 4 &* lane, as: Float.self)
            guard gap <= limit else { continue }
            append(start &+ lane, part.load(fromByteOffset: 4 &* lane, as: Float.self), gap)
          }
        }
      }
    }
    setBounds(least.leastElement, most)
  }
}

#if FENCEPOST_INVARIANTS
  extension GeodesicShape {
    /// The signed boundary distance of a point that is known as a vector, within a micrometre.
    public func boundaryDistance(at position: EarthVector) -> Double { boundaryDistance(of: SurfacePoint(position)) }
  }
#endif
