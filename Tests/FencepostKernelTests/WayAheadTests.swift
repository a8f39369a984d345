import TestSupport
import Testing

@testable import FencepostKernel

/// Compares the results of `wayAhead` with exact distances at positions along the path.
@Suite struct WayAheadTests {
  /// Finds where a path first reaches the requested side. Each step is as long as the distance to the boundary, because
  /// the path cannot cross the boundary earlier.
  ///
  /// - Returns: The first fraction of the path at which the path is on the requested side; infinity if the path does
  ///   not reach that side before `end`; `nil` if the path stays so close to the boundary that the search takes too
  ///   long.
  private func firstPassage(_ arc: ShortArc, _ shape: GeodesicShape, inwards: Bool, until end: Double) -> Double? {
    var share = 0.0
    for _ in 0..<400 {
      let distance = shape.boundaryDistance(of: SurfacePoint(arc.position(at: share)))
      if inwards ? distance < 0 : distance > 0 { return share }
      guard share < end else { return .infinity }
      share = min(end, share + max(distance.magnitude, 2e-6) / arc.length)
    }
    return nil
  }

  private struct Told {
    var (passed, clear, crossings, ends, unknown, checked) = (0, 0, 0, 0, 0, 0)
  }

  private func check(_ shape: GeodesicShape, from start: Place, to end: Place, _ told: inout Told, _ note: String) {
    let arc = ShortArc(
      from: SurfacePoint(latitude: start.latitude, longitude: start.longitude).vector,
      to: SurfacePoint(latitude: end.latitude, longitude: end.longitude).vector)
    guard arc.square > 0, arc.length < ShortArc.limit else { return }
    let sagitta = arc.square / (8 * 6.33e6) + 1e-5
    let (first, last) = (arc.position(at: 0), arc.position(at: 1))
    for inwards in [false, true] {
      func passage(until end: Double) -> Double? { firstPassage(arc, shape, inwards: inwards, until: end) }
      let distance = shape.boundaryDistance(of: SurfacePoint(first))
      switch shape.wayAhead(from: first, to: last, sagitta: sagitta, inwards: inwards) {
      case .passed:
        told.passed += 1
        #expect(inwards ? distance < -5e-8 : distance > 5e-8, "\(note): at \(distance)")
      case .clear:
        told.clear += 1
        guard let passage = passage(until: 1) else { continue }
        told.checked += 1
        #expect(passage == .infinity, "\(note): not clear at \(passage) of \(arc.length) m")
      case .unknown(let share, let end):
        told.unknown += 1
        #expect(0 <= share && share <= end && end <= 1, "\(note): \(share) to \(end)")
        guard share > 0, let passage = passage(until: share) else { continue }
        told.checked += 1
        #expect(passage >= share - 2e-6 / arc.length, "\(note): \(passage) before \(share)")
      case .crossing(let crossing):
        func ahead(_ share: Double) -> Double? {
          crossing.distance(at: arc.position(at: share)).map { inwards ? $0 : -$0 }
        }
        guard let passage = passage(until: 1) else { continue }
        told.checked += 1
        guard passage <= 1 else {
          told.ends += 1
          #expect((ahead(1) ?? -1) > -3e-8, "\(note): no crossing, but \(ahead(1) ?? .nan) m to go")
          continue
        }
        told.crossings += 1
        guard let here = ahead(passage) else {
          Issue.record("\(note): the crossing is not beside the edge")
          continue
        }
        #expect(here.magnitude < 3e-6, "\(note): \(here) m from the edge")
        // The distance changes at the stated rate.
        let step = min(0.01 / arc.length, (1 - passage) / 2)
        if step * arc.length > 1e-3, let later = ahead(passage + step) {
          let expected = -crossing.advance * step
          #expect((later - here - expected).magnitude < 0.005 * expected.magnitude + 1e-6, "\(note)")
        }
      }
    }
  }

