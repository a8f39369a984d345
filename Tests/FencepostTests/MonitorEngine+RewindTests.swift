import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests how a rewind acts between random calls. A rewind keeps the pending events and those already handed out, and
/// makes all states undetermined; a monitor restored from the rewound monitor's snapshot behaves like a fork of the
/// rewound monitor.
@Suite struct RewindTests {
  @Test(arguments: 0..<30)
  func keepsWhatWasTold(_ number: Int) throws {
    var life = RandomLife("rewind", number)
    // A rewind over the end of a schedule removes the flag `scheduleEnded`, which is an event: the only one.
    life.hasScheduleEnds = false
    var random = SeededGenerator("rewind, steps between", salt: UInt64(number))
    var engine = try MonitorEngine(options: life.options())
    for round in 0..<40 {
      for _ in 0..<Int.random(in: 1...12, using: &random) { _ = life.step().play(&engine) }
      guard let clock = engine.currentTime else { continue }
      let before = engine.statistics
      let records = self.records(of: engine)
      var waiting = engine
      waiting.abandon()
      let told = waiting.options.delivery == .every ? waiting.drain() : []

      let time = Timestamp(microseconds: clock.microseconds - Int64(round) * 1_000_000)
      try engine.rewind(to: time)
      try checkInvariants(of: engine, "round \(round)")
      #expect(engine.currentTime == time)
      #expect(engine.statistics.pendingEvents == before.pendingEvents)
      #expect(engine.statistics.handedOutEvents == before.handedOutEvents)
      #expect(engine.statistics.inputCount == before.inputCount + 1)
      #expect(self.records(of: engine) == records)
      #expect(engine.identifiers(in: .unknown) == engine.identifiers)
      var after = engine
      after.abandon()
      if after.options.delivery == .every { #expect(after.drain() == told) }

      var restored = try MonitorEngine(restoring: engine.snapshot())
      var fork = engine.fork()
      #expect(restored.snapshot() == fork.snapshot())
      var other = life
      for _ in 0..<10 {
        let step = other.step()
        #expect(step.play(&restored) == step.play(&fork), "\(step)")
      }
      #expect(restored.snapshot() == fork.snapshot())
    }
  }

  /// The last event of each record, without the flag `inactive`. The first record of a condition has the present flags,
  /// and `inactive` follows the clock.
  private func records(of engine: MonitorEngine) -> [Event?] {
    engine.identifiers.map { identifier in
      var event = engine.record(for: identifier)?.lastEvent
      event?.diagnostics.remove(.inactive)
      return event
    }
  }

  /// If a batch contains inputs with wrong times, the limit refuses these inputs, and the events do not change.
  @Test func aLimitIgnoresWrongDates() throws {
    let drive = (0..<200).map { fix(Double($0), $0 / 20 % 2 == 0 ? 0 : 400) }
    var clean = try MonitorEngine(options: MonitorOptions(maxTimeStepMicroseconds: 60_000_000))
    try clean.add(circle(100), identifier: "c", policy: .exact)
    var disturbed = clean
    try clean.feed(drive)
    for (index, each) in drive.enumerated() {
      try disturbed.feed([each])
      if index % 10 == 3 { #expect(try disturbed.feed([fix(3_453_148_800, 400)]).late == 1) }
    }
    #expect(disturbed.statistics.aheadInputs == 20)
    #expect(disturbed.drain() == clean.drain())
  }
}
