import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the deliveries `first` and `latest` of a fleet, beyond what ``LawTests`` compares with monitors.
@Suite struct FleetTurnsTests {
  private func zones() throws -> Conditions {
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: .exact)
    return zones
  }

  private func fleet(_ delivery: MonitorOptions.Delivery, _ zones: Conditions) throws -> FleetEngine {
    var fleet = try FleetEngine(zones, options: FleetOptions(delivery: delivery))
    for name in ["truck", "van"] { _ = try fleet.device(name) }
    return fleet
  }

  private func brief(_ events: [FleetEvent]) -> [String] {
    events.map { "\($0.deviceIdentifier) \($0.event.brief) \($0.row)" }
  }

  private func drain(_ fleet: inout FleetEngine) -> [FleetEvent] {
    var events: [FleetEvent] = []
    while let event = fleet.nextEvent() { events.append(event) }
    return events
  }

  @Test func aStateBehindAnEventFollowsItWithItsOwnRow() throws {
    var fleet = try fleet(.first, zones())
    try fleet.feed([
      (1, fix(1, 500)), (1, fix(2, 50)), (2, fix(2, 50)), (1, fix(3, 500)), (1, fix(4, 50)), (1, fix(5, 500)),
    ])
    #expect(fleet.statistics.pendingEvents == 2)
    let first = fleet.nextEvent()
    #expect(brief([first].compactMap { $0 }) == ["truck home satisfied@2.0 crossing 1"])
    let news = fleet.appendedEntries
    fleet.acknowledge()
    // The wake-up of a consumer depends on this number.
    #expect(fleet.appendedEntries == news + 1)
    let events = brief(drain(&fleet))
    #expect(
      events == ["van home satisfied@2.0 determination 2", "truck home unsatisfied@5.0 crossing 5"])
    #expect(fleet.delivery.turns?.pendingEvents(of: nil).isEmpty == true)
    try fleet.checkInvariants()
  }

  @Test func aReplacedEventIsNeverHandedOut() throws {
    var fleet = try fleet(.latest, zones())
    try fleet.feed([(1, fix(1, 500)), (1, fix(2, 50)), (2, fix(2, 50)), (1, fix(3, 500))])
    #expect(fleet.statistics.pendingEvents == 1)
    try fleet.feed([(1, fix(4, 50)), (2, fix(5, 500)), (2, fix(6, 50))])
    let events = brief(drain(&fleet))
    #expect(events == ["truck home satisfied@4.0 crossing 0", "van home satisfied@6.0 crossing 2"])
    try fleet.checkInvariants()
  }

  /// The queue does not grow with the changes while the consumer is away.
  @Test func theMemoryFollowsTheWaitingEvents() throws {
    var fleet = try fleet(.latest, zones())
    for second in 0..<10_000 { try fleet.feed(fix(Double(second), second % 2 == 0 ? 500 : 50), for: 1) }
    #expect(fleet.delivery.count < 3_000 && fleet.statistics.pendingEvents == 1)
    let events = brief(drain(&fleet))
    #expect(events == ["truck home satisfied@9999.0 crossing 0"])
    try fleet.checkInvariants()
  }

  /// Void and replaced events do not count as waiting.
  @Test func theQueueIsFullOnlyOfEventsThatWait() throws {
    let zones = try zones()
    var fleet = try FleetEngine(zones, options: FleetOptions(delivery: .latest, maxPendingEvents: 2))
    for name in ["a", "b"] { _ = try fleet.device(name) }
    for second in 0..<9 { try fleet.feed(fix(Double(second), second % 2 == 0 ? 500 : 50), for: 1) }
    try fleet.feed(fix(9, 50), for: 1)
    try fleet.feed(fix(9, 50), for: 2)
    #expect(throws: MonitorError.self) { try fleet.feed(fix(10, 50), for: 1) }
    zones.remove("home")
    try fleet.feed(fix(10, 50), for: 1)
    #expect(fleet.nextEvent() == nil)
    try fleet.checkInvariants()
  }

  @Test func aRemovedDeviceStillReportsWhatItDid() throws {
    for droppingEvents in [false, true] {
      var fleet = try fleet(.first, zones())
      try fleet.feed([(1, fix(1, 500)), (1, fix(2, 50)), (1, fix(3, 500))])
      try fleet.remove(1, droppingEvents: droppingEvents)
      try fleet.checkInvariants()
      fleet = try FleetEngine(restoring: fleet.snapshot(), conditions: fleet.conditions)
      let events = brief(drain(&fleet))
      #expect(
        events
          == (droppingEvents ? [] : ["truck home satisfied@2.0 crossing 1", "truck home unsatisfied@3.0 crossing 2"]))
      try fleet.checkInvariants()
    }
  }

  /// The present states of an exported device count as reported.
  @Test func anExportedDeviceHasNoEvents() throws {
    let zones = try zones()
    var fleet = try fleet(.first, zones)
    try fleet.feed([(1, fix(1, 500)), (1, fix(2, 50)), (1, fix(3, 500))])
    var other = try FleetEngine(zones, options: FleetOptions(delivery: .first))
    let device = try other.load([("truck", try fleet.export([1])[0])])[0]
    try other.feed(fix(4, 500), for: device)
    #expect(other.nextEvent() == nil)
    try other.feed(fix(5, 50), for: device)
    let event = other.nextEvent()?.event
    #expect(event?.brief == "home satisfied@5.0 crossing" && event?.sequence == 2)
  }

  @Test func theDeliveryOfAStoredFleetStays() throws {
    let storage = MemoryFleetStorage()
    let zones = try zones()
    var stored = try StoredFleet(zones, options: FleetOptions(delivery: .first), storage: storage)
    try stored.close()
    for delivery in [MonitorOptions.Delivery.every, .latest] {
      storage.isClosed = false
      let error = #expect(throws: MonitorError.self) {
        try StoredFleet(zones, options: FleetOptions(delivery: delivery), storage: storage)
      }
      #expect("\(error as Any)".contains("must be first"), "\(error as Any)")
    }
    storage.isClosed = false
    _ = try StoredFleet(zones, options: FleetOptions(delivery: .first), storage: storage)
  }

  @Test func linesNeedEveryChange() throws {
    let path = MonitorOptions.Path.geodesic(maxGapMicroseconds: 60_000_000)
    let line = LineGeographicCondition(
      path: [Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 1, longitude: 0)])
    let zones = Conditions()
    var fleet: FleetEngine? = try FleetEngine(zones, options: FleetOptions(delivery: .latest, path: path))
    #expect(throws: MonitorError.self) { try zones.add(line, identifier: "gate", assuming: .unknown) }
    #expect(fleet?.hasEvents == false)
    fleet = nil
    try zones.add(line, identifier: "gate", assuming: .unknown)
    let error = #expect(throws: MonitorError.self) {
      try FleetEngine(zones, options: FleetOptions(delivery: .latest, path: path))
    }
    #expect("\(error as Any)".contains("delivery"), "\(error as Any)")
    _ = try FleetEngine(zones, options: FleetOptions(path: path))
  }

  /// A snapshot in which the events of a condition contradict each other is refused.
  @Test func eventsThatNoFleetHasAreRefused() throws {
    var fleet = try fleet(.first, zones())
    try fleet.feed([(1, fix(1, 500)), (1, fix(2, 50)), (1, fix(3, 500))])
    func refuses(_ change: (inout ContiguousArray<FleetEntry>) -> Void) throws {
      var entries = fleet.conditions.read { fleet.savedEntries($0) }
      try #require(entries.map(\.role) == [.pending, .behind])
      change(&entries)
      var delivery = FleetDelivery(.first)
      do throws(Damage) {
        try delivery.restore(entries)
        Issue.record("accepted: \(entries)")
      } catch {}
    }
    try refuses { $0.removeFirst() }
    try refuses { $0[1].role = .pending }
    try refuses { $0[0].role = .behind }
    try refuses { $0[1].device = 1 }
    try refuses { $0[1].entry.generation += 1 }
  }
}
