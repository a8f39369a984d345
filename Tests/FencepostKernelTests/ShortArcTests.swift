import FencepostKernel
import TestSupport
import Testing

@Suite struct ShortArcTests {
  /// Positions on the arc beside those of the full solution, of all latitudes, directions and lengths.
  @Test func positionsAreThoseOfTheGeodesic() {
    var random = SeededGenerator("ShortArcTests")
    var (worst, worstLength) = (0.0, 0.0)
    for _ in 0..<20_000 {
      let latitude = random.chance(0.1) ? [-90, 0, 90, 89.9999][random.integer(0...3)] : random.uniform(-90...90)
      let longitude = random.uniform(-180...180)
      let azimuth = random.uniform(0...360)
      let length = random.chance(0.3) ? ShortArc.limit : random.logarithmic(1e-3, ShortArc.limit)
      let start = EarthVector(latitude: latitude, longitude: longitude)
      let last = GeodesicDirect.solve(latitude: latitude, longitude: longitude, azimuth: azimuth, distance: length)
      let arc = ShortArc(from: start, to: EarthVector(latitude: last.latitude, longitude: last.longitude))
      worstLength = max(worstLength, (arc.length - length).magnitude)
      let share = random.uniform(0...1)
      let place = GeodesicDirect.solve(
        latitude: latitude, longitude: longitude, azimuth: azimuth, distance: share * length)
      let position = EarthVector(latitude: place.latitude, longitude: place.longitude)
      worst = max(worst, arc.position(at: share).squaredChord(to: position).squareRoot())
    }
    #expect(worst < 8e-9, "\(worst) m")
    #expect(worstLength < 8e-9, "\(worstLength) m")
  }

  @Test func standingStill() {
    let place = EarthVector(latitude: 10, longitude: 20)
    let arc = ShortArc(from: place, to: place)
    #expect(arc.length == 0 && arc.position(at: 0.3) == place)
  }
}
