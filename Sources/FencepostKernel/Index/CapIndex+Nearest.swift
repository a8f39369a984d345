extension CapIndex {
  /// Visits the caps around a position, beginning with the nearest cubes, until the caller's limit excludes the
  /// remaining cubes.
  ///
  /// Uses a best-first search (Hjaltason and Samet, "Distance browsing in spatial databases", ACM TODS 24, 1999): cubes
  /// wait in a heap, ordered by a lower bound of the slack of all caps at and below them. The caps that belong to one
  /// cube are visited in no particular order. Every cap whose slack is at most the limit is visited.
  ///
  /// - Parameters:
  ///   - position: The centre of the search; if it is NaN, nothing is visited.
  ///   - visit: Receives a cap's id and a lower bound of the cap's slack, and returns the largest slack that the search
  ///     must still visit. The slack is the chord from the position to the cap's centre minus the cap's reach, in
  ///     metres, but at least 0.
  public func visitNearest(to position: EarthVector, _ visit: (UInt32, Double) -> Double) {
    var waiting = NearestSearch()
    visitNearest(to: position, &waiting, visit)
  }

  /// Visits caps in the same way as `visitNearest` without a `search` argument; use this method for repeated searches.
  ///
  /// Repeated searches reuse the memory of `search`; the contents of `search` before a call do not matter.
  public func visitNearest(
    to position: EarthVector, _ search: inout NearestSearch, _ visit: (UInt32, Double) -> Double
  ) {
    guard position.x == position.x, position.y == position.y, position.z == position.z else { return }
    var limit = Double.infinity
    for stray in strays {
      let chord = stray.centre.squaredChord(to: position).squareRoot()
      let slack = max(0, chord - stray.reach)
      // A NaN distance is never pruned.
      if !(slack > limit) { limit = visit(stray.id, slack.isNaN ? 0 : slack) }
    }
    guard treeCount > 0 else { return }
    let root = slot(CapLevel.key(level: CapLevel.top, x: 0, y: 0, z: 0))
    guard root >= 0 else { return }
    search.waiting.removeAll()
    search.waiting.insert(Cube(bound: 0, slot: root, level: CapLevel.top, x: 0, y: 0, z: 0)) { $0.precedes($1) }
    while let cube = search.waiting.first, cube.bound <= limit {
      search.waiting.removeFirst { $0.precedes($1) }
      visitEntries(of: cube, near: position, &limit, visit)
      guard cube.level > 0, nodes[cube.slot].children != 0 else { continue }
      let key = nodes[cube.slot].key
      var children = nodes[cube.slot].children
      while children != 0 {
        let child = children.trailingZeroBitCount
        children &= children &- 1
        var below = Cube(
          bound: 0, slot: 0, level: cube.level &- 1, x: cube.x &<< 2 | child & 3, y: cube.y &<< 2 | child &>> 2 & 3,
          z: cube.z &<< 2 | child &>> 4 & 3)
        let gap = below.gap(to: position)
        // Before the look-up, use the reach that the cube's level allows: no cap at or below the cube has a longer
        // reach.
        guard gap - Double(min(nodes[cube.slot].reach, CapLevel.reach(below.level))) <= limit else { continue }
        below.slot = slot(CapIndex.childKey(key, child))
        guard below.slot >= 0 else { continue }
        below.bound = max(0, gap - Double(nodes[below.slot].reach))
        if below.bound <= limit { search.waiting.insert(below) { $0.precedes($1) } }
      }
    }
  }

  /// Visits the caps that belong to one cube.
  private func visitEntries(
    of cube: Cube, near position: EarthVector, _ limit: inout Double, _ visit: (UInt32, Double) -> Double
  ) {
    let count = Int(nodes[cube.slot].count)
    guard count > 0 else { return }
    let centre = cube.centre
    let x = position.x - centre.x
    let y = position.y - centre.y
    let z = position.z - centre.z
    let block = Int(nodes[cube.slot].block)
    for index in 0..<count {
      let lane = index & 3
      // The stored centre is rounded. To compensate, the stored reach exceeds the cap's own reach by more than the
      // rounding error.
      let dx = Double(groups[block &+ index &>> 2].x[lane]) - x
      let dy = Double(groups[block &+ index &>> 2].y[lane]) - y
      let dz = Double(groups[block &+ index &>> 2].z[lane]) - z
      let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
      let slack = max(0, chord - Double(groups[block &+ index &>> 2].reach[lane]))
      if slack <= limit { limit = visit(groups[block &+ index &>> 2].ids[lane], slack) }
    }
  }
}

/// The working memory of a search for the nearest caps.
public struct NearestSearch: Sendable {
  fileprivate var waiting = BinaryHeap<Cube>()

  public init() {}
}

/// A cube that a search has found but not yet visited.
private struct Cube {
  var bound: Double
  var slot: Int
  var level: Int
  var x: Int
  var y: Int
  var z: Int

  var centre: EarthVector {
    let edge = CapLevel.edge(level)
    return EarthVector(
      x: (Double(x) + 0.5) * edge - CapLevel.origin, y: (Double(y) + 0.5) * edge - CapLevel.origin,
      z: (Double(z) + 0.5) * edge - CapLevel.origin)
  }

  /// The distance from a position to the cube, minus the largest possible rounding error.
  func gap(to position: EarthVector) -> Double {
    let half = 0.5 * CapLevel.edge(level)
    let centre = centre
    let x = max((position.x - centre.x).magnitude - half, 0)
    let y = max((position.y - centre.y).magnitude - half, 0)
    let z = max((position.z - centre.z).magnitude - half, 0)
    return (x * x + y * y + z * z).squareRoot() * (1 - 0x1p-40)
  }

  /// The cube with the smallest bound comes first. If two bounds are equal, the smaller cube comes first, because its
  /// bound is more precise.
  func precedes(_ other: Cube) -> Bool {
    bound != other.bound
      ? bound < other.bound : level != other.level ? level < other.level : (x, y, z) < (other.x, other.y, other.z)
  }
}
