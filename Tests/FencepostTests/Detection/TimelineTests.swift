import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TimelineTests {
  private func timeline(at time: Timestamp) -> Timeline {
    var timeline = Timeline()
    timeline.move(to: time.microseconds)
    return timeline
  }

  private func takes(_ time: Timestamp, at clock: Timestamp, step: Int64? = nil) -> Bool {
    let takes = timeline(at: clock).takes(
      time, within: MonitorOptions(maxTimeStepMicroseconds: step).plainSteps)
    let refusal: MonitorError?
    do throws(MonitorError) {
      try Admission.check(
        time, isFull: false, limit: 1, clock: clock.microseconds, reference: clock.microseconds,
        longestStep: step ?? .max)
      refusal = nil
    } catch {
      refusal = error
    }
    #expect(takes == (refusal == nil), "the fast comparison accepts what the admission accepts")
    return takes
  }

  @Test func takesWhatIsInOrder() {
    #expect(takes(at(5), at: at(5)))
    #expect(takes(at(6), at: at(5)))
    #expect(!takes(Timestamp(microseconds: at(5).microseconds - 1), at: at(5)))
    #expect(takes(.latest, at: .earliest))
    #expect(!takes(.earliest, at: .latest))
    #expect(takes(.latest, at: .latest))
  }

  @Test func takesNothingBeforeAnyTimeIsKnown() {
    #expect(!Timeline().takes(at(5), within: .max))
  }

  @Test func stepsEndWhereTheOptionSays() {
    #expect(takes(Timestamp(microseconds: at(5).microseconds + 7), at: at(5), step: 7))
    #expect(!takes(Timestamp(microseconds: at(5).microseconds + 8), at: at(5), step: 7))
    #expect(!takes(.latest, at: .earliest, step: 7))
    #expect(!takes(at(4), at: at(5), step: TransitionPolicy.longestDuration))
  }

  /// Tests that each time in a batch is checked as if its fix were fed alone, also among invalid times.
  @Test func aBatchRefusesStrangeTimesAsSingleFixesDo() throws {
    let strange: [Int64] = [
      .min, .min + 1, .max, .max - 1, Timestamp.earliest.microseconds - 1, Timestamp.latest.microseconds + 1, 0,
      at(1).microseconds - 1, at(1).microseconds, at(2).microseconds, .min, 1 << 62, -(1 << 62), at(2).microseconds - 1,
      at(100).microseconds, at(101).microseconds, Timestamp.earliest.microseconds,
    ]
    for step in [nil, 50_000_000] as [Int64?] {
      var single = try MonitorEngine(name: "m", options: MonitorOptions(maxTimeStepMicroseconds: step))
      try single.add(circle(100), identifier: "c", policy: .exact)
      try single.feed(fix(1, 5_000))
      var batch = single
      let fixes = strange.map { microseconds in
        var fix = fix(1, 5_000)
        fix.time = Timestamp(microseconds: microseconds)
        return fix
      }
      for fix in fixes { try? single.feed(fix) }
      try batch.feed(fixes)
      #expect(batch.statistics == single.statistics)
      #expect(batch.tracker.lastFix == single.tracker.lastFix)
      try batch.checkInvariants()
    }
  }
}
