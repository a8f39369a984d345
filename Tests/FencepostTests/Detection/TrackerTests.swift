import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TrackerTests {
  /// A suspended condition is not decided, even if a fix is evaluated for the undetermined circles because conditions
  /// of another kind are not suspended.
  @Test func whatIsSuspendedIsNotDecided() throws {
    var engine = try MonitorEngine(name: "m")
    try engine.add(circle(100), identifier: "c")
    #expect(engine.tracker.isWaitingForFix(engine.table))
    try engine.setHostCapabilities([], unsupported: [.circularGeographic], at: at(1))
    while engine.nextEvent() != nil {}
    let fix = fix(2, 0)
    var survey = Survey()
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    engine.tracker.determine(fix, at: position, engine.table, &engine.delivery, &survey)
    #expect(engine.state(of: "c") == .unknown)
    #expect(!engine.hasEvents)
    try engine.setHostCapabilities([], at: at(3))
    try engine.checkInvariants()
    try engine.feed(Fix(coordinate: fix.coordinate, accuracy: 5, time: at(4)))
    #expect(engine.state(of: "c") == .satisfied)
  }

  /// Beacon conditions that were added, replaced and removed before the clock was set leave nothing behind. For the
  /// remaining beacons, the time without a sighting is counted from the first time of the clock, and their events come
  /// in add order.
  @Test func beaconsBeforeAnyTimeLeaveNothing() throws {
    var engine = try MonitorEngine(name: "m")
    let beacon = BeaconIdentityCondition(uuid: someUUID)
    for number in 0..<300 {
      try engine.add(beacon, identifier: "b\(number % 4)")
      if number % 3 == 0 { engine.remove("b\(number % 5)") }
    }
    for number in 0..<4 { engine.remove("b\(number)") }
    #expect(engine.tracker.known.beaconSlots(engine.table).isEmpty)
    try engine.add(beacon, identifier: "second")
    try engine.add(beacon, identifier: "first")
    try engine.add(beacon, identifier: "second")
    try engine.advance(to: at(10))
    try engine.checkInvariants()
    #expect(Array(engine.tracker.deadlines.remindedSlots).count == 2)
    try engine.advance(to: at(40))
    #expect(engine.drain().map(\.brief) == ["first unsatisfied@40.0 timeout", "second unsatisfied@40.0 timeout"])
  }

  /// A fork and its original continue independently, and the invariants of both still hold.
  @Test func aForkIsAnotherTracker() throws {
    var engine = try MonitorEngine(name: "m")
    try engine.add(circle(100), identifier: "c", policy: .exact)
    try engine.feed(fix(1, 500))
    var fork = engine.fork()
    try fork.feed(fix(2, 0))
    #expect(fork.state(of: "c") == .satisfied)
    #expect(engine.state(of: "c") == .unsatisfied)
    #expect(engine.tracker.clock == at(1).microseconds)
    try fork.checkInvariants()
    try engine.checkInvariants()
  }
}
