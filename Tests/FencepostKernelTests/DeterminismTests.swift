import Testing

@testable import FencepostKernel

/// Tests that results are the same, bit for bit, in every build and on every machine; each test hashes the results of
/// many calls.
@Suite struct DeterminismTests {
  @Test func resultsAreTheSameBitsInEveryBuild() {
    // This generator does not use `SeededGenerator`'s helpers, which may call the platform's math library.
    var state: UInt64 = 42
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-53
    }
    // Computes the FNV-1a hash of the bit patterns (Fowler, Noll, Vo, 1991).
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
    // The fingerprint may change only together with a deliberate change of the numerics.
    #expect(fingerprint == 5_219_206_385_848_491_442, "\(fingerprint)")
  }

  /// Hashes the depths, the distances, the nearest boundary points, and the bounds (from all edges and from nearby
  /// edges) of stars and lines anywhere on the Earth.
  @Test func shapesAreTheSameBitsInEveryBuild() throws {
    var state: UInt64 = 7
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-53
    }
    var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
    func take(_ values: Double...) {
      for value in values { fingerprint = (fingerprint ^ value.bitPattern) &* 0x0000_0100_0000_01b3 }
    }
    for turn in 0..<60 {
      let middle = Place(latitude: turn % 9 == 0 ? 90 : uniform() * 180 - 90, longitude: uniform() * 360 - 180)
      // 10 m to 1 000 km.
      var size = 10 * (1 + 9 * uniform())
      for _ in 0..<turn % 6 { size *= 10 }
      let corners = 3 + Int(uniform() * 60)
      let ring: [Corner] = (0..<corners).map {
        let place = middle.moved(
          azimuth: 360 * (Double($0) + 0.5 * uniform()) / Double(corners), distance: size * (0.4 + 0.6 * uniform()))
        return (place.latitude, place.longitude)
      }
      let shape =
        turn % 3 == 0
        ? try? GeodesicShape.reading(corridor: [ring], radius: size / 20)
        : try? GeodesicShape.reading(polygon: [[ring]], buffer: turn % 3 == 1 ? 0 : size / 50)
      guard let shape else { continue }
      take(shape.depth, shape.deepest.latitude, shape.deepest.longitude, shape.boundingCap.reach)
      for _ in 0..<20 {
        let from = middle.moved(azimuth: 360 * uniform(), distance: 1.5 * size * uniform())
        var near = NearEdges(of: shape, around: from.vector)
        let place = from.moved(azimuth: 360 * uniform(), distance: 0.2 * size * uniform())
        let point = SurfacePoint(latitude: place.latitude, longitude: place.longitude)
        let bounds = shape.bounds(at: point.vector)
        take(shape.boundaryDistance(of: point), bounds.least, bounds.most)
        if let boundary = shape.nearestBoundaryPoint(of: point) { take(boundary.latitude, boundary.longitude) }
        if let found = shape.bounds(at: point.vector, among: &near) { take(found.least, found.most) }
      }
    }
    // The fingerprint may change only together with a deliberate change of the numerics.
    #expect(fingerprint == 10_323_707_849_615_973_242, "\(fingerprint)")
  }
}
