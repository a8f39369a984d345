import Testing

@testable import FencepostKernel

@Suite struct GeodesicSegmentTests {
  /// Compares segments with Tests/Golden/segments.tsv, which was computed with 40 digits by another method.
  @Test func agreesWithFortyDigits() throws {
    var worst: [String: Double] = [:]
    var count = 0
    for row in try Golden.rows("segments.tsv") {
      let n = row.dropFirst().compactMap { Double($0) }
      let segment = GeodesicSegment(
        from: SurfacePoint(latitude: n[0], longitude: n[1]), to: SurfacePoint(latitude: n[2], longitude: n[3]))
      let foot = segment.foot(of: SurfacePoint(latitude: n[4], longitude: n[5]))
      let error = (foot.distance - n[7]).magnitude
      worst[row[0], default: 0] = max(worst[row[0], default: 0], error)
      #expect(error <= 15e-9, "\(row) gave \(foot)")
      #expect((segment.length - n[6]).magnitude <= 15e-9, "\(row)")
      // The sign of the side must agree, unless the point is within 20 nm of the line.
      if n[7] > 20e-9 { #expect((foot.side > 0) == (n[9] > 0) && (foot.side < 0) == (n[9] < 0), "\(row) gave \(foot)") }
      // Allow a larger difference where the distance is nearly constant along the segment, because the nearest point is
      // less certain there.
      #expect((foot.along - n[8]).magnitude <= 1e-8 + 2e-3 * (n[7] / 1e4).squareRoot(), "\(row) gave \(foot)")
      count += 1
    }
    #expect(count > 200)
    for (kind, error) in worst.sorted(by: { $0.key < $1.key }) { print("segments, \(kind): worst \(error * 1e9) nm") }
  }

  /// If the ends of a segment are exchanged, the nearest points stay the same, and the sides are opposite.
  @Test func theSameBackwards() {
    var random = SeededGenerator("backwards")
    for _ in 0..<400 {
      let start = random.place()
      let end = start.moved(azimuth: random.uniform(0...360), distance: random.logarithmic(1e-3, 1.8e7))
      let near = start.moved(azimuth: random.uniform(0...360), distance: random.logarithmic(1e-3, 1.8e7))
      let points = [start, end, near].map { SurfacePoint(latitude: $0.latitude, longitude: $0.longitude) }
      let there = GeodesicSegment(from: points[0], to: points[1])
      let back = GeodesicSegment(from: points[1], to: points[0])
      let (one, other) = (there.foot(of: points[2]), back.foot(of: points[2]))
      #expect((one.distance - other.distance).magnitude <= 20e-9, "\(points)")
      if one.isInner && other.isInner && one.distance > 35e-9 {
        #expect((one.side > 0) == (other.side < 0), "\(points)")
      }
      // No point of the segment is nearer to the test point than `one.distance`.
      for step in 0...20 {
        let place = there.point(there.length * Double(step) / 20).place
        #expect(points[2].path(to: place).distance >= one.distance - 20e-9, "\(points) \(step)")
      }
    }
  }

  /// The nearest point is correct even if the given point is a quarter of the way around the Earth, where its distance
  /// hardly changes along the segment.
  @Test func aQuarterOfTheWayAround() {
    var random = SeededGenerator("quarter")
    for number in 0..<60 {
      let centre = number == 0 ? Place(latitude: 90, longitude: 0) : random.place()
      let azimuth = random.uniform(0...360)
      let start = centre.moved(azimuth: azimuth, distance: 10_001_959 + random.uniform(-200...200))
      let end = centre.moved(
        azimuth: azimuth + random.uniform(0.01...5), distance: 10_001_959 + random.uniform(-200...200))
      let segment = GeodesicSegment(
        from: SurfacePoint(latitude: start.latitude, longitude: start.longitude),
        to: SurfacePoint(latitude: end.latitude, longitude: end.longitude))
      let point = SurfacePoint(latitude: centre.latitude, longitude: centre.longitude)
      let foot = segment.foot(of: point)
      for step in 0...300 {
        let place = segment.point(segment.length * Double(step) / 300).place
        #expect(point.path(to: place).distance >= foot.distance - 20e-9, "\(centre) \(start) \(end) \(step)")
      }
    }
    // The edge deviates from the equator by metres, and from a parallel by less than a quarter of a millimetre; the
    // test point is the pole.
    let flat = GeodesicSegment(
      from: SurfacePoint(latitude: 6.103749183239762e-05, longitude: 1),
      to: SurfacePoint(latitude: 6.103515625e-05, longitude: 0))
    let pole = SurfacePoint(latitude: 90, longitude: 0)
    let foot = flat.foot(of: pole)
    for step in 0...2_000 {
      #expect(pole.path(to: flat.point(flat.length * Double(step) / 2_000).place).distance >= foot.distance - 20e-9)
    }
  }

  /// Uses cases with known results: the equator and the meridians are geodesics, and a perpendicular to the equator is
  /// a meridian.
  @Test func theEquatorAndMeridians() {
    for length in [1e-4, 0.01, 0.3, 1, 20, 100, 170] {
      let equator = GeodesicSegment(
        from: SurfacePoint(latitude: 0, longitude: 5), to: SurfacePoint(latitude: 0, longitude: 5 + length))
      for latitude in [-60, -1, -1e-6, 1e-9, 0.01, 10, 85] {
        let point = SurfacePoint(latitude: latitude, longitude: 5 + length / 3)
        let foot = equator.foot(of: point)
        let north = GeodesicInverse.distance(
          latitude1: 0, longitude1: 0, latitude2: latitude, longitude2: 0)
        #expect((foot.distance - north).magnitude <= 15e-9, "\(length) \(latitude) \(foot)")
        #expect((foot.side > 0) == (latitude > 0) || north < 20e-9)
        // The foot of the perpendicular is where the point's meridian meets the equator.
        #expect((foot.place.longitude - point.longitude).magnitude < 1e-6 && foot.place.latitude.magnitude < 1e-6)
      }
    }
    // Over the pole.
    let polar = GeodesicSegment(
      from: SurfacePoint(latitude: 80, longitude: 0), to: SurfacePoint(latitude: 80, longitude: 180))
    let beside = polar.foot(of: SurfacePoint(latitude: 89, longitude: 90))
    #expect((beside.distance - 111_693.9).magnitude < 1 && beside.side < 0 && beside.place.latitude > 89.999_999)
  }
}
