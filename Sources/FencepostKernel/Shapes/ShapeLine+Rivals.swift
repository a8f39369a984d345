/// Determines sides near places where edges meet without sharing a vertex.
///
/// A line may touch itself, and may even cross itself by less than a micrometre (`CrossingCheck.tolerance`). Near a
/// place where a line touches itself, the nearest edge or vertex alone does not decide the side. For example, if the
/// tip of a spike pokes through an edge by a few nanometres, the sides at the tip are correct only within those few
/// nanometres. If a point is near a place where a line touches itself, the side of the point is determined at another
/// point on the same side, where one edge is clearly the nearest.
extension ShapeLine {
  /// An edge is a rival of the nearest edge if it is farther away from the point by less than this distance, in metres.
  static var rivalry: Double { 3 * CrossingCheck.tolerance }
  /// The directions to try, in degrees from the direction of the nearest edge, and the number of positions to try in
  /// each direction.
  private static var turns: [Double] { [90, -90, 60, -60, 120, -120, 30, -30] }
  private static var mostSteps: Int { 24 }

  /// Whether the foot of a perpendicular lies on a given edge or on one of that edge's neighbours.
  func isPart(_ edge: Int, of foot: LineFoot) -> Bool {
    if foot.vertex >= 0 {
      return vertices[edge] == vertices[foot.vertex] || vertices[edge + 1] == vertices[foot.vertex]
    }
    return edge == foot.edge || edge == preceding(foot.edge) || edge == following(foot.edge)
  }

  /// True if another edge is as near to the point as the nearest edge is, to within a few micrometres.
  func isRivalled(_ best: LineFoot, of point: SurfacePoint) -> Bool {
    guard touchesItself, best.distance > 0 else { return false }
    let limit = best.distance + ShapeLine.rivalry
    for edge in LineSearch.edges(of: self, at: point.vector, limit: ChordThreshold.approaching(limit))
    where !isPart(edge, of: best) && foot(edge, of: point).distance <= limit {
      return true
    }
    return false
  }

  /// Determines the side of a point to which two or more edges are about equally near.
  ///
  /// No part of the line lies inside the circle around the point that reaches to the nearest edge, so all positions in
  /// that circle are on the same side of the line as the point. In each direction, the function steps from position to
  /// position, each inside such a circle around the previous position, until it reaches a position whose nearest edge
  /// has no rival. The side of that position is the result.
  ///
  /// - Returns: The side, with the distance as its magnitude. The result is `nil` if no position without a rival is
  ///   found; this can happen only if the point's distance from the line is about the tolerance for crossing edges.
  func sideAround(_ point: SurfacePoint, _ best: LineFoot) -> Double? {
    let way = point.path(to: best.place).azimuth1
    for turn in ShapeLine.turns {
      var (distance, gone) = (best.distance, 0.0)
      for _ in 0..<ShapeLine.mostSteps {
        // Advance by only 99 % of the distance, because the distance is rounded.
        gone += 0.99 * distance
        guard gone < DistanceBounds.largestDistance else { break }
        let place = GeodesicDirect.solve(
          latitude: point.latitude, longitude: point.longitude, azimuth: way + turn, distance: gone)
        let aside = SurfacePoint(latitude: place.latitude, longitude: GivenRing.reduced(place.longitude))
        let found = nearest(to: aside, isSided: false)
        if !isRivalled(found, of: aside) {
          let side = nearSide(of: aside, found)
          if side != 0 { return side > 0 ? best.distance : -best.distance }
        }
        distance = found.distance
      }
    }
    return nil
  }
}
