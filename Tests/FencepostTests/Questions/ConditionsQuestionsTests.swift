import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests queries about a table that fleets share.
@Suite struct ConditionsQuestionsTests {
  private func named(_ identifier: String, longitude: Double, radius: Double) throws -> NamedCondition {
    NamedCondition(
      CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: longitude), radius: radius),
      identifier: identifier, assuming: .unsatisfied)
  }

  @Test func answersAreThoseOfAMonitor() throws {
    let conditions = try (0..<40).map { try named("\($0)", longitude: 0.01 * Double($0), radius: 3_000) }
    let table = try Conditions(conditions)
    var engine = try MonitorEngine()
    for condition in conditions { try engine.ensure([condition]) }
    for step in 0..<50 {
      let (latitude, longitude) = (0.001 * Double(step % 7), 0.009 * Double(step))
      let holding = try table.containing(latitude: latitude, longitude: longitude)
      #expect(holding == (try engine.containing(latitude: latitude, longitude: longitude)))
      let near = try table.nearest(latitude: latitude, longitude: longitude, count: 5)
      #expect(near == (try engine.nearest(latitude: latitude, longitude: longitude, count: 5)))
      #expect(near.count == 5)
    }
    #expect(throws: MonitorError.self) { try table.containing(latitude: 91, longitude: 0) }
    #expect(throws: MonitorError.self) { try table.nearest(latitude: 0, longitude: 0, count: -1) }
  }

  /// A value of `places` is a snapshot: later changes to the table and its fleets do not affect the value.
  @Test func placesOutliveAChange() throws {
    let table = try Conditions([named("old", longitude: 0, radius: 1_000)])
    let before = table.places
    var fleet = try FleetEngine(table)
    let device = try fleet.device("device")
    try fleet.feed(Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: 0)), for: device)
    try table.sync([named("new", longitude: 0, radius: 2_000)])
    try fleet.feed(Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: 1_000_000)), for: device)
    #expect(try before.containing(latitude: 0, longitude: 0).map(\.identifier) == ["old"])
    #expect(try table.containing(latitude: 0, longitude: 0).map(\.identifier) == ["new"])
  }
}
