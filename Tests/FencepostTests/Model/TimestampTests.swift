import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TimestampTests {
  /// Since 1583, Foundation's calendar is the Gregorian one.
  @Test func agreesWithFoundation() throws {
    var random = SeededGenerator("TimestampTests")
    let style = Date.ISO8601FormatStyle()
    for _ in 0..<5_000 {
      let seconds = random.integer(-12_212_553_600...253_402_300_799)
      let micros = random.integer(0...999_999)
      let time = Timestamp(microseconds: Int64(seconds) * 1_000_000 + Int64(micros))
      let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
      let fraction = String(repeating: "0", count: 6 - "\(micros)".count) + "\(micros)"
      #expect(time.description == expected.dropLast() + "." + fraction + "Z")
    }
  }

  @Test(arguments: [
    (Timestamp.earliest, "0001-01-01T00:00:00.000000Z"), (.latest, "9999-12-31T23:59:59.999999Z"),
    (Timestamp(microseconds: 951_782_400_000_000), "2000-02-29T00:00:00.000000Z"),
    (Timestamp(microseconds: -2_203_891_200_000_000), "1900-03-01T00:00:00.000000Z"),
    (Timestamp(microseconds: -1), "1969-12-31T23:59:59.999999Z"),
  ])
  func writesTheCalendar(_ time: Timestamp, _ text: String) {
    #expect(time.description == text)
  }

  /// Consecutive days do not skip or repeat a date, in the first 400 years, the last 400 years, and the years around
  /// the present.
  @Test(arguments: [-719_162, -146_097, 2_932_896 - 146_097] as [Int64])
  func daysFollowEachOther(_ first: Int64) {
    var previous = CivilDate(daysSinceEpoch: first)
    for day in first + 1...first + 146_097 {
      let date = CivilDate(daysSinceEpoch: day)
      let followsInMonth = date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
      let startsMonth = date.day == 1 && (date.month == previous.month + 1 || (date.month == 1 && previous.month == 12))
      if !(followsInMonth || (startsMonth && previous.day >= 28)) {
        Issue.record("day \(day): \(date) after \(previous)")
        return
      }
      previous = date
    }
    // After 400 years, 146 097 days, the calendar repeats.
    let start = CivilDate(daysSinceEpoch: first)
    #expect(previous.year == start.year + 400 && previous.month == start.month && previous.day == start.day)
  }

  @Test func extremesDoNotTrap() {
    for microseconds in [Int64.min, .min + 1, .max, .max - 1] {
      let time = Timestamp(microseconds: microseconds)
      #expect(!time.isValid)
      #expect(time.description.hasSuffix("Z"))
      #expect(time.adding(microseconds: .max) >= time)
      #expect(time.adding(microseconds: .min) <= time)
    }
    #expect(Timestamp(microseconds: .max).microseconds(since: Timestamp(microseconds: .min)) == .max)
    #expect(Timestamp(microseconds: .min).microseconds(since: Timestamp(microseconds: .max)) == .min)
  }

  @Test func secondsAreRounded() {
    #expect(Timestamp(secondsSince1970: 1.000_000_4)?.microseconds == 1_000_000)
    #expect(Timestamp(secondsSince1970: -0.000_001_6)?.microseconds == -2)
    for seconds in [Double.nan, .infinity, -.infinity, 1e18, -1e18, 253_402_300_800, -62_135_596_801] {
      #expect(Timestamp(secondsSince1970: seconds) == nil)
    }
  }
}
