import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct MonitorOptionsTests {
  static let defective: [MonitorOptions] = [
    MonitorOptions(conditionLimit: 0), MonitorOptions(conditionLimit: -1), MonitorOptions(maxPendingEvents: 0),
    MonitorOptions(maxPendingEvents: 1_000_000_001), MonitorOptions(initialFixMaxAgeMicroseconds: -2),
    MonitorOptions(beaconExitTimeoutMicroseconds: 0), MonitorOptions(beaconInitialTimeoutMicroseconds: .max),
  ]

  @Test(arguments: defective)
  func defectsAreRefused(_ options: MonitorOptions) {
    do {
      _ = try MonitorEngine(options: options)
      Issue.record("\(options) was accepted")
    } catch {
      guard case .invalidArgument(let reason, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(reason.contains("must be"))
    }
  }

  /// With a maximum age of 0, a fix at the current time determines the state of a newly added condition; with −1, no fix
  /// older than the condition is used.
  @Test func anAddMayNeverLookBack() throws {
    for (age, state) in [(0, Event.State.satisfied), (-1, .unknown)] as [(Int64, Event.State)] {
      var engine = try MonitorEngine(options: MonitorOptions(initialFixMaxAgeMicroseconds: age))
      try engine.feed(fix(1, 0))
      try engine.add(circle(100), identifier: "c")
      #expect(engine.state(of: "c") == state)
      try engine.feed(fix(1, 0))
      #expect(engine.state(of: "c") == .satisfied)
      let restored = try MonitorEngine(restoring: engine.snapshot())
      #expect(restored.options == engine.options)
    }
  }

  /// The order of events is saved, and applies to a dwell that was open when the state was saved.
  @Test func anOrderIsSaved() throws {
    var policy = TransitionPolicy.exact
    policy.entryDwellMicroseconds = 10_000_000
    policy.exitDwellMicroseconds = 10_000_000
    for (order, expected) in [(.add, "entered"), (.exitsFirst, "left")] as [(MonitorOptions.Order, String)] {
      var engine = try MonitorEngine(options: MonitorOptions(order: order))
      try engine.add(circle(100, longitude: 1), identifier: "entered", assuming: .unsatisfied, policy: policy)
      try engine.add(circle(100), identifier: "left", assuming: .satisfied, policy: policy)
      try engine.feed(fix(1, 0))
      try engine.feed(fix(2, 0, from: Coordinate(latitude: 0, longitude: 1)))
      var restored = try MonitorEngine(restoring: engine.snapshot())
      #expect(restored.options == engine.options && restored.options.order == order)
      try restored.advance(to: at(60))
      let first = restored.nextEvent()
      #expect(first?.identifier == expected)
    }
  }

  @Test func defaultsAreThoseOfTheTable() {
    let options = MonitorOptions()
    #expect(options.delivery == .every && options.conditionLimit == nil && options.maxPendingEvents == 1_000_000)
    #expect(options.initialFixMaxAgeMicroseconds == 60_000_000)
    #expect(options.beaconExitTimeoutMicroseconds == 30_000_000)
    #expect(options.beaconInitialTimeoutMicroseconds == 30_000_000)
    #expect(MonitorOptions.coreLocation.delivery == .first && MonitorOptions.coreLocation.conditionLimit == 20)
    #expect(MonitorEngine.unnamed.options == options)
  }
}
