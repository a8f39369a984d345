import TestSupport
import Testing

@testable import FencepostKernel

/// Tests which side of a thin or tiny ring is inside. The side is known, because each ring consists of a geodesic and a
/// vertex at a known distance to its right.
@Suite struct PolygonOrientationTests {
  private func ring(_ places: [Place]) throws -> GivenRing {
    var room = ShapeVertices.most
    return try GivenRing(
      places.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: 0, ring: 0,
      isRing: true, reading: .geodesic, room: &room)
  }

  private func isSmallerLeft(_ places: [Place]) throws -> Bool {
    try PolygonOrientation.isSmallerLeft(ring(places), isOriented: false)
  }

  /// The greatest size of the rings, in metres: below and above the sizes at which the computation changes.
  @Test(arguments: [10, 1_000, 100_000, 2_000_000, 9_000_000])
  func theSideOfAThinRing(_ size: Double) throws {
    var random = SeededGenerator("thin rings", salt: UInt64(size))
    var (decided, refused) = (0, 0)
    for _ in 0..<1_500 {
      let start = random.place()
      let length = random.logarithmic(size / 10, size)
      let whole = GeodesicDirect.solve(
        latitude: start.latitude, longitude: start.longitude, azimuth: random.uniform(0...360), distance: length)
      let end = Place(latitude: whole.latitude, longitude: whole.longitude)
      let segment = GeodesicSegment(
        from: SurfacePoint(latitude: start.latitude, longitude: start.longitude),
        to: SurfacePoint(latitude: end.latitude, longitude: end.longitude))
      let width = random.logarithmic(1e-8, 1e-2)
      let (foot, azimuth) = segment.point(random.uniform(0.1...0.9) * segment.length)
      let aside = Place(latitude: foot.latitude, longitude: foot.longitude)
        .moved(azimuth: azimuth + 90, distance: width)
      guard aside.latitude != start.latitude || aside.longitude != start.longitude else { continue }
      // The mean width of a thin triangle, its area divided by its perimeter, is a quarter of its height.
      let note = "\(start), \(end), \(aside), \(width) m wide"
      let left = try? isSmallerLeft([start, aside, end])
      let right = try? isSmallerLeft([end, aside, start])
      if width > 2e-5, left == nil || right == nil { Issue.record("refused: \(note)") }
      if width < 1e-6, left != nil || right != nil { Issue.record("not refused: \(note)") }
      if let left { #expect(left, "\(note)") }
      if let right { #expect(!right, "\(note)") }
      if left != nil { decided += 1 } else { refused += 1 }
    }
    #expect(decided > 400 && refused > 300, "\(decided), \(refused)")
  }

  /// No thin ring contains a place far away, and both orders of its vertices give the same polygon.
  @Test func aThinPolygonIsNotItsComplement() throws {
    var random = SeededGenerator("thin polygons")
    var read = 0
    for _ in 0..<200 {
      let start = random.place()
      let (azimuth, length) = (random.uniform(0...360), random.logarithmic(0.5, 3_000))
      let width = random.logarithmic(1e-7, 1e-2)
      let places = (0..<random.integer(3...6)).map { _ in
        start.moved(azimuth: azimuth, distance: random.uniform(0...1) * length)
          .moved(azimuth: azimuth + 90, distance: random.uniform(0...1) * width)
      }
      for corners in [places, places.reversed()] {
        let ring: [Corner] = corners.map { ($0.latitude, $0.longitude) }
        guard let shape = try? GeodesicShape.reading(polygon: [[ring]], buffer: 0) else { continue }
        read += 1
        for place in [random.place(), start.moved(azimuth: random.uniform(0...360), distance: 2 * length + 10)] {
          let apart = start.distance(to: place)
          guard apart > length + 1 else { continue }
          let point = SurfacePoint(latitude: place.latitude, longitude: place.longitude)
          #expect(shape.boundaryDistance(of: point) > 0, "\(corners), \(place)")
          #expect(shape.line.nearest(to: point).side <= 0, "\(corners), \(place)")
        }
        #expect(shape.contains(shape.deepest), "\(corners)")
      }
    }
    #expect(read > 50, "\(read)")
  }

  /// The ring is 9 m long, and its mean width is 0.26 µm. An integral over longitudes gives the wrong sign of its area.
  @Test func aRingThinnerThanAMicrometreIsRefused() {
    let corners: [Corner] = [(50.57254, 24.50722), (50.572599, 24.507308), (50.57258365402, 24.50728511107)]
    for ring in [corners, corners.reversed()] {
      let defect = #expect(throws: ShapeDefect.self) { try GeodesicShape.reading(polygon: [[ring]], buffer: 0) }
      #expect(defect?.reason == .noArea)
    }
  }
}
