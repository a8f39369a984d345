import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
  private func life(_ number: Int, steps count: Int = 80) throws -> (MonitorEngine, RandomLife) {
    var steps = RandomLife("lives to save", number)
    var engine = try MonitorEngine(name: "m", options: steps.options())
    for _ in 0..<count { _ = steps.step().play(&engine) }
    return (engine, steps)
  }

  /// A restored monitor equals the original: both have the same snapshot, and both give the same events from then on.
  @Test func restoredGoesOnAsTheOriginal() throws {
    for number in 0..<200 {
      let name = "restored \(number)"
      var (engine, steps) = try life(number)
      engine.abandon()
      let snapshot = engine.snapshot()
      var restored = try MonitorEngine(restoring: snapshot)
      #expect(restored.snapshot() == snapshot, "\(name)")
      #expect(restored.name == engine.name)
      #expect(restored.options == engine.options)
      #expect(restored.statistics == engine.statistics)
      #expect(restored.identifiers == engine.identifiers)
      for identifier in engine.identifiers {
        #expect(restored.record(for: identifier)?.lastEvent == engine.record(for: identifier)?.lastEvent)
        #expect(restored.explain(identifier) == engine.explain(identifier))
      }
      for index in 0..<80 {
        let step = steps.step()
        let expected = step.play(&engine)
        #expect(step.play(&restored) == expected, "\(name), step \(index): \(step)")
      }
      #expect(restored.snapshot() == engine.snapshot(), "\(name), at the end")
    }
  }

  /// The random lives have rules that other rules contain, rules that wait for their dwell, and shapes that a height
  /// decides.
  @Test func livesHaveAllKindsOfConditions() throws {
    var found: [String: Int] = [:]
    func count(_ name: String, _ holds: Bool) { if holds { found[name, default: 0] += 1 } }
    for number in 0..<300 {
      var steps = RandomLife("lives to save", number)
      var engine = try MonitorEngine(name: "m", options: steps.options())
      for _ in 0..<120 {
        _ = steps.step().play(&engine)
        let table = engine.table
        for slot in table.live {
          let kind = table.kind(of: slot)
          guard kind.isRule || kind.isGeographic else { continue }
          let isKnown = engine.tracker.observed(slot, table) != .undetermined
          if kind.isRule {
            count("rule, known", isKnown)
            count("rule in a rule", table.rules?.part(in: slot) != nil)
            count("rule, candidate", engine.tracker.ruleCandidate(of: slot, table) != nil)
          } else {
            count("band, known", isKnown && table.band(of: slot) != nil)
            count("band, candidate", engine.tracker.candidate(of: slot) != nil && table.band(of: slot) != nil)
          }
          let entry = engine.lastEntry(of: slot)
          count("rule, event", entry.decidedBy != 0)
          count("band, event", !entry.verticalDistance.isNaN)
        }
      }
    }
    for name in [
      "rule, known", "rule in a rule", "rule, candidate", "rule, event", "band, known", "band, candidate",
      "band, event",
    ] {
      #expect(found[name, default: 0] > 20, "\(name): \(found[name, default: 0])")
    }
  }

  @Test func emptyMonitor() throws {
    let engine = MonitorEngine.unnamed
    #expect(try MonitorEngine(restoring: engine.snapshot()).name == nil)
  }

  // MARK: - Invalid bytes

  @Test func everyChangedBitIsRefused() throws {
    let (engine, _) = try life(1, steps: 40)
    let snapshot = engine.snapshot()
    for index in snapshot.indices {
      for bit in 0..<8 where (index + bit) % 3 == 0 {
        var damaged = snapshot
        damaged[index] ^= 1 << UInt8(bit)
        #expect(throws: MonitorError.self) { try MonitorEngine(restoring: damaged) }
      }
    }
  }

  @Test func everyLengthIsRefused() throws {
    let (engine, _) = try life(2, steps: 40)
    let snapshot = engine.snapshot()
    for length in 0..<snapshot.count {
      #expect(throws: MonitorError.self) { try MonitorEngine(restoring: Array(snapshot[..<length])) }
    }
    #expect(throws: MonitorError.self) { try MonitorEngine(restoring: snapshot + [0]) }
  }

  @Test func messagesTellWhatIsWrong() throws {
    let snapshot = try life(3, steps: 20).0.snapshot()
    func message(_ bytes: [UInt8]) -> String {
      do throws(MonitorError) {
        _ = try MonitorEngine(restoring: bytes)
        return "restored"
      } catch { return "\(error)" }
    }
    #expect(message([]) == "these 0 bytes are not a snapshot of a monitor")
    #expect(message(Array("{\"json\": true, \"long\": 1}".utf8)) == "these 25 bytes are not a snapshot of a monitor")
    var newer = snapshot
    newer[8] = 3
    #expect(message(newer) == "the snapshot has format 3, from a newer version; this one reads formats up to 2")
    let short = Array(snapshot.dropLast(5))
    #expect(
      message(short) == "the snapshot is damaged or cut off: the checksum of its \(short.count) bytes is wrong")
  }

  /// Tests that altered bytes with a correct checksum are either refused or give a monitor that never crashes.
  @Test func hostileContents() throws {
    var random = SeededGenerator("hostile contents")
    var refused = 0
    for number in 0..<60 {
      let (engine, origin) = try life(number, steps: 60)
      let snapshot = engine.snapshot()
      for _ in 0..<60 {
        var bytes = snapshot
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: 12..<(bytes.count - 8), using: &random)
          bytes[index] =
            Bool.random(using: &random)
            ? .random(in: 0...255, using: &random) : [0, 1, 127, 255].randomElement(using: &random) ?? 0
        }
        var sum = Checksum()
        bytes.dropLast(8).withUnsafeBytes { sum.add($0) }
        withUnsafeBytes(of: sum.value.littleEndian) { bytes.replaceSubrange((bytes.count - 8)..., with: $0) }
        guard var restored = try? MonitorEngine(restoring: bytes) else {
          refused += 1
          continue
        }
        var steps = origin
        for _ in 0..<40 { _ = steps.step().play(&restored) }
        _ = restored.snapshot()
        for identifier in restored.identifiers { _ = restored.explain(identifier) }
      }
    }
    #expect(refused > 500)
  }
}
