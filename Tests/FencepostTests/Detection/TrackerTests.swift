import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TrackerTests {
  /// What is suspended is not decided, also when the way of a fix gets as far as the undetermined circles: with a kind of
  /// circle that is evaluated beside one that is not, it does.
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

  /// A fork and its origin go on independently, and what each part says of itself stays true.
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
