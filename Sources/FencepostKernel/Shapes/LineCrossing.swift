/// A point where a short path crosses the line of a shape. Left and right are defined in the direction of the line.
///
/// The line counts as shifted to the right by an infinitesimal distance, so a position exactly on the line is to its
/// left.
public struct LineCrossing: Sendable {
  /// The index of the crossed chain; chains are numbered from 0 in the order in which the lines were given.
  public let chain: Int
  /// Whether the path leads from the right side of the line to the left side.
  public let isToLeft: Bool
  /// The edge, or the part of a long edge that is near the path.
  private let edge: ShortSegment

  init(chain: Int, isToLeft: Bool, edge: ShortSegment) {
    self.chain = chain
    self.isToLeft = isToLeft
    self.edge = edge
  }

  /// The distance, in metres, by which a position on the path is past the edge; negative if the position is before the
  /// edge.
  public func excess(_ position: EarthVector) -> Double {
    let side = edge.side(of: position) + GeodesicShape.onTheLine
    return isToLeft ? side : -side
  }

  /// Whether a position on the path is past the edge, in the direction of the path.
  public func isBeyond(_ position: EarthVector) -> Bool {
    let excess = excess(position)
    return isToLeft ? excess >= 0 : excess > 0
  }
}

extension GeodesicShape {
  /// The maximum length, in metres, of a path that is passed to ``crossings(from:to:into:)``.
  public static var longestWay: Double { 12_000 }

  /// Appends the edges of the line that a path crosses, in the order of the line.
  ///
  /// If the path goes through a vertex where the line changes sides, the two edges at that vertex count once; if the
  /// line does not change sides there, they do not count.
  ///
  /// - Parameters:
  ///   - start: A position on the surface.
  ///   - end: Another position, at most ``longestWay`` away. The path is the geodesic between the two positions.
  public func crossings(from start: EarthVector, to end: EarthVector, into result: inout [LineCrossing]) {
    guard start != end, let search = LineCrossingSearch(line, ShortSegment(from: start, to: end)) else { return }
    var edges = LineSearch.edges(of: line, at: search.middle, limit: search.way.length / 2 + 1e-3)
    edges.arrange()
    for edge in edges {
      if let crossing = search.crossing(of: edge) { result.append(crossing) }
    }
  }
}

/// Finds the edges of a line that a path crosses: the two ends of such an edge are on different sides of the path, and
/// the two ends of the path are on different sides of the edge.
///
/// Each vertex is assigned one side of the path, which is used for both edges at the vertex. Therefore, a path that
/// crosses a line at a vertex is counted once. If a vertex lies on the path, its side is determined by the nearest
/// vertices of the line that lie beside the path. If the line, followed from such a vertex in either direction, stays
/// on the path until the line or the path ends, the side is determined as if the line were shifted to its right. If an
/// open end of the line is on the path, the path does not cross the edge at that end.
struct LineCrossingSearch {
  /// The search along the line for a vertex beside the path skips at most this many vertices that lie on the path.
  private static var mostOnTheWay: Int { 16 }
  /// The length, in metres, of the part of a long edge that is examined on each side of the path.
  private static var leastPart: Double { 5_000 }

  let line: ShapeLine
  let way: ShortSegment
  /// Of the way.
  let middle: EarthVector

  init?(_ line: ShapeLine, _ way: ShortSegment) {
    guard way.length > 0, way.length <= 2 * GeodesicShape.longestWay else { return nil }
    self.line = line
    self.way = way
    middle = way.point(way.length / 2)
  }

  /// The part of an edge near the path.
  private struct Part {
    var segment: ShortSegment
    /// The positions where the part begins and ends, in metres along the segment.
    var low, high: Double
    /// Whether the part begins at the start of the edge, and whether it ends at the end of the edge.
    var isStart, isEnd: Bool
  }

  func crossing(of edge: Int) -> LineCrossing? {
    guard let part = part(edge) else { return nil }
    let startsLeft = part.segment.side(of: way.start) >= -GeodesicShape.onTheLine
    let endsLeft = part.segment.side(of: way.end) >= -GeodesicShape.onTheLine
    guard startsLeft != endsLeft, !meetsOpenEnd(part, edge),
      side(of: part, edge, atStart: true) != side(of: part, edge, atStart: false)
    else { return nil }
    let chain = (line.starts.firstIndex { $0 > edge } ?? line.starts.count) - 1
    return LineCrossing(chain: chain, isToLeft: endsLeft, edge: part.segment)
  }

  /// The part of an edge near the path: it extends in both directions from the point nearest to the middle of the path,
  /// by at most twice the length of the path; `nil` if the edge has no such part.
  private func part(_ edge: Int) -> Part? {
    let (start, end) = (line.vertices[edge], line.vertices[edge + 1])
    let reach = 2 * way.length
    guard start.squaredChord(to: end) > ShortSegment.limit * ShortSegment.limit else {
      let segment = ShortSegment(from: start, to: end)
      guard segment.length > 0 else { return nil }
      let foot = segment.along(nearest: middle)
      let (low, high) = (max(foot - reach, 0), min(foot + reach, segment.length))
      guard low <= high else { return nil }
      return Part(segment: segment, low: low, high: high, isStart: low == 0, isEnd: high == segment.length)
    }
    let whole = line.segment(edge)
    let foot = whole.foot(of: SurfacePoint(middle)).along
    let around = max(reach, Self.leastPart)
    let (first, last) = (max(foot - around, 0), min(foot + around, whole.length))
    let segment = ShortSegment(from: whole.point(first).place.vector, to: whole.point(last).place.vector)
    guard segment.length > 0 else { return nil }
    let (low, high) = (max(foot - first - reach, 0), min(foot - first + reach, segment.length))
    return Part(
      segment: segment, low: low, high: high, isStart: low == 0 && first == 0,
      isEnd: high == segment.length && last == whole.length)
  }

