/// A box in space whose axes may point in any direction; all lengths are in metres.
struct OrientedBox {
  private var centre: EarthVector
  /// Unit vectors: along the longest edge, across that edge, and upwards.
  private var axes: (EarthVector, EarthVector, EarthVector)
  /// Half of the box's extent along each axis.
  private var halves: (Double, Double, Double)

  /// A box around the edges that start at some consecutive vertices of a line.
  init(_ line: ShapeLine, _ vertices: Range<Int>) {
    let (first, last) = (vertices.lowerBound, min(vertices.upperBound, line.vertices.count - 1))
    var (longest, square) = (line.vertices[last] - line.vertices[first], 0.0)
    for edge in first..<last where line.isEdge(edge) {
      let along = line.vertices[edge + 1] - line.vertices[edge]
      if along.dot(along) > square { (longest, square) = (along, along.dot(along)) }
    }
    let origin = line.vertices[first]
    let up = OrientedBox.unit(origin.scaled, or: EarthVector(x: 0, y: 0, z: 1))
    let left = OrientedBox.unit(up.cross(longest), or: up.cross(EarthVector(x: 0.8, y: 0.6, z: 0)))
    axes = (OrientedBox.unit(left.cross(up), or: up), left, up)
    var (low, high) = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for index in first...last {
      let apart = line.vertices[index] - origin
      let (a, b, c) = (apart.dot(axes.0), apart.dot(axes.1), apart.dot(axes.2))
      low = (min(low.0, a), min(low.1, b), min(low.2, c))
      high = (max(high.0, a), max(high.1, b), max(high.2, c))
    }
    var slack = (0.0, 0.0, 0.0)
    for edge in first..<last where line.isEdge(edge) {
      slack.0 = max(slack.0, line.bulge(edge, along: axes.0))
      slack.1 = max(slack.1, line.bulge(edge, along: axes.1))
      slack.2 = max(slack.2, line.bulge(edge, along: axes.2))
    }
    centre =
      origin + axes.0 * ((low.0 + high.0) / 2) + axes.1 * ((low.1 + high.1) / 2) + axes.2 * ((low.2 + high.2) / 2)
    // The margin of 5e-8 m exceeds the rounding errors of the vectors, which are some nanometres.
    halves = (
      (high.0 - low.0) / 2 + slack.0 + 5e-8, (high.1 - low.1) / 2 + slack.1 + 5e-8,
      (high.2 - low.2) / 2 + slack.2 + 5e-8
    )
  }

  private static func unit(_ vector: EarthVector, or other: EarthVector) -> EarthVector {
    let length = vector.length
    return length > 1e-9 ? vector / length : other / max(other.length, 1e-9)
  }

  /// How far the box extends from its centre along a unit vector, in metres.
  private func reach(along axis: EarthVector) -> Double {
    halves.0 * axes.0.dot(axis).magnitude + halves.1 * axes.1.dot(axis).magnitude
      + halves.2 * axes.2.dot(axis).magnitude
  }

  /// Whether a plane perpendicular to one of the axes separates two boxes by more than a tolerance.
  @inline(never)
  func isApart(from other: OrientedBox, by tolerance: Double) -> Bool {
    let apart = other.centre - centre
    return apart.dot(axes.1).magnitude > halves.1 + other.reach(along: axes.1) + tolerance
      || apart.dot(other.axes.1).magnitude > other.halves.1 + reach(along: other.axes.1) + tolerance
      || apart.dot(axes.0).magnitude > halves.0 + other.reach(along: axes.0) + tolerance
      || apart.dot(other.axes.0).magnitude > other.halves.0 + reach(along: other.axes.0) + tolerance
  }
}

/// Boxes around the edges of a line: one box around the edges in each ball of the line (Gottschalk, Lin and Manocha,
/// "OBBTree: a hierarchical structure for rapid interference detection", SIGGRAPH 1996).
///
/// Balls around long edges that lie side by side, such as the teeth of a comb or the rays of a star, all overlap; boxes
/// along the edges do not overlap. The boxes are needed only while pairs of edges are searched for, and are not stored
/// with the line.
struct LineBoxes {
  /// One box for each ball of the line; a box has the same index as its ball.
  let boxes: ContiguousArray<OrientedBox>

  /// The smallest number of vertices for which a line gets boxes.
  private static var fewest: Int { 200 }

  /// - Returns: The boxes, or `nil` if the line is too small to need boxes.
  init?(_ line: ShapeLine) {
    guard line.vertices.count >= LineBoxes.fewest else { return nil }
    var boxes: ContiguousArray<OrientedBox> = []
    boxes.reserveCapacity(line.balls.count)
    var size = ShapeLine.fanOut
    for level in 0..<line.levels.count - 1 {
      for index in 0..<line.levels[level + 1] - line.levels[level] {
        boxes.append(OrientedBox(line, index * size..<(index + 1) * size))
      }
      size *= ShapeLine.fanOut
    }
    self.boxes = boxes
  }
}

extension ShapeLine {
  /// An upper bound, in metres, of the distance between an edge and its chord, measured along a unit vector.
  ///
  /// The acceleration of a geodesic is κn, where n is the normal of the surface and κ ≤ 1/R. Along an axis a that is
  /// level and perpendicular to the edge, the distance between edge and chord is therefore at most `sagitta` times the
  /// greatest |n·a|. From the middle of the edge onwards, n turns by κ per metre in the direction of the edge, and by
  /// the geodesic torsion across the edge. On the ellipsoid, the geodesic torsion is at most half of the difference of
  /// the principal curvatures, 0.0034/R.
  func bulge(_ edge: Int, along axis: EarthVector) -> Double {
    let (start, end) = (vertices[edge], vertices[edge + 1])
    let sagitta = sagitta(edge)
    guard sagitta > 1e-4 else { return sagitta }
    let chord = end - start
    let length = chord.length
    guard length < 1e6 else { return sagitta }
    let normal = (start + end).scaled
    let part = length / (2 * Ellipsoid.smallestRadiusOfCurvature)
    let turn =
      1.05 * (normal.dot(axis).magnitude / normal.length) + 1.05 * part * (chord.dot(axis).magnitude / length)
      + 0.004 * part
    return sagitta * min(turn, 1) + 1e-8
  }

  /// Whether a vertical plane beside an edge and parallel to it separates this edge from another edge by more than a
  /// tolerance.
  func isBeside(_ other: Int, _ edge: Int, _ tolerance: Double) -> Bool {
    let (start, end) = (vertices[edge], vertices[edge + 1])
    let left = (start + end).scaled.cross(end - start)
    let length = left.length
    guard length > 0 else { return false }
    let axis = left / length
    let (first, last) = ((vertices[other] - start).dot(axis), (vertices[other + 1] - start).dot(axis))
    guard (first > 0) == (last > 0) else { return false }
    let least = min(first.magnitude, last.magnitude)
    guard least > tolerance else { return false }
    return least > bulge(edge, along: axis) + bulge(other, along: axis) + tolerance + 1e-7
  }
}
