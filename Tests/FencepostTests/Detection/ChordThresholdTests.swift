import FencepostKernel
import Testing

@testable import Fencepost

/// A comparison of chords may only err towards looking closer.
@Suite struct ChordThresholdTests {
  @Test func chordsBoundDistances() {
    var random = SeededGenerator("ChordThresholdTests")
    for _ in 0..<20_000 {
      let latitude = random.uniform(-90...90)
      let longitude = random.uniform(-180...180)
      let distance = random.logarithmic(1e-3, 1.9e7)
      let end = GeodesicDirect.solve(
        latitude: latitude, longitude: longitude, azimuth: random.uniform(0...360), distance: distance)
      let measured = GeodesicInverse.distance(
        latitude1: latitude, longitude1: longitude, latitude2: end.latitude, longitude2: end.longitude)
      let chord = EarthVector(latitude: latitude, longitude: longitude)
        .squaredChord(to: EarthVector(latitude: end.latitude, longitude: end.longitude)).squareRoot()
      #expect(chord <= ChordThreshold.approaching(measured))
      #expect(chord >= ChordThreshold.leaving(measured))
    }
  }
}
