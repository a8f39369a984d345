import Fencepost
import Testing

/// The probability that the true position is inside. The numbers are proven by the tests of the Python package.
@Suite struct ProbabilityTests {
  private static let circle = CircularGeographicCondition(center: Coordinate(latitude: 47, longitude: 8), radius: 100)

  @Test func circleAroundThePosition() throws {
    let share = try Self.circle.probability(at: Self.circle.center, error: .accuracy(100))
    #expect((share - 0.68).magnitude < 1e-7)
    #expect(try Self.circle.probability(at: Self.circle.center, error: .accuracy(0)) == 1)
    let ellipse = PositionError.ellipse(major: 20_000, minor: 1, orientation: 90)
    #expect(try Self.circle.probability(at: Self.circle.center, error: ellipse).isNaN)
  }

  @Test func monitorsAndTablesGiveTheSame() async throws {
    let monitor = Monitor()
    try await monitor.add(Self.circle, identifier: "circle")
    let error = PositionError.ellipse(major: 80, minor: 9, orientation: 30)
    let point = Coordinate(latitude: 47.0005, longitude: 8.001)
    let alone = try Self.circle.probability(at: point, error: error)
    #expect(alone > 0 && alone < 1)
    #expect(try await monitor.probability(of: "circle", at: point, error: error) == alone)
    #expect(try await monitor.places.probability(of: "circle", at: point, error: error) == alone)
  }

  @Test func valuesOutOfRangeAreRefused() {
    let errors: [PositionError] = [
      .accuracy(-1), .accuracy(.nan), .accuracy(.infinity), .accuracy(5, confidence: 1),
      .ellipse(major: 1, minor: 2, orientation: 0), .ellipse(major: 1, minor: -1, orientation: 0),
      .ellipse(major: .nan, minor: 1, orientation: 0), .ellipse(major: 2, minor: 1, orientation: .infinity),
    ]
    for error in errors {
      #expect(throws: MonitorError.self) { try Self.circle.probability(at: Self.circle.center, error: error) }
    }
    #expect(throws: MonitorError.self) {
      try Self.circle.probability(at: Coordinate(latitude: 91, longitude: 0), error: .accuracy(5))
    }
  }
}
