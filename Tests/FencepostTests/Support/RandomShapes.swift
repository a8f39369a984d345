import FencepostKernel
import TestSupport

@testable import Fencepost
@testable import FencepostCore

extension SeededGenerator {
  func place(_ from: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
    let end = GeodesicDirect.solve(
      latitude: from.latitude, longitude: from.longitude, azimuth: azimuth, distance: distance)
    return Coordinate(latitude: end.latitude, longitude: end.longitude)
  }

  /// A ring around a point; each direction from the point meets exactly one edge.
  mutating func star(around middle: Coordinate, radius: Double, corners: Int) -> [Coordinate] {
    let turn = uniform(0...360)
    return (0..<corners).map { corner in
      place(
        middle, turn + 360 * (Double(corner) + uniform(0...0.6)) / Double(corners), radius * uniform(0.4...1))
    }
  }

  /// Returns a polygon with or without a hole, several polygons, or a corridor; each of them may be invalid.
  mutating func shape(around middle: Coordinate, radius: Double) -> any Condition {
    let edges: EdgeInterpretation = chance(0.2) ? .planar : .geodesic
    let buffer = chance(0.2) ? radius * uniform(-0.1...0.3) : 0
    switch integer(0...5) {
    case 0, 1:
      return PolygonalGeographicCondition(
        exterior: star(around: middle, radius: radius, corners: integer(3...12)), edges: edges, buffer: buffer)
    case 2:
      let hole = star(around: middle, radius: radius * 0.15, corners: integer(3...6))
      return PolygonalGeographicCondition(
        exterior: star(around: middle, radius: radius, corners: integer(8...14)), holes: [hole], edges: edges,
        buffer: buffer)
    case 3:
      let other = place(middle, uniform(0...360), radius * 2.1)
      return MultiPolygonalGeographicCondition(
        parts: [middle, other].map { .init(exterior: star(around: $0, radius: radius, corners: integer(3...8))) },
        edges: edges, buffer: buffer)
    default:
      var path = [middle]
      for _ in 0..<integer(0...5) {
        path.append(place(path[path.count - 1], uniform(0...360), radius * uniform(0.1...1)))
      }
      return CorridorGeographicCondition(path: path, radius: radius * uniform(0.02...0.5), edges: edges)
    }
  }
}
