import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct SignificantChangeTests {
  /// S71.
  @Test func letsThroughWhatIsFarAndLaterEnough() {
    var filter = SignificantChangeFilter()
    let passed = [(0.0, 0.0), (60, 600), (301, 700), (700, 900)].map { filter.accepts(fix($0.0, $0.1)) }
    #expect(passed == [true, false, true, false])
    #expect(filter.last == fix(301, 700))
  }

  @Test func thresholdsAreReachedInclusively() throws {
    var filter = try SignificantChangeFilter(minimumDistance: 500, minimumIntervalMicroseconds: 300_000_000)
    func passes(_ fix: Fix) -> Bool { filter.accepts(fix) }
    #expect(passes(fix(0, 0)))
    #expect(!passes(fix(299.999999, 500.001)))
    #expect(!passes(fix(300, 499.999)))
    #expect(passes(fix(300, 500.0001)))
  }

  @Test func whatIsNoPositionOrEarlierIsNotLetThrough() throws {
    var filter = try SignificantChangeFilter(minimumDistance: 0, minimumIntervalMicroseconds: 0)
    func passes(_ fix: Fix) -> Bool { filter.accepts(fix) }
    #expect(!passes(fix(0, 0, -1)))
    #expect(!passes(fix(0, 0, .nan)))
    #expect(!passes(Fix(latitude: 91, longitude: 0, time: at(0))))
    #expect(!passes(Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: .min))))
    #expect(filter.last == nil)
    #expect(passes(fix(100, 0)))
    #expect(!passes(fix(99, 1_000)))
    #expect(passes(fix(100, 0)))
    filter.reset()
    #expect(passes(fix(1, 0)))
  }

  @Test func bursts() {
    // If many fixes have the same time, only one of them passes the filter.
    var filter = SignificantChangeFilter()
    func passes(_ fix: Fix) -> Bool { filter.accepts(fix) }
    #expect((0..<50).map { _ in passes(fix(0, 0)) }.count { $0 } == 1)
    #expect((0..<50).map { passes(fix(400, 900 + Double($0))) }.count { $0 } == 1)
  }

  @Test func settingsOutOfRangeAreRefused() {
    for (distance, interval) in [(-1.0, Int64(0)), (.nan, 0), (.infinity, 0), (0, -1), (0, .max)] {
      #expect(throws: MonitorError.self) {
        try SignificantChangeFilter(minimumDistance: distance, minimumIntervalMicroseconds: interval)
      }
    }
  }

  // MARK: The best of several fixes

  @Test func theLeastUncertaintyWins() throws {
    let now = at(100)
    #expect(try bestFix(among: [], now: now) == nil)
    // 60 s older counts as 90 m.
    #expect(try bestFix(among: [fix(40, 1, 5), fix(100, 2, 90)], now: now) == fix(100, 2, 90))
    #expect(try bestFix(among: [fix(40, 1, 5), fix(100, 2, 96)], now: now) == fix(40, 1, 5))
    // If two fixes have equal scores, the later fix is chosen; if their times are equal too, the first fix in the list
    // is chosen.
    #expect(try bestFix(among: [fix(90, 1, 5), fix(92, 2, 8)], now: now) == fix(92, 2, 8))
    #expect(try bestFix(among: [fix(90, 1, 5), fix(90, 2, 5)], now: now) == fix(90, 1, 5))
    let still = FixSelection(speed: 0, maximumAgeMicroseconds: 60_000_000)
    #expect(try bestFix(among: [fix(40, 1, 5), fix(100, 2, 6)], now: now, selection: still) == fix(40, 1, 5))
  }

  @Test func whatCannotBeUsedIsNotChosen() throws {
    let now = at(1_000)
    let unusable = [
      fix(1_000, 1, -1), fix(1_000, 1, .nan), fix(1_000.000001, 1, 5), fix(699, 1, 5),
      Fix(latitude: 91, longitude: 0, accuracy: 5, time: now),
    ]
    #expect(try bestFix(among: unusable, now: now) == nil)
    #expect(try bestFix(among: unusable + [fix(800, 7, 500)], now: now) == fix(800, 7, 500))
    // A fix without a reported accuracy is chosen only if there is no other fix.
    #expect(try bestFix(among: [fix(1_000, 1, 0), fix(800, 7, 500)], now: now) == fix(800, 7, 500))
    #expect(try bestFix(among: unusable + [fix(1_000, 1, 0)], now: now) == fix(1_000, 1, 0))
    #expect(try bestFix(among: [fix(1_000, 1, .infinity)], now: now) == fix(1_000, 1, .infinity))
  }

  @Test func extremesDoNotTrap() throws {
    let first = Fix(latitude: 0, longitude: 0, accuracy: 5, time: .earliest)
    var filter = SignificantChangeFilter()
    func passes(_ fix: Fix) -> Bool { filter.accepts(fix) }
    #expect(passes(first))
    #expect(passes(Fix(latitude: 1, longitude: 0, accuracy: 5, time: .latest)))
    #expect(try bestFix(among: [first], now: .latest) == nil)
    #expect(throws: MonitorError.self) { try bestFix(among: [first], now: Timestamp(microseconds: .min)) }
    #expect(throws: MonitorError.self) {
      try bestFix(among: [first], now: at(0), selection: FixSelection(speed: -1))
    }
    #expect(throws: MonitorError.self) {
      try bestFix(among: [first], now: at(0), selection: FixSelection(maximumAgeMicroseconds: .max))
    }
  }
}
