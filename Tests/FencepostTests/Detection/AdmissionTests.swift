import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct AdmissionTests {
  /// Returns the error of ``Admission/check``, and whether the two arguments that are not always needed were computed.
  private func refusal(
    of time: Timestamp, isFull: Bool = false, clock: Int64, reference: Int64, step: Int64 = .max
  ) -> (error: MonitorError?, askedForRoom: Bool, askedForReference: Bool) {
    var askedForRoom = false
    var askedForReference = false
    func room() -> Bool {
      askedForRoom = true
      return isFull
    }
    func bound() -> Int64 {
      askedForReference = true
      return reference
    }
    do throws(MonitorError) {
      try Admission.check(
        time, isFull: room(), limit: 7, clock: clock, reference: bound(), longestStep: step)
      return (nil, askedForRoom, askedForReference)
    } catch {
      return (error, askedForRoom, askedForReference)
    }
  }

  @Test func anInvalidTimeIsRefusedFirst() {
    for microseconds in [.min, .max, Timestamp.latest.microseconds + 1] as [Int64] {
      let time = Timestamp(microseconds: microseconds)
      let result = refusal(of: time, isFull: true, clock: at(5).microseconds, reference: .max, step: 1)
      guard case .invalidArgument = result.error else {
        Issue.record("\(microseconds): \(String(describing: result.error))")
        continue
      }
      #expect(!result.askedForRoom && !result.askedForReference)
    }
  }

  @Test func aFullQueueIsRefusedBeforeALateTime() {
    let result = refusal(of: at(1), isFull: true, clock: at(5).microseconds, reference: at(5).microseconds)
    #expect(result.error == .queueFull(limit: 7))
  }

  /// Computing the reference for an advance of all devices is expensive, because it may visit every device.
  @Test func aLateTimeIsRefusedWithoutTheReference() {
    let result = refusal(of: at(4), clock: at(5).microseconds, reference: at(0).microseconds, step: 1)
    #expect(result.error == .lateInput(time: at(4), clock: at(5)))
    #expect(!result.askedForReference)
  }

  @Test func theStepCountsFromTheReference() {
    let step = at(10).microseconds - at(0).microseconds
    #expect(refusal(of: at(20), clock: at(5).microseconds, reference: at(10).microseconds, step: step).error == nil)
    #expect(
      refusal(of: at(21), clock: at(5).microseconds, reference: at(10).microseconds, step: step).error
        == .aheadOfClock(time: at(21), clock: at(10), limit: step))
    #expect(refusal(of: .latest, clock: at(5).microseconds, reference: .min, step: 1).error == nil)
    #expect(refusal(of: .earliest, clock: .min, reference: .min, step: 1).error == nil)
    #expect(refusal(of: .latest, clock: .min, reference: Timestamp.earliest.microseconds).error == nil)
  }

  @Test func eachRefusalCountsOnce() {
    var counters = InputCounters(acceptedFixes: 3, acceptedSightings: 2)
    counters.count(refused: .queueFull(limit: 1))
    #expect(counters.inputCount == 5)
    counters.count(refused: .lateInput(time: at(1), clock: at(2)))
    counters.count(refused: .aheadOfClock(time: at(1), clock: at(2), limit: 1))
    counters.count(refused: .invalidArgument("the time"))
    #expect(counters.lateInputs == 1 && counters.aheadInputs == 1 && counters.others == 1)
    #expect(counters.inputCount == 8)
  }

  /// A damaged row may state fewer inputs than accepted fixes.
  @Test func aCountThatIsTooSmallStays() {
    var counters = InputCounters(acceptedFixes: 5)
    counters.inputCount = 3
    #expect(counters.inputCount == 3)
    counters.countOther()
    #expect(counters.inputCount == 4 && counters.acceptedFixes == 5)
  }

  @Test func rowsOfABatchAreCounted() throws {
    var result = FeedResult()
    let late = MonitorError.lateInput(time: at(1), clock: at(2))
    let ahead = MonitorError.aheadOfClock(time: at(1), clock: at(2), limit: 1)
    try result.count(row: 0) { () throws(MonitorError) in .accepted }
    try result.count(row: 1) { () throws(MonitorError) in .invalid }
    try result.count(row: 2) { () throws(MonitorError) in throw late }
    try result.count(row: 3) { () throws(MonitorError) in throw ahead }
    #expect(throws: MonitorError.queueFull(limit: 9, position: 4)) {
      try result.count(row: 4) { () throws(MonitorError) in throw .queueFull(limit: 9) }
    }
    try result.count(row: 4) { () throws(MonitorError) in .doubted }
    #expect(result.accepted == 1 && result.invalid == 1 && result.late == 2 && result.doubted == 1)
    #expect(result.consumed == 5)
  }
}
