import Testing

@testable import FencepostKernel

@Suite struct GeodesicPairTests {
  /// The distances of a pair have the bits of single distances, wherever the points lie.
  @Test func aPairHasTheBitsOfSingleDistances() {
    var random = SeededGenerator("pairs of inverse problems")
    for _ in 0..<40_000 {
      let end = random.place()
      let one = random.partner(of: end)
      let two = Bool.random(using: &random) ? random.partner(of: end) : random.partner(of: one)
      let pair = GeodesicInverse.distances(
        latitudes: SIMD2(one.latitude, two.latitude), longitudes: SIMD2(one.longitude, two.longitude),
        to: GeodesicInverse.Place(latitude: end.latitude, longitude: end.longitude))
      let (first, second) = (one.distance(to: end), two.distance(to: end))
      #expect(pair[0].bitPattern == first.bitPattern && pair[1].bitPattern == second.bitPattern, "\(one) \(two) \(end)")
    }
  }

  /// Uses Karney's "Test set for geodesics" (2010), doi:10.5281/zenodo.32156: each line, and its mirror image in the
  /// meridian of its first point.
  @Test func agreesWithKarneysTestSet() {
    guard let rows = Golden.sharedRows("geodesic/GeodTest-short-dev.dat") else { return }
    for row in rows {
      let pair = GeodesicInverse.distances(
        latitudes: SIMD2(repeating: row[3]), longitudes: SIMD2(row[4], -row[4]),
        to: GeodesicInverse.Place(latitude: row[0], longitude: row[1]))
      #expect((pair[0] - row[6]).magnitude <= 15e-9 && pair[1] == pair[0], "\(row)")
    }
  }

  /// Circles that a device leaves together are near each other: such pairs are solved in the lanes, except for those
  /// that are nearly antipodal or lie on a meridian.
  @Test func neighboursAreSolvedInTheLanes() {
    var random = SeededGenerator("neighbours far away")
    var solved = 0
    let count = 4_000
    for _ in 0..<count {
      let end = random.placeAnywhere()
      let one = random.placeAnywhere()
      let two = one.moved(azimuth: 30, distance: 5_000)
      let pair = GeodesicPair.distances(
        latitudes: SIMD2(one.latitude, two.latitude), longitudes: SIMD2(one.longitude, two.longitude),
        to: GeodesicInverse.Place(latitude: end.latitude, longitude: end.longitude))
      if let pair {
        solved += 1
        #expect(pair[0] == one.distance(to: end) && pair[1] == two.distance(to: end), "\(one) \(two) \(end)")
      }
    }
    #expect(solved * 100 > count * 98, "\(solved) of \(count) pairs")
  }

  @Test(arguments: hostileNumbers) func hostileNumbersGiveWhatSingleDistancesGive(_ number: Double) {
    for other in hostileNumbers {
      for n in [
        [number, other, 1, 2, 3, 4], [1, number, other, 2, 3, 4], [5, 1, 2, number, other, 3],
        [1, 2, 3, 4, number, other],
      ] {
        let pair = GeodesicInverse.distances(
          latitudes: SIMD2(n[0], n[2]), longitudes: SIMD2(n[1], n[3]),
          to: GeodesicInverse.Place(latitude: n[4], longitude: n[5]))
        let end = Place(latitude: n[4], longitude: n[5])
        for lane in 0..<2 {
          let single = Place(latitude: n[2 * lane], longitude: n[2 * lane + 1]).distance(to: end)
          #expect(pair[lane] == single || pair[lane].isNaN && single.isNaN, "\(n)")
        }
      }
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func placeAnywhere() -> Place {
    Place(latitude: uniform(-85...85), longitude: uniform(-179...179))
  }
}
