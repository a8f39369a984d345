import Testing

@testable import Fencepost

/// Polygons and corridors as conditions, from the first fix to the event.
@Suite struct AreaTests {
  /// A square of about 200 m around the place where the tests live.
  static let square = PolygonalGeographicCondition(exterior: [
    Coordinate(latitude: -0.000_9, longitude: -0.000_9), Coordinate(latitude: -0.000_9, longitude: 0.000_9),
    Coordinate(latitude: 0.000_9, longitude: 0.000_9), Coordinate(latitude: 0.000_9, longitude: -0.000_9),
  ])

  @Test func aPolygonIsEnteredAndLeft() throws {
    var engine = try MonitorEngine()
    try engine.add(Self.square, identifier: "square")
    for (second, distance) in [(0.0, 500.0), (10, 300), (20, 70), (60, 50), (90, 200), (120, 210)] {
      try engine.feed(fix(second, distance, bearing: 90))
      try checkInvariants(of: engine, "at \(second) s")
    }
    let events = engine.drain()
    #expect(
      events.map(\.brief) == [
        "square unsatisfied@0.0 determination", "square satisfied@40.0 crossing", "square unsatisfied@110.0 crossing",
      ])
    // The east side is at 0.0009 degrees of the equator.
    let side = 0.000_9 * 111_319.490_793_273_57
    #expect((events[1].evidence!.boundaryDistance - (70 - side)).magnitude < 1e-6)
    #expect((events[2].evidence!.boundaryDistance - (200 - side)).magnitude < 1e-6)
  }
}
