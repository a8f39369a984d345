import Foundation
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Replaces each number in the bytes of snapshots, rows and exported devices with numbers near the end of their range,
/// and corrects the checksum. The bytes are refused as damaged, or later inputs never trap, and none of them needs
/// long.
///
/// Every position of the bytes is tried as the start of a number, so that a counter which is added later is tried too.
@Suite(.timeLimit(.minutes(10))) struct HostileCounterTests {
  // MARK: - Monitors

  /// A monitor whose rows contain all kinds of counters: waiting events, events in flight, candidates, conditions that
  /// wait for a place, timings, rules, bands, doubted fixes.
  private func monitor(_ delivery: MonitorOptions.Delivery) throws -> MonitorEngine {
    var engine = try MonitorEngine(
      name: "m",
      options: MonitorOptions(
        delivery: delivery, conditionLimit: 8,
        plausibility: Plausibility(speed: 1_000, corroborationCount: 3, corroborationTimeMicroseconds: 0),
        order: .exitsFirst))
    var timing = ConditionTiming()
    timing.repeatEveryMicroseconds = 5_000_000
    timing.repeatLimit = 1_000
    timing.maxEvents = .max
    timing.absentAfterMicroseconds = 600_000_000
    try engine.add(circle(400), identifier: "repeats", policy: .exact, timing: timing)
    timing = ConditionTiming()
    timing.maxEvents = 3
    timing.schedule = try Schedule([(at(0), at(100)), (at(200), at(300))])
    try engine.add(circle(120), identifier: "hours", policy: .exact, timing: timing)
    timing.schedule = nil
    timing.maxEvents = 1
    try engine.add(circle(130), identifier: "once", policy: .exact, timing: timing)
    var slow = TransitionPolicy.exact
    (slow.entryDwellMicroseconds, slow.exitDwellMicroseconds) = (30_000_000, 30_000_000)
    try engine.add(circle(200), identifier: "slow", policy: slow, tag: 7)
    try engine.add(circle(90), identifier: "band", policy: .exact, band: AltitudeBand(min: 0, max: 50))
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "tag")
    var ruled = slow
    ruled.entryDwellMicroseconds = 0
    try engine.add(Rule.all(["repeats", "tag"]), identifier: "rule", policy: ruled)
    try engine.add(Rule.atLeast(1, of: ["rule", "hours"]), identifier: "outer", policy: .exact)
    try engine.add(circle(300), identifier: "waits for a place", policy: .exact)
    try engine.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: at(10))
    try engine.feed(fix(11, 500), ellipse: nil, height: FixHeight(altitude: 20))
    try engine.feed(fix(12, 10), ellipse: nil, height: FixHeight(altitude: 20))
    _ = engine.poll(limit: 3) { _, _ in }
    try engine.feed(fix(18, 500), ellipse: FixEllipse(major: 10, minor: 5, orientation: 3), height: nil)
    try engine.feed(fix(19, 10), ellipse: nil, height: FixHeight(altitude: 20))
    try engine.feed(fix(26, 150), ellipse: nil, height: FixHeight(altitude: 200))
    try engine.feed(fix(27, 250), ellipse: FixEllipse(major: 10, minor: 5, orientation: 3), height: nil)
    try engine.feed(fix(28, 90_000))
    return engine
  }

  /// Makes calls of all kinds, and handles all events between them.
  private func live(_ engine: inout MonitorEngine) {
    var time = max(engine.clock, at(30).microseconds)
    func next(_ seconds: Int64) -> Timestamp {
      time = min(time &+ seconds * 1_000_000, Timestamp.latest.microseconds)
      return Timestamp(microseconds: time)
    }
    for distance in [10, 500, 10, 500, 150] as [Double] {
      var fix = fix(0, distance)
      fix.time = next(7)
      _ = try? engine.feed(fix, ellipse: nil, height: FixHeight(altitude: distance / 4))
      try? engine.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: next(1))
      _ = engine.poll(limit: 2) { _, _ in }
      engine.acknowledge()
      try? engine.feed(Fix(latitude: 91, longitude: 0, time: next(0)))
      try? engine.feed(Fix(latitude: 1, longitude: 0, time: at(1)))
    }
    try? engine.setScanning(false, at: next(1))
    try? engine.setHostCapabilities(.authorizationDenied, at: next(1))
    try? engine.setHostCapabilities([], at: next(1))
    try? engine.setScanning(true, at: next(1))
    engine.abandon()
    for number in 0..<3 { try? engine.add(circle(40), identifier: "new \(number)", policy: .exact) }
    engine.remove("slow")
    try? engine.add(circle(60), identifier: "hours", policy: .exact)
    try? engine.add(Rule.none(["new 0", "repeats"]), identifier: "rule", policy: .exact)
    try? engine.advance(to: next(100_000))
    _ = engine.drain()
    engine.acknowledge()
    try? engine.rewind(to: at(20))
    time = at(20).microseconds
    for distance in [10, 500] as [Double] {
      try? engine.feed(Fix(coordinate: fix(0, distance).coordinate, time: next(7)))
    }
    try? engine.advance(to: .latest)
    _ = engine.drain()
    engine.acknowledge()
    for identifier in engine.identifiers { _ = engine.explain(identifier) }
    _ = engine.statistics
  }

  /// - Returns: Whether the bytes were accepted.
  private func isAccepted(_ bytes: [UInt8], _ number: UInt64, _ place: String) -> Bool {
    HostileNumbers.isAccepted(bytes, number, place) { bytes throws(MonitorError) in
      var engine = try MonitorEngine(restoring: bytes)
      live(&engine)
      return engine.snapshot()
    }
  }

  @Test(arguments: [MonitorOptions.Delivery.every, .first, .latest])
  func snapshotsOfMonitors(_ delivery: MonitorOptions.Delivery) throws {
    let snapshot = try monitor(delivery).snapshot()
    var (accepted, refused) = (0, 0)
    try HostileNumbers.forEach(snapshot, headLength: 17) { bytes, number, place in
      if isAccepted(bytes, number, place) { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted > 100 && refused > 1_000, "\(accepted) were accepted, \(refused) refused")
  }

  /// Snapshots of version 0.1, in which numbers have a fixed length.
  @Test func snapshotsOfTheFirstFormat() throws {
    let file = packageRoot.appending(path: "Tests/Golden/snapshot-1.bin")
    let snapshot = [UInt8](try Data(contentsOf: file))
    var (accepted, refused) = (0, 0)
    for offset in 12..<(snapshot.count - 16) {
      for number in HostileNumbers.all {
        var bytes = Array(snapshot.dropLast(8))
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
        if isAccepted(HostileNumbers.sealed(bytes), .max, "byte \(offset)") { accepted += 1 } else { refused += 1 }
      }
    }
    #expect(accepted > 100 && refused > 100, "\(accepted) were accepted, \(refused) refused")
  }

  /// In one row, a condition has had all events that it may have, as many as 32 bits can count, while a change still waits
  /// behind an event that is in flight.
  @Test(arguments: [MonitorOptions.Delivery.first, .latest])
  func changesOfExhaustedConditions(_ delivery: MonitorOptions.Delivery) throws {
    var timing = ConditionTiming()
    timing.maxEvents = .max
    var engine = try MonitorEngine(name: "m", options: MonitorOptions(delivery: delivery))
    try engine.add(circle(100), identifier: "home", policy: .exact, timing: timing)
    try engine.feed(fix(1, 500))
    #expect(engine.poll(limit: 1) { _, _ in } == 1)
    try engine.feed(fix(2, 10))
    let snapshot = engine.snapshot()
    var rows = try HostileNumbers.rows(of: snapshot, headLength: 17)
    let index = try #require(rows.firstIndex { $0.table == .states })
    /// Restores the monitor with the state of a timing in its row.
    func restored(events: UInt32, isExhausted: Bool) throws -> MonitorEngine {
      var row = try rows[index].bytes.withRawBytes { bytes throws(Damage) in
        var reader = ByteReader(bytes)
        return try StateRow(slot: 0, generation: rows[index].key, reading: &reader)
      }
      #expect(row.present != nil)
      var state = try #require(row.timed).state
      state.isExhausted = isExhausted
      row.timed = TimedRow(state, events: events)
      var writer = ByteWriter(reserving: 512)
      row.encode(to: &writer)
      rows[index].bytes = Array(writer.bytes)
      return try MonitorEngine(restoring: HostileNumbers.joined(snapshot[..<17], rows))
    }
    var hostile = try restored(events: .max, isExhausted: true)
    #expect(hostile.drain().count >= 1)
    live(&hostile)
    // The last event that the condition may have exhausts it.
    var last = try restored(events: .max - 1, isExhausted: false)
    #expect(last.drain().last?.diagnostics.contains(.exhausted) == true)
    live(&last)
    #expect(throws: MonitorError.self) { try restored(events: .max, isExhausted: false) }
  }

  /// More repeats than the timing allows would all be due in one advance.
  @Test func repeatsThatNobodyAllows() throws {
    let snapshot = try monitor(.every).snapshot()
    var rows = try HostileNumbers.rows(of: snapshot, headLength: 17)
    for index in rows.indices where rows[index].table == .states {
      let slot = UInt32(rows[index].key) - 1
      var row = try rows[index].bytes.withRawBytes { bytes throws(Damage) in
        var reader = ByteReader(bytes)
        return try StateRow(slot: slot, generation: rows[index].key, reading: &reader)
      }
      guard let timed = row.timed, timed.state.nextRepeat != .max else { continue }
      for repeats in [1, 1_000, 1_001, .max] as [UInt32] {
        var state = timed.state
        state.repeatsLeft = repeats
        row.timed = TimedRow(state, events: timed.events)
        var writer = ByteWriter(reserving: 512)
        row.encode(to: &writer)
        rows[index].bytes = Array(writer.bytes)
        let engine = try? MonitorEngine(restoring: HostileNumbers.joined(snapshot[..<17], rows))
        #expect((engine != nil) == (repeats <= 1_000), "\(repeats) repeats")
      }
      return
    }
    Issue.record("no row has a repeat")
  }

  /// The storage of a monitor contains the same rows, without checksums.
  @Test func storedMonitors() throws {
    let snapshot = try monitor(.every).snapshot()
    let rows = try HostileNumbers.rows(of: snapshot, headLength: 17)
    for (index, row) in rows.enumerated() where index < 3 {
      for number in HostileNumbers.all {
        for offset in row.bytes.indices {
          guard let bytes = HostileNumbers.replaced(row.bytes, at: offset, by: number) else { continue }
          let storage = MemoryStorage()
          for (other, row) in rows.enumerated() {
            storage.rows[MemoryStorage.Key(row.table, row.key)] = MemoryStorage.Row(
              generation: row.generation, bytes: other == index ? bytes : row.bytes)
          }
          let options = try monitor(.every).options
          guard var stored = try? StoredEngine(name: "m", options: options, storage: storage) else { continue }
          stored.call { live(&$0) }
          try stored.close()
        }
      }
    }
  }
}
