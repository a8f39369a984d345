import Testing

@testable import FencepostKernel

@Suite struct EarthVectorTests {
  @Test func liesOnTheEllipsoid() {
    var random = SeededGenerator("vectors on the ellipsoid")
    let a = Ellipsoid.equatorialRadius
    let b = Ellipsoid.polarRadius
    for _ in 0..<10_000 {
      let v = random.place().vector
      let level = (v.x * v.x + v.y * v.y) / (a * a) + v.z * v.z / (b * b)
      #expect((level - 1).magnitude < 2e-15)
    }
  }

  @Test func axesAreExact() {
    #expect(EarthVector(latitude: 0, longitude: 0) == EarthVector(x: 6_378_137, y: 0, z: 0))
    #expect(EarthVector(latitude: 0, longitude: 90) == EarthVector(x: 0, y: 6_378_137, z: 0))
    #expect(EarthVector(latitude: 0, longitude: -180) == EarthVector(latitude: 0, longitude: 180))
    let pole = EarthVector(latitude: 90, longitude: 123)
    #expect(pole.x == 0 && pole.y == 0)
    #expect((pole.z - Ellipsoid.polarRadius).magnitude < 2e-9)
  }

  /// Compares the computed vector with high-precision values (mpmath, 40 digits) for latitude −33.856784, longitude
  /// 151.215297.
  @Test func agreesWithHighPrecision() {
    let v = EarthVector(latitude: -33.856784, longitude: 151.215297)
    #expect((v.x - -4_646_969.370_239_896).magnitude < 3e-9)
    #expect((v.y - 2_553_077.639_585_994_7).magnitude < 3e-9)
    #expect((v.z - -3_533_265.653_707_440_2).magnitude < 3e-9)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersGiveNaNOrAVector(_ number: Double) {
    let v = EarthVector(latitude: number, longitude: number)
    if number.isFinite {
      #expect(v.squaredChord(to: EarthVector(x: 0, y: 0, z: 0)) < 4.1e13)
    } else {
      #expect(v.squaredChord(to: v).isNaN)
    }
  }
}
