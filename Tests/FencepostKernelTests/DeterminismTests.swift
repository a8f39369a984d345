import Testing

@testable import FencepostKernel

/// The same bits in every build and on every machine: one number stands for the results of many calls.
@Suite struct DeterminismTests {
  @Test func resultsAreTheSameBitsInEveryBuild() {
    // Not `SeededGenerator`'s helpers: those may use the platform's mathematics library.
    var state: UInt64 = 42
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-53
    }
    // FNV-1a over the patterns (Fowler, Noll, Vo, 1991).
    var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
    func take(_ values: Double...) {
      for value in values { fingerprint = (fingerprint ^ value.bitPattern) &* 0x0000_0100_0000_01b3 }
    }
    for index in 0..<20_000 {
      let near = index % 2 == 0 ? 1 : 0.01
      let p = Place(latitude: uniform() * 180 - 90, longitude: uniform() * 360 - 180)
      let q =
        index % 4 == 1
        ? Place(latitude: -p.latitude, longitude: p.longitude + 179.5 + uniform())
        : Place(latitude: p.latitude * (1 - near * uniform()), longitude: p.longitude + near * 180 * uniform())
      let line = p.inverse(to: q)
      take(line.distance, line.azimuth1, line.azimuth2)
      let end = GeodesicDirect.solve(
        latitude: p.latitude, longitude: p.longitude, azimuth: line.azimuth1, distance: line.distance)
      take(end.latitude, end.longitude, end.azimuth)
      let chord = p.vector.squaredChord(to: q.vector).squareRoot()
      take(chord, ShortDistance.distance(from: p.vector, to: q.vector))
      take(ChordThreshold.approaching(line.distance), ChordThreshold.leaving(line.distance))
      let frame = LocalFrame(latitude: p.latitude, longitude: p.longitude)
      if let place = frame.position(latitude: p.latitude - uniform() / 2, longitude: p.longitude + uniform() / 2) {
        take(place.x, place.y, place.z)
      }
      take(Trigonometry.atan2(uniform() - 0.5, uniform() - 0.5))
    }
    // Changes only together with a deliberate change of the numerics.
    #expect(fingerprint == 5_219_206_385_848_491_442, "\(fingerprint)")
  }
}