  /// 1 for a point to the left of the path, −1 for a point to its right, and 0 for a point on it.
  private func plainSide(_ point: EarthVector) -> Int {
    let side = way.side(of: point)
    return side.magnitude < GeodesicShape.onTheLine ? 0 : side > 0 ? 1 : -1
  }

  /// Whether an open end of the line is on the path; a crossing at such an end does not count. Two geodesics that meet
  /// at an open end either meet nowhere else or overlap.
  private func meetsOpenEnd(_ part: Part, _ edge: Int) -> Bool {
    part.isStart && line.preceding(edge) < 0 && plainSide(line.vertices[edge]) == 0
      || part.isEnd && line.following(edge) < 0 && plainSide(line.vertices[edge + 1]) == 0
  }

  /// The side of the path on which this part of an edge begins (`atStart`) or ends.
  private func side(of part: Part, _ edge: Int, atStart: Bool) -> Int {
    guard atStart ? part.isStart : part.isEnd else {
      return way.side(of: part.segment.point(atStart ? part.low : part.high)) >= 0 ? 1 : -1
    }
    return side(
      ofVertex: atStart ? edge : edge + 1, atStart ? line.preceding(edge) : edge,
      atStart ? edge : line.following(edge))
  }

  /// - Parameters:
  ///   - before: The edge that ends at the vertex; −1 where the line begins.
  ///   - after: The edge that starts at the vertex; −1 where the line ends.
  private func side(ofVertex vertex: Int, _ before: Int, _ after: Int) -> Int {
    let place = line.vertices[vertex]
    let side = plainSide(place)
    guard side == 0 else { return side }
    let (back, ahead) = (neighbour(place, before, isAhead: false), neighbour(place, after, isAhead: true))
    let (first, last) = (way.along(nearest: back.last), way.along(nearest: ahead.last))
    // If the line ends on the device's path, the device was on the line until it passed that end. A place on the line
    // counts as being to the left of the line.
    guard back.side != 0, ahead.side != 0, back.hops + ahead.hops <= Self.mostOnTheWay,
      min(first, last) > CrossingCheck.tolerance, max(first, last) < way.length - CrossingCheck.tolerance
    else { return shiftedSide(of: place, before, after) }
    // If the path runs along the line, it counts as crossing the line at the point where it leaves the line.
    return first <= last ? back.side : ahead.side
  }

  /// Follows the line from a vertex on the path until the line leaves the path, and returns the side on which it
  /// leaves; 0 if the line ends first, or stays on the path for more vertices than are searched.
  ///
  /// - Returns: The side, the number of further vertices found on the path (above `mostOnTheWay` if the search gave
  ///   up), and the position of the last vertex on the path.
  private func neighbour(
    _ place: EarthVector, _ edge: Int, isAhead: Bool
  ) -> (side: Int, hops: Int, last: EarthVector) {
    let many = Self.mostOnTheWay + 1
    var (edge, last) = (edge, place)
    for hops in 0..<many {
      guard edge >= 0 else { return (0, hops, last) }
      guard let part = part(edge) else { return (0, many, last) }
      let end = part.segment.point(isAhead ? part.high : part.low)
      let isVertex = isAhead ? part.isEnd : part.isStart
      let next = isVertex ? line.vertices[isAhead ? edge + 1 : edge] : end
      let side = plainSide(next)
      if side != 0 { return (side, hops, last) }
      guard isVertex else { return (0, many, last) }
      last = next
      edge = isAhead ? line.following(edge) : line.preceding(edge)
    }
    return (0, many, last)
  }

  /// The side of the path to which a vertex on the path would move if the line were shifted to the right.
  private func shiftedSide(of place: EarthVector, _ before: Int, _ after: Int) -> Int {
    let direction = way.tangent(way.along(nearest: place))
    var alike = 0.0
    if before >= 0, let part = part(before) { alike += direction.dot(part.segment.tangent(part.high)) }
    if after >= 0, let part = part(after) { alike += direction.dot(part.segment.tangent(part.low)) }
    return alike > 1e-9 ? -1 : 1
  }
}

extension ShortSegment {
  /// The distance, in metres, along the geodesic from its start to the point of the geodesic that is nearest to a given
  /// point; the geodesic is extended beyond its ends.
  func along(nearest point: EarthVector) -> Double {
    var along = (point - start).dot(terms.first)
    for _ in 0..<12 {
      let step = (point - self.point(along)).dot(tangent(along))
      along += step
      if step.magnitude < 1e-6 { break }
    }
    return along
  }

  /// The distance of a point from the extended geodesic, in metres, positive if the point is to the left of the
  /// geodesic.
  func side(of point: EarthVector) -> Double {
    let along = along(nearest: point)
    let at = self.point(along)
    let left = at.scaled.cross(tangent(along))
    return (point - at).dot(left) / left.length
  }
}
