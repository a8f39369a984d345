import FencepostKernel
import TestSupport
import Testing

@Suite struct ShortArcTests {
  /// Compares positions on a `ShortArc` with the exact geodesic, for all latitudes and directions and for lengths up to
  /// the limit.
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

  /// Compares latitudes and longitudes with the full solution, also near the poles and the antimeridian.
  @Test func placesAreThoseOfTheGeodesic() {
    var random = SeededGenerator("ShortArcTests places")
    var (worst, worstPosition) = (0.0, 0.0)
    for _ in 0..<20_000 {
      let pole = [-90.0, 90][random.integer(0...1)]
      var latitude = random.uniform(-90...90)
      if random.chance(0.3) { latitude = pole - pole / 90 * [0, 1e-9, 1e-5, 1e-3, 2e-3, 0.3][random.integer(0...5)] }
      let longitude =
        random.chance(0.3) ? [-180, 180, 179.9999, 0, 90][random.integer(0...4)] : random.uniform(-180...180)
      let azimuth = random.chance(0.3) ? Double(random.integer(0...4)) * 90 : random.uniform(0...360)
      let length = random.chance(0.3) ? ShortArc.limit : random.logarithmic(1e-6, ShortArc.limit)
      let start = EarthVector(latitude: latitude, longitude: longitude)
      let last = GeodesicDirect.solve(latitude: latitude, longitude: longitude, azimuth: azimuth, distance: length)
      let arc = ShortArc(from: start, to: EarthVector(latitude: last.latitude, longitude: last.longitude))
      let share = random.chance(0.1) ? 1 : random.uniform(0...1)
      let place = arc.place(at: share, fromLatitude: latitude, longitude: longitude)
      #expect(place.latitude.magnitude <= 90 && place.longitude.magnitude <= 180)
      let position = EarthVector(latitude: place.latitude, longitude: place.longitude)
      let exact = GeodesicDirect.solve(
        latitude: latitude, longitude: longitude, azimuth: azimuth, distance: share * length)
      let there = EarthVector(latitude: exact.latitude, longitude: exact.longitude)
      worst = max(worst, there.squaredChord(to: position).squareRoot())
      worstPosition = max(worstPosition, arc.position(at: share).squaredChord(to: position).squareRoot())
      let first = arc.place(at: 0, fromLatitude: latitude, longitude: longitude)
      #expect(first.latitude == latitude && first.longitude == longitude)
    }
    #expect(worst < 1.2e-8, "\(worst) m")
    #expect(worstPosition < 1.2e-8, "\(worstPosition) m")
  }

  /// The direction at a position agrees with the vector between two positions, one shortly before and one shortly after
  /// it.
  @Test func directions() {
    let start = EarthVector(latitude: 50, longitude: 10)
    let arc = ShortArc(from: start, to: EarthVector(latitude: 50.002, longitude: 10.002))
    for share in [0.1, 0.5, 0.9] {
      let (before, after, way) = (
        arc.position(at: share - 0.05), arc.position(at: share + 0.05), arc.direction(at: share)
      )
      #expect((after.x - before.x - 0.1 * way.x).magnitude < 1e-7)
      #expect((after.y - before.y - 0.1 * way.y).magnitude < 1e-7)
      #expect((after.z - before.z - 0.1 * way.z).magnitude < 1e-7)
    }
  }

  @Test func standingStill() {
    let place = EarthVector(latitude: 10, longitude: 20)
    let arc = ShortArc(from: place, to: place)
    #expect(arc.length == 0 && arc.position(at: 0.3) == place)
    let there = arc.place(at: 0.3, fromLatitude: 10, longitude: 20)
    #expect(there.latitude == 10 && there.longitude == 20)
    let pole = EarthVector(latitude: 90, longitude: 77)
    let none = ShortArc(from: pole, to: pole).place(at: 0.5, fromLatitude: 90, longitude: 77)
    #expect(none.latitude == 90 && none.longitude == 77)
  }
}
