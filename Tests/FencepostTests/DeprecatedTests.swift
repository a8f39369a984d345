import Fencepost
import Testing

// When a deprecated method satisfies a requirement of a protocol, calling the method through the protocol gives no
// warning.
private protocol SeesForOne {
  mutating func see(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError)
}
private protocol SeesForMany {
  mutating func see(
    _ sightings: some Sequence<BeaconSighting>, at time: Timestamp, for number: UInt64
  ) throws(MonitorError)
}
private protocol Sees: Actor {
  func see(_ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp) throws(MonitorError)
  func see(_ sighting: BeaconSighting, at time: Timestamp) throws(MonitorError)
}
private protocol SeesForIdentifiers: Actor {
  func see(
    _ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp, for identifier: String
  ) throws(MonitorError)
}
extension MonitorEngine: SeesForOne {}
extension FleetEngine: SeesForMany {}
extension Monitor: Sees {}
extension Fleet: SeesForIdentifiers {}

private func see(_ sightings: [BeaconSighting], at time: Timestamp, _ one: inout some SeesForOne) throws {
  try one.see(sightings, at: time)
}

private func see(
  _ sightings: [BeaconSighting], at time: Timestamp, for number: UInt64, _ many: inout some SeesForMany
) throws {
  try many.see(sightings, at: time, for: number)
}

private func see(_ sighting: BeaconSighting, at times: [Timestamp], _ monitor: some Sees) async throws {
  try await monitor.see(sighting, at: times[0])
  try await monitor.see([sighting], at: times[1])
}

private func see(_ sightings: [BeaconSighting], at time: Timestamp, _ fleet: some SeesForIdentifiers) async throws {
  try await fleet.see(sightings, at: time, for: "phone")
}

/// The deprecated names of version 0.2 have the same effect as the names that replaced them.
@Suite struct DeprecatedTests {
  let sighting = BeaconSighting(uuid: someUUID, major: 1, minor: 2)
  let desk = BeaconIdentityCondition(uuid: someUUID)

  @Test func seeFeedsAScanReportToEngines() throws {
    var old = try MonitorEngine()
    try old.add(desk, identifier: "desk")
    var new = old
    try see([sighting], at: at(1), &old)
    try new.feed([sighting], at: at(1))
    #expect(old.snapshot() == new.snapshot())
    let event = old.nextEvent()
    #expect(event?.identifier == "desk")

    let zones = Conditions()
    try zones.add(desk, identifier: "desk")
    var fleet = try FleetEngine(zones)
    let phone = try fleet.device("phone")
    try see([sighting], at: at(1), for: phone, &fleet)
    #expect(fleet.statistics.acceptedSightings == 1)
  }

  @Test func seeFeedsAScanReportToActors() async throws {
    let monitor = Monitor()
    try await monitor.add(desk, identifier: "desk")
    try await see(sighting, at: [at(1), at(2)], monitor)
    #expect(await monitor.statistics.acceptedSightings == 2)

    let zones = Conditions()
    try zones.add(desk, identifier: "desk")
    let fleet = try Fleet(zones)
    try await see([sighting], at: at(1), fleet)
    #expect(await fleet.statistics.acceptedSightings == 1)
  }
}
