import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Attacks paths with narrow shapes: thin triangles, needles and strips, shapes with thin gaps between their buffers or
/// margins, and legs that cross them at small angles. Between two events, no place of the leg that is measured may be
/// more than the promised 0.1 µm beyond the boundary. The places are found by sampling and by descending from each
/// sampled minimum, independently of the search for passages.
@Suite struct SliverLegTests {
  /// The promised 0.1 µm, and the errors of a distance and of a position.
  private static let tolerance = 1.3e-7

  private struct Attack {
    var definition: ShapeDefinition
    var start, end: Coordinate
    var duration: Int64
    /// The state changes to satisfied at D ≤ −inner, and to unsatisfied at D ≥ outer.
    var margin: Double
  }

  private func vertices(_ rings: [[Coordinate]]) -> ShapeVertices {
    ShapeVertices(parts: rings.map { [$0.map { ($0.latitude, $0.longitude) }] })
  }

  private func thinRing(
    _ middle: Coordinate, _ azimuth: Double, _ length: Double, _ width: Double, _ random: inout SeededGenerator
  ) -> [Coordinate] {
    let half = length / 2
    let (one, other) = (moved(middle, azimuth, half), moved(middle, azimuth + 180, half))
    var ring: [Coordinate]
    switch random.integer(0...3) {
    case 0: ring = [one, moved(moved(middle, azimuth, random.uniform(-half...half)), azimuth + 90, width), other]
    case 1: ring = [one, moved(one, azimuth + 90, width), moved(other, azimuth + 90, width), other]
    case 2: ring = [one, moved(other, azimuth + 90, width), other]
    default:
      let places = (0..<random.integer(3...8)).map { _ in random.uniform(-half...half) }.sorted(by: >)
      ring = [one] + places.map { moved(moved(middle, azimuth, $0), azimuth + 90, width * random.uniform(0...1)) }
      ring.append(other)
    }
    return random.chance(0.5) ? ring : ring.reversed()
  }

  private func middle(_ random: inout SeededGenerator) -> Coordinate {
    let sign: Double = random.chance(0.5) ? 1 : -1
    return switch random.integer(0...5) {
    case 0: Coordinate(latitude: sign * (90 - random.logarithmic(1e-7, 1)), longitude: random.uniform(-180...180))
    case 1: Coordinate(latitude: random.uniform(-80...80), longitude: sign * (180 - random.logarithmic(1e-7, 0.1)))
    case 2: Coordinate(latitude: sign * random.logarithmic(1e-7, 0.1), longitude: random.uniform(-180...180))
    default: Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
    }
  }

  private func attack(_ random: inout SeededGenerator) -> Attack {
    let middle = middle(&random)
    let azimuth = random.uniform(0...360)
    var length = random.logarithmic(1, random.chance(0.5) ? 3_000 : 300_000)
    let width = random.logarithmic(1e-6, 1) * min(1, length / 10)
    let sign: Double = random.chance(0.5) ? 1 : -1
    var (aside, margin) = (0.0, 0.0)
    let definition: ShapeDefinition
    switch random.integer(0...5) {
    case 0:
      let radius = random.logarithmic(0.1, 3_000)
      let line = thinRing(middle, azimuth, length, width, &random).prefix(3).map { ($0.latitude, $0.longitude) }
      definition = ShapeDefinition(.corridor(radius: radius), ShapeVertices(lines: [line]), edges: .geodesic)
      margin = random.chance(0.5) ? 0 : radius * 0.3
      aside = sign * (radius + margin * Double(random.integer(-1...1)))
    case 1:
      let buffer = random.logarithmic(0.01, 1_000)
      definition = ShapeDefinition(
        .polygon(buffer: buffer, isOriented: false),
        vertices([thinRing(middle, azimuth, length, width, &random)]), edges: .geodesic)
      aside = sign * buffer
    case 2:
      // Between two strips, there is a place farther than the margin from both.
      margin = random.chance(0.5) ? 20 : random.logarithmic(0.1, 1_000)
      length = max(length, 8 * margin)
      let (one, other) = (moved(middle, azimuth, length / 2), moved(middle, azimuth + 180, length / 2))
      func strip(_ from: Double, _ to: Double) -> [Coordinate] {
        [
          moved(one, azimuth + 90, from), moved(one, azimuth + 90, to), moved(other, azimuth + 90, to),
          moved(other, azimuth + 90, from),
        ]
      }
      let gap = 2 * margin + width
      definition = ShapeDefinition(
        .polygon(buffer: 0, isOriented: false), vertices([strip(1e-9, 5 * margin), strip(-gap, -gap - 5 * margin)]),
        edges: .geodesic)
      aside = -margin * Double(random.integer(-1...1))
    default:
      definition = ShapeDefinition(
        .polygon(buffer: 0, isOriented: false),
        vertices([thinRing(middle, azimuth, length, width, &random)]), edges: .geodesic)
    }
    let way = random.chance(0.5) ? random.uniform(5...299) : random.logarithmic(max(2, length / 20), max(3, length * 3))
    let along = random.uniform(-0.6...0.6) * length
    let axis = GeodesicDirect.solve(
      latitude: middle.latitude, longitude: middle.longitude, azimuth: azimuth, distance: along)
    let target = moved(
      Coordinate(latitude: axis.latitude, longitude: axis.longitude), axis.azimuth + 90,
      aside + width * random.uniform(-1...1))
    let direction = axis.azimuth + (sign > 0 ? 0 : 180) + random.logarithmic(1e-6, 20) * (random.chance(0.5) ? 1 : -1)
    let share = random.uniform(0...1)
    return Attack(
      definition: definition, start: moved(target, direction, way * share),
      end: moved(target, direction + 180, way * (1 - share)),
      duration: max(2, Int64(way / random.logarithmic(1e-2, 1e3) * 1e6)), margin: margin)
  }

