/// Sides beside places where edges meet that do not end in one another.
///
/// A line may touch itself, and cross itself by less than a micrometre (`CrossingCheck.tolerance`). Near such a place the
/// edge or vertex that is nearest need not be the first that is met on the way from a point: behind the tip of a vertex
/// that pokes through an edge lies that edge, and what the tip alone says of its sides holds for nanometres only. Then the
/// side is asked for elsewhere.
extension ShapeLine {
  /// Edges that are farther than the nearest one by less than this are its rivals, metres: more than edges may lie
  /// crosswise.
  static var rivalry: Double { 3 * CrossingCheck.tolerance }
  /// Directions that are tried, and places in each.
  private static var turns: [Double] { [90, -90, 60, -60, 120, -120, 30, -30] }
  private static var mostSteps: Int { 24 }

  /// Whether an edge is the one of a foot, or meets it there as a line goes on.
  func isPart(_ edge: Int, of foot: LineFoot) -> Bool {
    if foot.vertex >= 0 {
      return vertices[edge] == vertices[foot.vertex] || vertices[edge + 1] == vertices[foot.vertex]
    }
    return edge == foot.edge || edge == preceding(foot.edge) || edge == following(foot.edge)
  }

  /// Whether another edge is as near to a point as its nearest place, to some micrometres.
  func isRivalled(_ best: LineFoot, of point: SurfacePoint) -> Bool {
    guard touchesItself, best.distance > 0 else { return false }
    let limit = best.distance + ShapeLine.rivalry
    var isRivalled = false
    LineSearch.run(self, at: point.vector, limit: ChordThreshold.approaching(limit)) { found, _ in
      guard !isRivalled, !isPart(found.edge, of: best) else { return }
      isRivalled = foot(found.edge, of: point).distance <= limit
    }
    return isRivalled
  }

  /// The side of a point whose nearest place has rivals.
  ///
  /// No line is nearer to a point than its nearest place, so all places that are nearer to it are on its side. From one of
  /// those, or from one found in the same way from there, the nearest place of the line is another, and has no rivals.
  ///
  /// - Returns: the side, with the distance as its size; `nil` when none of the places tells, which takes a point that is
  ///   about as near to the line as its edges lie crosswise.
  func sideAround(_ point: SurfacePoint, _ best: LineFoot) -> Double? {
    let way = point.path(to: best.place).azimuth1
    for turn in ShapeLine.turns {
      var (distance, gone) = (best.distance, 0.0)
      for _ in 0..<ShapeLine.mostSteps {
        // Not all of the way, for the distance is rounded.
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
