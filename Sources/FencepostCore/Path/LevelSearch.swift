import FencepostKernel

/// Finds the first instant at which a part of a leg passes a level of a polygon or a corridor, from the edges near it.
///
/// Where the side of a level changes, the device is at the distance of the level from an edge or from a vertex. The
/// distance from an extended edge changes almost linearly on a part of a leg that is short enough, and the distance from
/// a vertex is convex. So the instants at which these distances have a value can be found exactly; between two such
/// instants, the device stays on one side of the level.
struct LevelSearch {
  /// The parts of a leg are at most this long, in metres.
  private static let longestPart = 1_000.0
  /// The distance from an extended edge is bent: over a length s, it departs from a straight line by up to d s² / 8R²
  /// at the distance d. With this constant, in metres to the power 3/2, the departure is less than 30 nm.
  private static let straightness = 3_000.0

  private let shape: GeodesicShape
  /// The distance of the level from the shape's line, in metres.
  private let distance: Double
  private var parts: [LevelPart] = []
  private var instants: [Int64] = []

  /// - Returns: `nil` if the level is too far from the line of the shape.
  init?(_ shape: GeodesicShape, level: Double) {
    guard let distance = shape.distanceFromLine(ofLevel: level) else { return nil }
    (self.shape, self.distance) = (shape, distance)
  }

  /// The length of the parts of a leg that can be examined, in metres.
  var partLength: Double { min(Self.longestPart, Self.straightness / max(distance, 1).squareRoot()) }

  /// Returns the first instant at which the level is passed, in a part of a leg of up to ``partLength``; `nil` if it is
  /// not passed.
  ///
  /// - Parameters:
  ///   - first: An instant at which the level is not passed.
  ///   - isPassed: Whether the level is passed at an instant.
  mutating func first(
    _ leg: inout Leg, from first: Int64, through last: Int64, isPassed: (_ time: Int64, _ leg: inout Leg) -> Bool
  ) -> Int64? {
    guard first < last else { return nil }
    let (start, end) = (leg.position(at: first), leg.position(at: last))
    let middle = EarthVector(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2, z: (start.z + end.z) / 2)
    parts.removeAll(keepingCapacity: true)
    instants.removeAll(keepingCapacity: true)
    shape.levelParts(
      at: distance, around: middle, within: start.squaredChord(to: end).squareRoot() / 2 + 0.1, into: &parts)
    for part in parts { list(part, &leg, (first, start), (last, end)) }
    instants.arrange { $0 < $1 }
    // The device stays on one side of the level between the listed instants, so one instant between two of them shows
    // the side.
    var (before, from) = (first, first)
    for index in 0...instants.count {
      let to = index < instants.count ? instants[index] : last
      guard to > from || index == instants.count else { continue }
      let time = index < instants.count ? from + (to - from + 1) / 2 : last
      if isPassed(time, &leg) {
        return passage(after: before, through: time, near: from, &leg, isPassed)
      }
      (before, from) = (time, to)
    }
    return nil
  }

  /// Returns the first instant past a level.
  ///
  /// - Parameters:
  ///   - first: An instant that is not past the level.
  ///   - last: A later instant that is past the level.
  ///   - guess: The last instant before the level, if the edges are exact.
  private func passage(
    after first: Int64, through last: Int64, near guess: Int64, _ leg: inout Leg,
    _ isPassed: (_ time: Int64, _ leg: inout Leg) -> Bool
  ) -> Int64 {
    var (low, high) = (first, last)
    var (middle, step) = (guess + 1, Int64(1))
    while high - low > 1 {
      middle = max(low + 1, min(high - 1, middle))
      if isPassed(middle, &leg) {
        high = middle
        middle = high - step
      } else {
        low = middle
        middle = low + step
      }
      // The steps from the guess become longer. If a step leaves the interval, the interval is bisected.
      if middle <= low || middle >= high || step > 1 << 40 { middle = low + (high - low) / 2 } else { step *= 4 }
    }
    return high
  }

  private typealias Place = (time: Int64, position: EarthVector)

  /// Lists the instants at which the device has the distance of the level from an edge or from one of its ends.
  private mutating func list(_ part: LevelPart, _ leg: inout Leg, _ first: Place, _ last: Place) {
    let distance = distance
    let isOnLine = distance == 0
    let (start, end) = (
      part.side(of: first.position, isOnLine: isOnLine).side, part.side(of: last.position, isOnLine: isOnLine).side
    )
    for level in isOnLine ? [0] : [-distance, distance] where (start < level) != (end < level) {
      let found = root(&leg, (first.time, start - level), (last.time, end - level)) {
        part.side(of: $0, isOnLine: isOnLine).side - level
      }
      if part.side(of: leg.position(at: found), isOnLine: isOnLine).isBeside
        || part.side(of: leg.position(at: found + 1), isOnLine: isOnLine).isBeside
      {
        instants.append(found)
      }
    }
    guard !isOnLine else { return }
    for corner in [part.start, part.end] {
      func excess(_ position: EarthVector) -> Double { LevelPart.distance(position, corner) - distance }
      let way = last.position.minus(first.position)
      let square = way.times(way)
      let share = square > 0 ? corner.minus(first.position).times(way) / square : 0
      let (start, end) = (excess(first.position), excess(last.position))
      var nearest: Place = (first.time, first.position)
      var least = start
      if share > 0, share < 1 {
        nearest.time += Int64(share * Double(last.time - first.time))
        nearest.position = leg.position(at: nearest.time)
        least = excess(nearest.position)
      } else if share >= 1 {
        (nearest, least) = (last, end)
      }
      guard least < 0 else { continue }
      if start >= 0 { instants.append(root(&leg, (first.time, start), (nearest.time, least), excess)) }
      if end >= 0 { instants.append(root(&leg, (nearest.time, least), (last.time, end), excess)) }
    }
  }

  /// Returns the last instant before a value changes its sign, by regula falsi with bisection.
  private func root(
    _ leg: inout Leg, _ first: (time: Int64, value: Double), _ last: (time: Int64, value: Double),
    _ value: (EarthVector) -> Double
  ) -> Int64 {
    var (low, high, before, after) = (first.time, last.time, first.value, last.value)
    var isHalving = false
    while high - low > 1 {
      let width = high - low
      var middle = low + width / 2
      if !isHalving, before != after {
        // The value is almost linear, so the root is within a microsecond or two of the chord's root.
        let share = max(0, min(1, before / (before - after)))
        middle = low + max(1, min(width - 1, Int64(share * Double(width))))
      }
      let here = value(leg.position(at: middle))
      if (here < 0) == (before < 0) { (low, before) = (middle, here) } else { (high, after) = (middle, here) }
      isHalving = !isHalving && (high - low) * 2 > width
    }
    return low
  }
}

extension EarthVector {
  fileprivate func minus(_ other: EarthVector) -> EarthVector {
    EarthVector(x: x - other.x, y: y - other.y, z: z - other.z)
  }

  fileprivate func times(_ other: EarthVector) -> Double { x * other.x + y * other.y + z * other.z }
}
