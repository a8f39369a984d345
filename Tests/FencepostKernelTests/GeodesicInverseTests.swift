import Testing

@testable import FencepostKernel

@Suite struct GeodesicInverseTests {
  /// Uses Karney's "Test set for geodesics" (2010), doi:10.5281/zenodo.32156.
  @Test func agreesWithKarneysTestSet() {
    guard let rows = Golden.sharedRows("geodesic/GeodTest-short-dev.dat") else { return }
    var worst = 0.0
    for row in rows {
      let line = Place(latitude: row[0], longitude: row[1]).inverse(to: Place(latitude: row[3], longitude: row[4]))
      let error = (line.distance - row[6]).magnitude
      worst = max(worst, error)
      #expect(error <= 15e-9, "\(row)")
      // An error of the azimuth moves the end of the line sideways by that error, in radians, times the reduced length
      // m₁₂.
      let aside = max(turn(line.azimuth1, row[2]), turn(line.azimuth2, row[5])) * .pi / 180 * row[8].magnitude
      #expect(aside <= 20e-9, "\(row)")
    }
    #expect(rows.count > 6000)
    print("GeodTest: worst distance error \(worst * 1e9) nm of \(rows.count) lines")
  }

  /// This implementation and GeographicLib both compute in double precision, with errors of up to 10 nm each.
  @Test func agreesWithGeographiclib() throws {
    var worst = 0.0
    for row in try Golden.rows("geodesic.tsv") {
      let n = row.dropFirst().compactMap { Double($0) }
      let line = Place(latitude: n[0], longitude: n[1]).inverse(to: Place(latitude: n[2], longitude: n[3]))
      let error = (line.distance - n[4]).magnitude
      worst = max(worst, error)
      #expect(error <= 15e-9, "\(row)")
      // If the path is not unique (antipodes, poles), its azimuth is arbitrary; otherwise the azimuth is as inaccurate
      // as the points.
      if row[0] == "antipodal" || row[0] == "equatorial" && n[4] > 19e6 { continue }
      let aside = max(turn(line.azimuth1, n[5]), turn(line.azimuth2, n[6])) * .pi / 180 * min(n[4], 2e7 - n[4])
      #expect(aside <= 20e-9 || row[0] == "pole", "\(row) gave \(line)")
    }
    print("geographiclib: worst distance difference \(worst * 1e9) nm")
  }

  @Test func isSymmetricBitForBit() {
    var random = SeededGenerator("symmetry of the inverse problem")
    for _ in 0..<100_000 {
      let p = random.place()
      let q = random.partner(of: p)
      let there = p.inverse(to: q)
      #expect(there.distance == q.distance(to: p), "\(p) \(q)")
      #expect(there.distance == p.distance(to: q), "\(p) \(q)")
      #expect(there.distance >= 0 && there.distance <= DistanceBounds.largestDistance, "\(p) \(q)")
      #expect(there.azimuth1 > -180 && there.azimuth1 <= 180 && there.azimuth2 > -180 && there.azimuth2 <= 180)
      let mirrored = Place(latitude: -p.latitude, longitude: -p.longitude)
        .distance(to: Place(latitude: -q.latitude, longitude: -q.longitude))
      #expect(there.distance == mirrored, "\(p) \(q)")
    }
  }

  @Test func equalPointsAreZeroApart() {
    var random = SeededGenerator("equal points")
    for _ in 0..<5_000 {
      let p = random.place()
      #expect(p.distance(to: p) == 0)
      #expect(p.distance(to: Place(latitude: p.latitude, longitude: p.longitude)) == 0)
    }
    #expect(Place(latitude: 10, longitude: 180).distance(to: Place(latitude: 10, longitude: -180)) == 0)
    #expect(Place(latitude: 10, longitude: 20).distance(to: Place(latitude: 10, longitude: 740)) == 0)
    #expect(Place(latitude: 90, longitude: 20).distance(to: Place(latitude: 90, longitude: -100)) == 0)
    #expect(Place(latitude: 0, longitude: 0).distance(to: Place(latitude: -0.0, longitude: -0.0)) == 0)
  }

  @Test func triangleInequalityHolds() {
    var random = SeededGenerator("triangle inequality")
    for _ in 0..<10_000 {
      let p = random.place()
      let q = random.partner(of: p)
      let r = random.partner(of: q)
      #expect(p.distance(to: r) <= p.distance(to: q) + q.distance(to: r) + 30e-9, "\(p) \(q) \(r)")
    }
  }

  @Test func theDirectProblemLeadsBack() {
    var random = SeededGenerator("inverse, then direct")
    var worst = 0.0
    for _ in 0..<100_000 {
      let p = random.place()
      let q = random.partner(of: p)
      let line = p.inverse(to: q)
      let reached = p.moved(azimuth: line.azimuth1, distance: line.distance).vector
      let miss = reached.squaredChord(to: q.vector).squareRoot()
      worst = max(worst, miss)
      #expect(miss <= 20e-9, "\(p) \(q)")
      let back = Place(latitude: q.latitude, longitude: q.longitude)
        .moved(azimuth: line.azimuth2, distance: -line.distance).vector
      #expect(back.squaredChord(to: p.vector).squareRoot() <= 20e-9, "\(p) \(q)")
    }
    print("round trip: worst miss \(worst * 1e9) nm")
  }

  @Test func knownLengths() {
    let quarter = Place(latitude: 0, longitude: 0).distance(to: Place(latitude: 90, longitude: 0))
    #expect((quarter - 10_001_965.729_312_723).magnitude < 4e-9)
    let antipode = Place(latitude: 0, longitude: 0).inverse(to: Place(latitude: 0, longitude: 180))
    #expect((antipode.distance - 20_003_931.458_625_446).magnitude < 4e-9)
    #expect(antipode.azimuth1 == 0 && antipode.azimuth2 == 180)
    let equator = Place(latitude: 0, longitude: 10).inverse(to: Place(latitude: 0, longitude: 11))
    #expect((equator.distance - 111_319.490_793_273_57).magnitude < 1e-10)
    #expect(equator.azimuth1 == 90 && equator.azimuth2 == 90)
  }

  /// At the distance at which the equator stops being the shortest path, the azimuth hardly affects the longitude. A
  /// point within 2 nm of the equator must still have the distance along the equator; GeographicLib 2.1.2 is 3 µm off
  /// in this case.
  @Test(arguments: [0, 1e-16, 1e-15, 5.97e-15, 1e-14]) func theEndOfTheEquatorialPathIsSmooth(_ latitude: Double) {
    let longitude = 179.39648516633153
    let distance = Place(latitude: 0, longitude: 0).distance(to: Place(latitude: latitude, longitude: longitude))
    #expect((distance - 6_378_137 * (longitude * .pi / 180)).magnitude < 15e-9)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersGiveNaNOrADistance(_ number: Double) {
    for other in hostileNumbers {
      for n in [
        [number, other, 1, 2], [1, number, other, 2], [number, 1, 2, other], [number, other, number, other],
      ] {
        let line = Place(latitude: n[0], longitude: n[1]).inverse(to: Place(latitude: n[2], longitude: n[3]))
        let valid = n[0].magnitude <= 90 && n[2].magnitude <= 90 && n[1].isFinite && n[3].isFinite
        #expect(line.distance.isNaN == !valid && line.azimuth1.isNaN == !valid && line.azimuth2.isNaN == !valid, "\(n)")
        if valid { #expect(line.distance >= 0 && line.distance <= DistanceBounds.largestDistance) }
      }
    }
  }

  private func turn(_ a: Double, _ b: Double) -> Double { (a - b).remainder(dividingBy: 360).magnitude }
}