  /// Tests paths of a millimetre to 300 m that start near the edges and corners of star-shaped polygons with sizes of 3
  /// m to 1 000 km. Some of the polygons surround a pole or cross the antimeridian. The edges of the large polygons are
  /// many metres away from their chords.
  @Test(arguments: 0..<6) func agreesWithExactDistances(_ number: Int) {
    var random = SeededGenerator("way ahead", salt: UInt64(number))
    let middles: [Corner] = [(90, 0), (-90, 30), (89.99, 120), (0, 180), (-65, 179.9), (12, -179.999)]
    var told = Told()
    for turn in 0..<60 {
      let middle =
        turn % 2 == 0 ? Place(latitude: middles[number].latitude, longitude: middles[number].longitude) : random.place()
      let radius = random.logarithmic(3, 1e6)
      let ring = star(&random, around: middle, radius: radius, least: turn % 5 == 0 ? 0.97 : 0.3)
      var parts = [[ring]]
      // Some polygons have a hole, which may touch the outer ring.
      if turn % 7 == 0 { parts[0].append(star(&random, around: middle, radius: 0.25 * radius, least: 0.5).reversed()) }
      guard let shape = try? GeodesicShape.reading(polygon: parts) else { continue }
      for way in 0..<12 {
        let edge = random.integer(0...shape.line.vertices.count - 2)
        let (one, other) = (shape.line.vertices[edge], shape.line.vertices[edge + 1])
        let segment = GeodesicSegment(from: SurfacePoint(one), to: SurfacePoint(other))
        let share = [0, 1, random.uniform(0...1), random.uniform(0...1)][random.integer(0...3)]
        let length = random.logarithmic(1e-3, 299)
        let at = segment.point(segment.length * share)
        let beside = Place(latitude: at.place.latitude, longitude: at.place.longitude).moved(
          azimuth: random.uniform(0...360), distance: length * [0, 1e-6, 0.3, 0.7][random.integer(0...3)])
        // The path is parallel to the edge, nearly parallel, or in any direction.
        let azimuth = at.azimuth + [0, 180, random.uniform(-10...10), random.uniform(0...360)][random.integer(0...3)]
        check(
          shape, from: beside, to: beside.moved(azimuth: azimuth, distance: length), &told,
          "turn \(turn), way \(way), \(length) m")
      }
    }
    #expect(told.passed > 100 && told.clear > 40 && told.crossings > 30 && told.checked > 100, "\(told)")
  }

  /// Tests paths around a small hole near the middle of a long edge. The band of the long edge covers the hole, so the
  /// long edge alone does not decide which boundary the path crosses first.
  @Test func holesInTheBandOfAnEdge() throws {
    var random = SeededGenerator("way ahead holes")
    var told = Told()
    for turn in 0..<40 {
      let corner = Place(latitude: random.uniform(-70...70), longitude: random.uniform(-180...180))
      let azimuth = random.uniform(0...360)
      let length = random.uniform(9_000...19_000)
      // The polygon is to the left of the long edge.
      let ring = [
        corner, corner.moved(azimuth: azimuth, distance: length), corner.moved(azimuth: azimuth - 60, distance: length),
      ]
      let end = SurfacePoint(latitude: ring[1].latitude, longitude: ring[1].longitude)
      let edge = GeodesicSegment(from: SurfacePoint(latitude: corner.latitude, longitude: corner.longitude), to: end)
      let at = edge.point(length * random.uniform(0.4...0.6))
      let size = random.uniform(0.3...2)
      let middle = Place(latitude: at.place.latitude, longitude: at.place.longitude).moved(
        azimuth: at.azimuth - 90, distance: size + random.uniform(0.01...0.5))
      let hole = [90.0, 210, 330].map { middle.moved(azimuth: $0, distance: size) }
      let shape = try GeodesicShape.reading(polygon: [[corners(ring), corners(hole)]])
      for way in 0..<12 {
        let start = middle.moved(azimuth: random.uniform(0...360), distance: 2 * size * random.uniform(0...1))
        let end = start.moved(azimuth: random.uniform(0...360), distance: random.uniform(0.2...8))
        check(shape, from: start, to: end, &told, "turn \(turn), way \(way)")
      }
    }
    #expect(told.passed > 100 && told.unknown > 100, "\(told)")
  }

  private func corners(_ places: [Place]) -> [Corner] { places.map { ($0.latitude, $0.longitude) } }

  /// The edges do not decide for shapes whose boundary is not their line (buffered polygons and corridors), or for
  /// paths of length 0.
  @Test func otherShapesAreUnknown() throws {
    let ring = square(50, 10, 0.01)
    let buffered = try GeodesicShape.reading(polygon: [[ring]], buffer: 5)
    let corridor = try GeodesicShape.reading(corridor: [ring], radius: 5)
    let plain = try GeodesicShape.reading(polygon: [[ring]])
    let start = SurfacePoint(latitude: 50.005, longitude: 9.9999).vector
    let end = SurfacePoint(latitude: 50.005, longitude: 10.0005).vector
    func isUnknown(_ answer: WayAhead) -> Bool {
      if case .unknown(0, 1) = answer { return true }
      return false
    }
    #expect(isUnknown(buffered.wayAhead(from: start, to: end, sagitta: 1e-4, inwards: true)))
    #expect(isUnknown(corridor.wayAhead(from: start, to: end, sagitta: 1e-4, inwards: true)))
    #expect(isUnknown(plain.wayAhead(from: start, to: start, sagitta: 1e-4, inwards: true)))
    guard case .crossing = plain.wayAhead(from: start, to: end, sagitta: 1e-4, inwards: true) else {
      Issue.record("no crossing")
      return
    }
  }
}
