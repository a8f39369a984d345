import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the effect of wrong times on a fleet, and the limits that protect a fleet against wrong times.
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

  /// Without an arrival time, an advance may be later than the previous advance or the latest device clock by at most
  /// the largest time step.
  @Test func aWrongAdvanceIsRefused() throws {
    var fleet = try FleetEngine(try zones(), options: FleetOptions(maxTimeStepMicroseconds: 3_600_000_000))
    let device = try fleet.device("a")
    try fleet.advance(to: at(-1e9))  // maxTimeStepMicroseconds does not limit the first advance of a fleet
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
    // Without a limit for time steps, a fleet accepts any time, as in earlier versions.
    var unbounded = try FleetEngine(try zones())
    try unbounded.advance(to: at(1))
    try unbounded.advance(to: at(3_453_148_800))
    try fleet.checkInvariants()
  }

  /// With an arrival time, an advance or a device's first input may be later than the arrival time by at most the
  /// largest time step. A device that was silent for longer than that step may continue at the current time.
  @Test func theArrivalTimeBoundsFirstInputs() throws {
    var fleet = try FleetEngine(try zones(), options: FleetOptions(maxTimeStepMicroseconds: 60_000_000))
    let ahead = try fleet.device("ahead")
    let silent = try fleet.device("silent")
    #expect(throws: MonitorError.self) { try fleet.setArrivalTime(Timestamp(microseconds: .max)) }
    #expect(fleet.arrivalTime == nil)
    try fleet.setArrivalTime(at(1_000))
    try fleet.feed(fix(990, 0), for: silent)
    #expect(isAhead { try fleet.feed(fix(1_060.000001, 0), for: ahead) })
    #expect(isAhead { try fleet.feed([], at: at(1_061), for: ahead) })
    #expect(isAhead { try fleet.advance(to: at(1_061)) })
    try fleet.setArrivalTime(at(90_000))
    try fleet.feed(fix(90_001, 0), for: silent)
    try fleet.advance(to: at(90_000))
    try fleet.setArrivalTime(at(1_000))  // a host's clock may be set back
    #expect(isAhead { try fleet.advance(to: at(90_061)) })
    #expect(try fleet.statistics(of: ahead).aheadInputs == 2)
    try fleet.checkInvariants()
  }

  /// Expiry by arrival removes a quiet device whose clock is far ahead, and keeps an active device whose clock is 1 024
  /// weeks behind.
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
      // A refused fix does not count as an arrival.
      #expect(throws: MonitorError.self) { try fleet.feed(fix(now + Double(day) * 86_400, 0), for: devices[1]) }
      try fleet.feed(fix(now + Double(day) * 86_400 - 1_024 * 604_800, 0), for: devices[2])
    }
    // With event times instead of arrival times, the device whose clock is behind would always expire, and the device
    // whose clock is ahead would never expire.
    #expect(fleet.devices(quietSince: at(now + 10 * 86_400)) == [devices[0], devices[2]])
    #expect(try fleet.expire(arrivedBefore: at(now)) == [])
    var restored = try FleetEngine(restoring: fleet.snapshot())
    #expect(restored.snapshot() == fleet.snapshot())
    #expect(restored.arrivalTime == at(now + 40 * 86_400))
    // A snapshot does not contain devices that have no inputs.
    for (var each, expected) in [(fleet, ["before", "ahead", "never"]), (restored, ["before", "ahead"])] {
      let gone = try each.expire(arrivedBefore: at(now + 10 * 86_400))
      #expect(gone.map { each.identifier(of: $0) } == expected)
      #expect(try each.expire(arrivedBefore: at(now + 40 * 86_400)) == [])
      #expect(each.number(of: "behind") == devices[2])
      try each.checkInvariants()
    }
    // A device that is added again after it expired is a new device.
    _ = try restored.expire(arrivedBefore: at(now + 10 * 86_400))
    let again = try restored.device("ahead")
    try restored.feed(fix(now + 40 * 86_400, 0), for: again)
    #expect(try restored.statistics(of: again).acceptedFixes == 1)
  }

  /// The snapshot of a fleet without arrival times can be read by version 0.2.
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

  /// A store saves the arrival times of devices, even if only changes were saved before a crash.
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

  // MARK: - Rewinding

  /// Makes a fleet with a device inside, a device outside and a device without inputs, then advances the fleet far
  /// ahead and rewinds it.
  private func rewound(_ policy: TransitionPolicy = .exact) throws -> (
    fleet: FleetEngine, inside: UInt64, outside: UInt64, idle: UInt64
  ) {
    var fleet = try FleetEngine(try zones(policy))
    let devices = try ["inside", "outside", "idle"].map { try fleet.device($0) }
    try fleet.feed(fix(1, 0), for: devices[0])
    try fleet.feed(fix(1, 500), for: devices[1])
    #expect(fleet.nextEvent()?.event.brief == "home satisfied@1.0 determination")
    fleet.acknowledge()
    try fleet.advance(to: at(3_453_148_800))
    for device in devices { #expect(throws: MonitorError.self) { try fleet.feed(fix(2, 0), for: device) } }
    try fleet.rewind(to: at(2))
    #expect(fleet.currentTime == at(2))
    try fleet.checkInvariants()
    return (fleet, devices[0], devices[1], devices[2])
  }

  /// A rewind undoes a wrong advance: no event is repeated, and no change is missed.
  @Test func aWrongAdvanceIsTakenBack() throws {
    let (original, inside, outside, idle) = try rewound()
    for number in 0..<3 {
      var fleet = original
      if number == 1 { fleet = try FleetEngine(restoring: original.snapshot()) }
      if number == 2 {  // the third fleet gets the devices as portable bytes
        let bytes = try original.export([inside, outside], portable: true)
        fleet = try FleetEngine(original.conditions)
        try fleet.load([("inside", bytes[0]), ("outside", bytes[1])], adapt: true)
      }
      #expect(try fleet.state(of: "home", for: inside) == .unknown)
      #expect(try fleet.inside(inside) == [])
      let copy = fleet
      // If the fixes agree with the reported states, there is no event, and the first device counts as inside since the
      // reported time.
      try fleet.feed(fix(3, 0), for: inside)
      try fleet.feed(fix(3, 500), for: outside)
      #expect(fleet.nextEvent() == nil)
      #expect(try fleet.inside(inside).map(\.since) == [at(1)])
      #expect(try fleet.state(of: "home", for: outside) == .unsatisfied)
      try fleet.checkInvariants()
      // If the fixes contradict the reported states, each device gets a determination event, even the device that is
      // now far away.
      fleet = copy
      try fleet.feed(fix(3, 90_000), for: inside)
      try fleet.feed(fix(3, 0), for: outside)
      #expect(fleet.nextEvent()?.event.brief == "home unsatisfied@3.0 determination")
      #expect(fleet.nextEvent()?.event.brief == "home satisfied@3.0 determination")
      #expect(fleet.nextEvent() == nil)
      try fleet.checkInvariants()
    }
    var fleet = original
    try fleet.feed(fix(2, 0), for: idle)
    #expect(fleet.nextEvent()?.event.brief == "home satisfied@2.0 determination")
  }

  /// The last reported state of a condition is not forgotten when a fix is too coarse, or when the device is rewound a
  /// second time.
  @Test func coarseFixesBetweenRewinds() throws {
    var (fleet, inside, _, _) = try rewound(.standard)
    try fleet.feed(fix(3, 0, 5_000), for: inside)
    #expect(try fleet.state(of: "home", for: inside) == .unknown)
    try fleet.rewind(to: at(2.5), for: inside)
    try fleet.feed(fix(3, 0, 5_000), for: inside)
    try fleet.checkInvariants()
    fleet = try FleetEngine(restoring: fleet.snapshot())
    try fleet.feed(fix(4, 0), for: inside)
    #expect(fleet.nextEvent() == nil)
    try fleet.feed(fix(5, 500), for: inside)
    try fleet.advance(to: at(30))
    #expect(fleet.nextEvent()?.event.brief == "home unsatisfied@25.0 crossing")
  }

  @Test func whatARewindRefuses() throws {
    var fleet = try FleetEngine(try zones())
    let device = try fleet.device("a")
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(0)) }
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(0), for: device) }
    try fleet.advance(to: at(10))
    try fleet.feed(fix(20, 0), for: device)
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(20.5)) }
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(20.5), for: device) }
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(9), for: device) }  // before the fleet's time
    #expect(throws: MonitorError.self) { try fleet.rewind(to: Timestamp(microseconds: .min)) }
    #expect(throws: MonitorError.self) { try fleet.rewind(to: at(0), for: 7) }
    #expect(try fleet.statistics(of: device).inputCount == 4)
    #expect(try fleet.statistics(of: device).clock == at(20))
    try fleet.rewind(to: at(15))
    #expect(try fleet.statistics(of: device).clock == at(15) && fleet.currentTime == at(10))
    try fleet.rewind(to: at(5))
    #expect(try fleet.statistics(of: device).clock == at(5) && fleet.currentTime == at(5))
  }

  /// After a crash, the fleet's clock is at the time of the rewind, whatever was saved before.
  @Test(arguments: [Durability.changes, .everyInput, .relaxed(interval: 60_000_000)])
  func aStoreKeepsARewind(_ durability: Durability) throws {
    let storage = MemoryFleetStorage()
    var fleet = try StoredFleet(try zones(), options: FleetOptions(), storage: storage, durability: durability)
    let device = try fleet.call { engine throws(MonitorError) in
      let device = try engine.device("a")
      try engine.feed(fix(1, 0), for: device)
      try engine.advance(to: at(3_453_148_800))
      return device
    }
    try fleet.checkpoint()
    try fleet.call { engine throws(MonitorError) in try engine.rewind(to: at(2)) }
    let crashed = MemoryFleetStorage()
    crashed.rows = storage.rows
    var again = try StoredFleet(Conditions(), options: FleetOptions(), storage: crashed, durability: durability)
    try again.call { engine throws(MonitorError) in
      #expect(engine.currentTime == at(2))
      try engine.feed(fix(3, 0), for: device)
      #expect(engine.nextEvent()?.event.brief == "home satisfied@1.0 determination")
      #expect(engine.nextEvent() == nil)
    }
    // After a rewind, the store is still saved at intervals of event time.
    let writes = storage.writes
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(3, 0), for: device) }
    try fleet.call { engine throws(MonitorError) in try engine.feed(fix(70, 500), for: device) }
    #expect(storage.writes > writes)
  }

  // MARK: - Devices that are added after an advance

  /// A table of three beacons whose absence is an event.
  private func announced() throws -> Conditions {
    let zones = try zones()
    for number in 1...3 {
      try zones.add(
        BeaconIdentityCondition(uuid: someUUID, major: UInt16(number)), identifier: "tag \(number)", assuming: .unknown)
    }
    return zones
  }

  /// Overdue events of a new device are delivered with its first row, not before the rows of other devices.
  @Test func overdueEventsComeWithTheFirstRow() throws {
    var fleet = try FleetEngine(try announced())
    let one = try fleet.device("one")
    try fleet.advance(to: at(0))
    try fleet.advance(to: at(100))
    while fleet.nextEvent() != nil {}
    let new = try fleet.device("new")
    #expect(!fleet.hasEvents)
    #expect(try fleet.state(of: "tag 2", for: new) == .unsatisfied)
    #expect(fleet.nextDeadline() == at(100))
    try fleet.feed([(one, fix(101, 0)), (one, fix(102, 500)), (new, fix(103, 0))])
    let events = (0..<6).compactMap { _ in fleet.nextEvent() }
    #expect(events.map(\.device) == [one, one, new, new, new, new])
    #expect(events.map(\.row) == [0, 1, 2, 2, 2, 2])
    #expect(
      events.suffix(4).map(\.event.brief)
        == (1...3).map { "tag \($0) unsatisfied@30.0 timeout" } + ["home satisfied@103.0 determination"])
    #expect(fleet.nextEvent() == nil)
    // For a new device without rows, the next advance creates the overdue events.
    _ = try fleet.device("newer")
    try fleet.advance(to: at(104))
    #expect(fleet.statistics.pendingEvents == 3)
    try fleet.checkInvariants()
  }

  /// The fleet accepts new devices while no event is pending, even if a new device creates more events than the queue
  /// can hold.
  @Test func aShortQueueTakesNewDevices() async throws {
    let fleet = try Fleet(try announced(), options: FleetOptions(maxPendingEvents: 2))
    try await fleet.advance(to: at(0))
    try await fleet.advance(to: at(100))
    try await fleet.feed(fix(101, 500), for: "a")
    #expect(await fleet.nextEvents(10).count == 3)
    try await fleet.feed(fix(102, 500), for: "b")
    #expect(await fleet.deviceCount == 2)
  }
}
