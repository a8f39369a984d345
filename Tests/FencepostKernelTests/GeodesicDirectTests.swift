import Testing

@testable import FencepostKernel

@Suite struct GeodesicDirectTests {
  /// Uses Karney's "Test set for geodesics" (2010), doi:10.5281/zenodo.32156, in both directions along every line.
  @Test func agreesWithKarneysTestSet() {
    guard let rows = Golden.sharedRows("geodesic/GeodTest-short-dev.dat") else { return }
    var worst = 0.0
    for row in rows {
      let there = Place(latitude: row[0], longitude: row[1]).moved(azimuth: row[2], distance: row[6])
      let back = Place(latitude: row[3], longitude: row[4]).moved(azimuth: row[5], distance: -row[6])
      let error = there.vector.squaredChord(to: EarthVector(latitude: row[3], longitude: row[4])).squareRoot()
      let errorBack = back.vector.squaredChord(to: EarthVector(latitude: row[0], longitude: row[1])).squareRoot()
      worst = max(worst, error, errorBack)
      #expect(error <= 20e-9 && errorBack <= 20e-9, "\(row)")
    }
    print("GeodTest, direct: worst error \(worst * 1e9) nm")
  }

  @Test func staysInRangeAndReturnsItsDistance() {
    var random = SeededGenerator("direct, then inverse")
    for _ in 0..<100_000 {
      let p = random.place()
      let distance = random.logarithmic(1e-3, 1.9e7)
      let end = GeodesicDirect.solve(
        latitude: p.latitude, longitude: p.longitude, azimuth: random.uniform(-400...400), distance: distance)
      #expect(end.latitude.magnitude <= 90 && end.longitude.magnitude <= 180)
      #expect(end.azimuth > -180 && end.azimuth <= 180)
      let found = p.distance(to: Place(latitude: end.latitude, longitude: end.longitude))
      #expect((found - distance).magnitude <= 20e-9, "\(p) \(distance) \(end)")
    }
  }

  @Test func followsTheMeridianAndTheEquator() {
    let pole = GeodesicDirect.solve(latitude: 0, longitude: 30, azimuth: 0, distance: 10_001_965.729_312_723)
    #expect((pole.latitude - 90).magnitude < 1e-13)
    let east = GeodesicDirect.solve(latitude: 0, longitude: 179.5, azimuth: 90, distance: 111_319.490_793_273_57)
    #expect(east.latitude == 0 && (east.longitude + 179.5).magnitude < 1e-13 && east.azimuth == 90)
    let still = GeodesicDirect.solve(latitude: 45, longitude: 30, azimuth: 77, distance: 0)
    #expect((still.latitude - 45).magnitude < 1e-13 && still.longitude == 30)
    #expect((still.azimuth - 77).magnitude < 1e-13)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersGiveNaNOrAPoint(_ number: Double) {
    for other in hostileNumbers {
      for n in [[number, other, 1, 2], [1, number, other, 2], [1, 2, number, other], [other, 1, 2, number]] {
        let end = GeodesicDirect.solve(latitude: n[0], longitude: n[1], azimuth: n[2], distance: n[3])
        let valid = n[0].magnitude <= 90 && n[1].isFinite && n[2].isFinite && n[3].isFinite
        #expect(end.latitude.isNaN == !valid && end.longitude.isNaN == !valid && end.azimuth.isNaN == !valid, "\(n)")
        if valid { #expect(end.latitude.magnitude <= 90 && end.longitude.magnitude <= 180) }
      }
    }
  }
}
