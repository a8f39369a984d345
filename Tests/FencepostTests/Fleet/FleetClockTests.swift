import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// What wrong dates do to a fleet, and what bounds them.
@Suite struct FleetClockTests {
  private func zones(_ policy: TransitionPolicy = .exact) throws -> Conditions {
    let zones = Conditions()
    try zones.add(circle(100), identifier: "home", policy: policy)
    return zones
  }

  private func isAhead(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch MonitorError.aheadOfClock {
      return true
    } catch {
      return false
    }
  }

  /// Without an arrival time an advance is bounded by the last one, and by the devices' clocks.
  @Test func aWrongAdvanceIsRefused() throws {
    var fleet = try FleetEngine(try zones(), options: FleetOptions(maxTimeStepMicroseconds: 3_600_000_000))
    let device = try fleet.device("a")
    try fleet.advance(to: at(-1e9))  // the first time of a fleet has nothing to be measured by
    try fleet.advance(to: at(0), force: true)
    try fleet.feed(fix(3_000, 0), for: device)
    #expect(isAhead { try fleet.advance(to: at(6_600.000001)) })
    #expect(fleet.currentTime == at(0))
    #expect(fleet.statistics.aheadInputs == 1)
    try fleet.feed(fix(3_001, 0), for: device)
    try fleet.advance(to: at(6_601))
    try fleet.feed(fix(6_601, 500), for: device)
    #expect(isAhead { try fleet.advance(to: at(3_453_148_800)) })
    try fleet.advance(to: at(3_453_148_800), force: true)
    #expect(fleet.currentTime == at(3_453_148_800))
    // One without the option takes any time, as before.
    var unbounded = try FleetEngine(try zones())
    try unbounded.advance(to: at(1))
    try unbounded.advance(to: at(3_453_148_800))
    try fleet.checkInvariants()
  }

  /// An arrival time bounds a first input and an advance, and lets a device that was silent go on at the present.
  @Test func theArrivalTimeBoundsFirstInputs() throws {
    var fleet = try FleetEngine(try zones(), options: FleetOptions(maxTimeStepMicroseconds: 60_000_000))
    let ahead = try fleet.device("ahead")
    let silent = try fleet.device("silent")
    #expect(throws: MonitorError.self) { try fleet.setArrivalTime(Timestamp(microseconds: .max)) }
    #expect(fleet.arrivalTime == nil)
    try fleet.setArrivalTime(at(1_000))
    try fleet.feed(fix(990, 0), for: silent)
    #expect(isAhead { try fleet.feed(fix(1_060.000001, 0), for: ahead) })
    #expect(isAhead { try fleet.see([], at: at(1_061), for: ahead) })
    #expect(isAhead { try fleet.advance(to: at(1_061)) })
    try fleet.setArrivalTime(at(90_000))
    try fleet.feed(fix(90_001, 0), for: silent)
    try fleet.advance(to: at(90_000))
    try fleet.setArrivalTime(at(1_000))  // a host's clock may go back
    #expect(isAhead { try fleet.advance(to: at(90_061)) })
    #expect(try fleet.statistics(of: ahead).aheadInputs == 2)
    try fleet.checkInvariants()
  }

  /// Expiry by arrival sees a device whose clock is far ahead, and keeps one whose clock is 1 024 weeks behind.
  @Test func devicesExpireByArrival() throws {
    var fleet = try FleetEngine(try zones())
    let names = ["before", "ahead", "behind", "never"]
    let now = 1_700_000_000.0
    var devices = [try fleet.device(names[0])]
    #expect(throws: MonitorError.self) { try fleet.expire(arrivedBefore: at(now)) }
    try fleet.feed(fix(now, 0), for: devices[0])
    try fleet.setArrivalTime(at(now))
    devices += try names.dropFirst().map { try fleet.device($0) }
    try fleet.feed(fix(now + 1e9, 0), for: devices[1])
    try fleet.feed(fix(now - 1_024 * 604_800, 0), for: devices[2])
    for day in 1...40 {
      try fleet.setArrivalTime(at(now + Double(day) * 86_400))
      // What is refused does not count as heard.
      #expect(throws: MonitorError.self) { try fleet.feed(fix(now + Double(day) * 86_400, 0), for: devices[1]) }
      try fleet.feed(fix(now + Double(day) * 86_400 - 1_024 * 604_800, 0), for: devices[2])
    }
    // By its own clock the device behind would go each time, and the one ahead never.
    #expect(fleet.devices(quietSince: at(now + 10 * 86_400)) == [devices[0], devices[2]])
    #expect(try fleet.expire(arrivedBefore: at(now)) == [])
    var restored = try FleetEngine(restoring: fleet.snapshot())
    #expect(restored.snapshot() == fleet.snapshot())
    #expect(restored.arrivalTime == at(now + 40 * 86_400))
    // A device that was given nothing is in no snapshot.
    for (var each, expected) in [(fleet, ["before", "ahead", "never"]), (restored, ["before", "ahead"])] {
      let gone = try each.expire(arrivedBefore: at(now + 10 * 86_400))
      #expect(gone.map { each.identifier(of: $0) } == expected)
      #expect(try each.expire(arrivedBefore: at(now + 40 * 86_400)) == [])
      #expect(each.number(of: "behind") == devices[2])
      try each.checkInvariants()
    }
    // One that returns is a new device.
    _ = try restored.expire(arrivedBefore: at(now + 10 * 86_400))
    let again = try restored.device("ahead")
    try restored.feed(fix(now + 40 * 86_400, 0), for: again)
    #expect(try restored.statistics(of: again).acceptedFixes == 1)
  }

  /// A snapshot of a fleet that never had an arrival time is as version 0.2 reads it.
  @Test func theFirstFormatStays() throws {
    var fleet = try FleetEngine(try zones())
    let device = try fleet.device("a")
    try fleet.feed(fix(1, 0), for: device)
    let first = fleet.snapshot()
    try fleet.setArrivalTime(at(5))
    let second = try FleetEngine(restoring: fleet.snapshot())
    #expect(second.rowFormat == 2)
    #expect(try FleetEngine(restoring: first).rowFormat == 1)
    #expect(second.snapshot() == fleet.snapshot())
  }

  /// A store keeps when devices arrived, also when only what changed was saved before a crash.
  @Test func aStoreKeepsArrivals() throws {
    let storage = MemoryFleetStorage()
    var fleet = try StoredFleet(try zones(), options: FleetOptions(), storage: storage)
    try fleet.call { engine throws(MonitorError) in
      try engine.setArrivalTime(at(100))
      let device = try engine.device("a")
      try engine.feed(fix(1, 0), for: device)
    }
    try fleet.call { engine throws(MonitorError) in
      try engine.setArrivalTime(at(200))
      try engine.feed(fix(1, 0), for: try engine.device("b"))
    }
    let crashed = MemoryFleetStorage()
    crashed.rows = storage.rows
    var again = try StoredFleet(Conditions(), options: FleetOptions(), storage: crashed)
    try again.call { engine throws(MonitorError) in
      let gone = try engine.expire(arrivedBefore: at(150))
      #expect(gone.map { engine.identifier(of: $0) } == ["a"])
      #expect(engine.number(of: "b") != nil)
    }
  }
}
