import Foundation
import Testing

@testable import FencepostKernel

@Suite struct RingAreaTests {
  private func area(_ ring: [(Double, Double)]) -> Double {
    let points = ring.map { SurfacePoint(latitude: $0.0, longitude: $0.1) }
    return RingArea.left(of: points + [points[0]])
  }

  /// Tests the areas of regular figures on the Earth, whose areas have a closed form.
  @Test func partsOfTheWhole() {
    let octant = RingArea.earth / 8
    #expect((area([(0, 0), (0, 90), (90, 0)]) - octant).magnitude < 1)
    #expect((area([(0, 0), (0, 90), (90, 77)]) - octant).magnitude < 1)
    #expect((area([(0, 0), (90, 0), (0, 90)]) - 7 * octant).magnitude < 1)
    #expect((area([(0, 0), (-90, 0), (0, 90)]) - octant).magnitude < 1)
    #expect((area([(-90, 5), (0, 0), (0, 90)]) - 7 * octant).magnitude < 1)
    #expect((area([(0, 0), (0, 120), (0, -120)]) - 4 * octant).magnitude < 1)
    // The ring is a wedge over the pole, where two meridians form one edge.
    #expect(
      (area([(45, 0), (45, 180), (0, 90)]) + area([(0, 90), (45, 180), (45, 0)]) - RingArea.earth).magnitude < 1)
    #expect((area([(0, 0), (0, 90), (0, 180), (90, 0)]) - 2 * octant).magnitude < 1)
  }

  /// Compares areas with those that GeographicLib computed, in square metres, for the polygons of
  /// tidwall-polygon-area-dev.json.
  @Test func agreesWithGeographicLib() throws {
    let url = packageRoot.deletingLastPathComponent().appending(
      path: "shared/data/geodesic/tidwall-polygon-area-dev.json")
    guard let data = try? Data(contentsOf: url) else {
      print("skipped: \(url.path) is not there")
      return
    }
    struct Row: Decodable {
      var points_latlon: [[Double]]
      var area_m2: [String: Double]
    }
    var worst = 0.0
    let rows = try JSONDecoder().decode([Row].self, from: data)
    for row in rows {
      let found = area(
        row.points_latlon.dropLast(row.points_latlon.first == row.points_latlon.last ? 1 : 0).map { ($0[0], $0[1]) })
      let expected = try #require(row.area_m2["reverse0_sign0"])
      worst = max(worst, (found - expected).magnitude)
      #expect((found - expected).magnitude < 1, "\(row.points_latlon)")
    }
    #expect(rows.count > 50)
    print("areas: worst difference \(worst) m²")
  }
}
