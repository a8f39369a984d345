import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ExplanationTests {
  @Test func numbersAreThoseOfTheHeader() {
    let reasons = Explanation.Reason.allCases
    #expect(reasons.map(\.rawValue) == Array(1...16))
    #expect(
      reasons.map { "\($0.name)" } == [
        "unmonitored", "suspended", "scanner_off", "no_fix_yet", "too_coarse", "dwelling", "within_margin", "inside",
        "outside", "not_seen_yet", "seen", "absent", "uncertain", "inactive", "no_height", "parts",
      ])
  }

  @Test func allFieldsOfACircle() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "c")
    #expect(engine.explain("nope") == nil)
    var why = try #require(engine.explain("c"))
    #expect(why.reason == .noFixYet && why.observed == .unknown)
    #expect(why.boundaryDistance == nil && why.accuracy == nil && why.entryMargin == nil && why.deadline == nil)
    try engine.feed(fix(0, 0))
    try engine.feed(fix(10, 130, 7))
    why = try #require(engine.explain("c"))
    #expect(why.reason == .dwelling && why.observed == .satisfied)
    #expect(abs(why.boundaryDistance! - 30) < 1e-7 && why.accuracy == 7)
    #expect(why.entryMargin == 20 && why.exitMargin == 20)
    #expect(why.candidateStart == at(10) && why.deadline == at(30) && why.secondsToDecide == 20)
    #expect(why.metresToDecide == nil && why.accuracyNeeded == nil)
    try engine.advance(to: at(25.5))
    #expect(engine.explain("c")?.secondsToDecide == 4.5)
    try engine.advance(to: at(30))
    why = try #require(engine.explain("c"))
    #expect(why.reason == .outside && why.observed == .unsatisfied && why.candidateStart == nil)
    #expect(abs(why.metresToDecide! - 50) < 1e-7)
  }

  @Test func lateEvidenceCountsBelowZero() throws {
    var engine = try MonitorEngine()
    try engine.add(circle(100), identifier: "c", policy: TransitionPolicy(dwellPolicy: .evidence))
    try engine.feed([fix(0, 0), fix(10, 130)])
    try engine.advance(to: at(100))
    #expect(engine.explain("c")?.reason == .dwelling)
    #expect(engine.explain("c")?.secondsToDecide == -70)
  }

  @Test func allFieldsOfABeacon() throws {
    var engine = try MonitorEngine()
    try engine.add(BeaconIdentityCondition(uuid: someUUID), identifier: "b")
    #expect(engine.explain("b")?.reason == .notSeenYet)
    #expect(engine.explain("b")?.secondsToDecide == nil)  // the time of the decision is unknown
    try engine.feed([BeaconSighting(uuid: someUUID, major: 1, minor: 2)], at: at(5))
    try engine.advance(to: at(6))
    var why = try #require(engine.explain("b"))
    #expect(why.reason == .seen && why.observed == .satisfied)
    #expect(why.lastSighting == at(5) && why.deadline == at(35) && why.secondsToDecide == 29)
    #expect(why.boundaryDistance == nil && why.entryMargin == nil)
    try engine.setScanning(false, at: at(7))
    why = try #require(engine.explain("b"))
    #expect(why.reason == .scannerOff && why.observed == .unknown && why.deadline == nil)
  }

  @Test func aTooCoarseFixFromBeforeTheAddCounts() throws {
    var engine = try MonitorEngine()
    try engine.feed(fix(0, 40, 800))
    try engine.add(circle(100), identifier: "c")
    #expect(engine.explain("c")?.reason == .tooCoarse)
    try engine.setHostCapabilities(.authorizationDenied, at: at(1))
    #expect(engine.explain("c")?.reason == .suspended)
    #expect(engine.explain("c")?.diagnostics == .authorizationDenied)
    try engine.setHostCapabilities([], at: at(2))
    #expect(engine.explain("c")?.reason == .noFixYet)
  }

  /// The promises of an explanation hold. A fix beyond the stated distance decides the state, and a nearer fix does
  /// not; a fix with the stated accuracy decides the state, and a less accurate fix does not.
  @Test func promisesAreKept() throws {
    var random = SeededGenerator("ExplanationTests")
    var counts: [Explanation.Reason: Int] = [:]
    for round in 0..<3_000 {
      var policy: TransitionPolicy = [.standard, .coreLocation, .exact][round % 3]
      if random.chance(0.5) {
        policy = TransitionPolicy(
          entryMargin: random.uniform(0...60), exitMargin: random.uniform(0...60),
          accuracyFactor: [0, 0.5, 1, 2][random.integer(0...3)])
      }
      let radius = random.logarithmic(20, 2_000)
      var engine = try MonitorEngine()
      try engine.add(circle(radius), identifier: "c", policy: policy)
      if random.chance(0.8) { try engine.feed(fix(0, random.chance(0.5) ? 0 : radius * 3)) }
      let last = fix(100, random.uniform(0...radius * 2), [0, 5, 30, 80, 150, 900][random.integer(0...5)])
      try engine.feed(last)
      let why = try #require(engine.explain("c"))
      counts[why.reason, default: 0] += 1
      let distance = radius + (try #require(why.boundaryDistance))
      if let metres = why.metresToDecide {
        // The device moves outwards from inside, or inwards from outside.
        let sign: Double = why.observed == .satisfied ? 1 : -1
        if policy.isTooCoarse(size: radius, accuracy: last.accuracy), sign < 0 { continue }
        for (offset, decides) in [(1e-3, true), (-1e-3, false)] {
          let there = distance + sign * (metres + offset)
          guard there >= 0 else { continue }
          #expect(try opens(engine, fix(101, there, last.accuracy)) == decides, "\(why) \(policy) r=\(radius)")
        }
      }
      if let needed = why.accuracyNeeded {
        for (factor, decides) in [(1 - 1e-9, true), (1 + 1e-6, false)] {
          #expect(
            try opens(engine, fix(101, distance, needed * factor)) == decides, "\(why) \(policy) r=\(radius)")
        }
      }
    }
    #expect(Set(counts.keys).isSuperset(of: [.inside, .outside, .withinMargin, .tooCoarse, .dwelling]))
  }

  /// True if a fix determines the circle's state, opens a candidate or confirms a crossing.
  private func opens(_ engine: MonitorEngine, _ fix: Fix) throws -> Bool {
    var engine = engine
    let before = engine.explain("c")
    try engine.feed(fix)
    let after = engine.explain("c")
    return after?.candidateStart != before?.candidateStart || after?.observed != before?.observed
  }
}