  private func condition(_ definition: ShapeDefinition) -> any Condition {
    let rings = (0..<definition.vertices.ringEnds.count).map { number in
      definition.vertices.vertices(ofRing: number).map { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    }
    switch definition.kind {
    case .corridor(let radius): return CorridorGeographicCondition(path: rings[0], radius: radius)
    case .polygon(let buffer, _):
      return MultiPolygonalGeographicCondition(parts: rings.map { .init(exterior: $0) }, buffer: buffer)
    case .line: preconditionFailure()
    }
  }

  @Test(arguments: 0..<8) func noPlaceBetweenTwoEventsIsBeyondTheBoundary(_ number: UInt64) throws {
    var random = SeededGenerator("slivers", salt: number)
    var (attacks, events) = (0, 0)
    while attacks < (isSoak ? 2_000 : 60) {
      let attack = attack(&random)
      guard let shape = try? GeodesicShape.reading(attack.definition) else { continue }
      attacks += 1
      for isForth in [true, false] {
        let (start, end) = isForth ? (attack.start, attack.end) : (attack.end, attack.start)
        events += try check(attack, shape, from: start, to: end, "seed \(number), attack \(attacks)", &random)
      }
    }
    #expect(events > 40, "\(events)")
  }

  /// - Returns: The number of events.
  private func check(
    _ attack: Attack, _ shape: GeodesicShape, from start: Coordinate, to end: Coordinate, _ note: String,
    _ random: inout SeededGenerator
  ) throws -> Int {
    let policy = TransitionPolicy(
      entryDwellMicroseconds: 0, exitDwellMicroseconds: 0, entryMargin: attack.margin, exitMargin: attack.margin,
      accuracyFactor: 0)
    var engine = try MonitorEngine(
      options: MonitorOptions(path: .geodesic(maxGapMicroseconds: attack.duration, maxSpeed: nil)))
    try engine.add(condition(attack.definition), identifier: "c", assuming: .unsatisfied, policy: policy)
    try engine.feed([
      Fix(coordinate: start, accuracy: 0, time: at(0)),
      Fix(coordinate: end, accuracy: 0, time: Timestamp(microseconds: attack.duration)),
    ])
    let events = engine.drain()
    let inner = min(attack.margin, shape.depth / 2)
    let segment = GeodesicSegment(from: SurfacePoint(start), to: SurfacePoint(end))
    let metres = segment.length / Double(attack.duration)
    func distance(_ time: Int64) -> Double { shape.boundaryDistance(of: segment.point(Double(time) * metres).place) }
    // After a change, a shape is examined again 0.1 µm farther on.
    let skipped = Int64(2e-7 / metres) + 2
    var (isInside, from) = (false, Int64(0))
    for number in 0...events.count {
      let to = number < events.count ? events[number].date?.microseconds ?? 0 : attack.duration
      defer {
        isInside = number < events.count && events[number].state == .satisfied
        from = to
      }
      let (first, last) = (from + (from > 0 ? skipped : 1), to - 1)
      guard last - first > 2 else { continue }
      /// Less than 0 if the place is beyond the threshold.
      func room(_ time: Int64) -> Double { isInside ? attack.margin - distance(time) : distance(time) + inner }
      let times = (0...40).map { first + Int64(Double(last - first) * Double($0) / 40) }
      var least: (time: Int64, room: Double) = (first, .infinity)
      func look(_ time: Int64) -> Double {
        let room = room(time)
        if room < least.room { least = (time, room) }
        return room
      }
      let rooms = times.map(look)
      for index in times.indices.dropFirst().dropLast()
      where rooms[index] <= rooms[index - 1] && rooms[index] <= rooms[index + 1] {
        var (low, high) = (times[index - 1], times[index + 1])
        while high - low > 2, least.room > -Self.tolerance {
          let (one, other) = (low + (high - low) / 3, high - (high - low) / 3)
          if look(one) <= look(other) { high = other } else { low = one }
        }
      }
      try #require(
        least.room > -Self.tolerance,
        """
        \(note): \(least.room) m at \(least.time) of \(attack.duration) µs, \(events.map(\.brief)), margin \
        \(attack.margin), from \(start) to \(end), \(attack.definition)
        """)
    }
    return events.count
  }

  /// The ring is up to 13 m wide and ends at the south pole. The leg crosses a part 13 mm wide.
  @Test func aSliverAtThePole() throws {
    let ring: [Coordinate] = [
      (-90, 0), (-89.88623764938242, 4.730398197916413), (-89.8862376810692, 4.730591060533351),
      (-89.99999988472725, 94.73039819791641),
    ].map { Coordinate(latitude: $0.0, longitude: $0.1) }
    let ends = [
      Coordinate(latitude: -89.99949402958678, longitude: 62.041035753318795),
      Coordinate(latitude: -89.88648262439186, longitude: 4.507188340494167),
    ]
    for (start, end) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      var engine = try MonitorEngine(
        options: MonitorOptions(path: .geodesic(maxGapMicroseconds: 10_000_000_000, maxSpeed: nil)))
      try engine.add(
        PolygonalGeographicCondition(exterior: ring), identifier: "c", assuming: .unsatisfied, policy: .exact)
      try engine.feed([
        Fix(coordinate: start, accuracy: 0, time: at(0)), Fix(coordinate: end, accuracy: 0, time: at(1_000)),
      ])
      #expect(engine.drain().map(\.state) == [.satisfied, .unsatisfied])
    }
  }
}
