import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DeliveryTests {
  /// With the delivery `latest`, an event about flags replaces the waiting event and reports that event's state as
  /// well. An event with the state unsatisfied must not name the beacon of an earlier change that caused no event.
  @Test func anUnsatisfiedEventNamesNoBeacon() throws {
    var engine = try MonitorEngine(name: "m", options: MonitorOptions(delivery: .latest))
    try engine.add(
      BeaconIdentityCondition(uuid: someUUID), identifier: "b", assuming: .unsatisfied,
      policy: TransitionPolicy(notify: .exit))
    try engine.feed([BeaconSighting(uuid: someUUID, major: 3, minor: 4, rssi: -50)], at: at(10))
    #expect(engine.record(for: "b")?.lastEvent.beacon?.major == 3)
    try engine.advance(to: at(100))
    #expect(engine.statistics.pendingEvents == 1)
    try engine.setHostCapabilities([.accuracyLimited], at: at(110))
    try engine.checkInvariants()
    let next = engine.nextEvent()
    let event = try #require(next)
    #expect(event.cause == .diagnostic && event.state == .unsatisfied)
    #expect(event.beacon == nil)
  }
}
