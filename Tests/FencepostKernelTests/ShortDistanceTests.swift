import Testing

@testable import FencepostKernel

@Suite struct ShortDistanceTests {
  @Test func agreesWithTheGeodesic() {
    var random = SeededGenerator("short distances")
    var worst = 0.0
    for _ in 0..<200_000 {
      let p = random.place()
      let q = p.moved(azimuth: random.uniform(0...360), distance: random.logarithmic(1e-3, ShortDistance.limit))
      let short = ShortDistance.distance(from: p.vector, to: q.vector)
      let error = (short - p.distance(to: q)).magnitude
      worst = max(worst, error)
      #expect(error <= 5e-9, "\(p) \(q)")
      #expect(short == ShortDistance.distance(from: q.vector, to: p.vector))
    }
    print("short distances: worst difference \(worst * 1e9) nm")
  }

  @Test func equalVectorsAreZeroApart() {
    let v = EarthVector(latitude: 12, longitude: 34)
    #expect(ShortDistance.distance(from: v, to: v) == 0)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    let v = EarthVector(x: number, y: 0, z: 0)
    let distance = ShortDistance.distance(from: v, to: EarthVector(latitude: 12, longitude: 34))
    #expect(number.isFinite || distance.isNaN || distance == .infinity)
  }
}
