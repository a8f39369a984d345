import Fencepost
import FencepostFoundation
import Foundation
import Testing

/// The weekly timetables of Foundation's time zones. The expected instants are those of Python's `Schedule.weekly`, which
/// a test compares with the clock of each zone, minute by minute.
@Suite struct WeeklyScheduleTests {
  struct Case: Sendable {
    var zone: String
    var hours: [String: [String]]
    var range: Range<Int64>
    var edges: [Int64]

    init(_ zone: String, _ hours: [String: [String]], _ range: Range<Int64>, _ edges: [Int64]) {
      self.zone = zone
      self.hours = hours
      self.range = range
      self.edges = edges
    }
  }

  private func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  @Test(
    arguments: [
      Case(
        "Europe/Zurich", ["sun": ["01:30-02:30", "02:15-03:15"], "sat": ["22:00-06:00"]], 1_774_652_400..<1_774_908_000,
        [1_774_731_600, 1_774_756_800]),
      Case(
        "Europe/Zurich", ["sun": ["01:30-02:30"], "sat,mon": ["22:00-02:30"]], 1_792_792_800..<1_793_055_600,
        [1_792_872_000, 1_792_891_800, 1_793_048_400, 1_793_055_600]),
      Case(
        "America/New_York", ["mon-fri": ["08:00-12:00", "13:00-24:00"], "sat-sun": ["23:30-00:30"]],
        1_709_010_000..<1_710_216_000,
        [
          1_709_038_800, 1_709_053_200, 1_709_056_800, 1_709_096_400, 1_709_125_200, 1_709_139_600, 1_709_143_200,
          1_709_182_800, 1_709_211_600, 1_709_226_000, 1_709_229_600, 1_709_269_200, 1_709_298_000, 1_709_312_400,
          1_709_316_000, 1_709_355_600, 1_709_440_200, 1_709_443_800, 1_709_526_600, 1_709_530_200, 1_709_557_200,
          1_709_571_600, 1_709_575_200, 1_709_614_800, 1_709_643_600, 1_709_658_000, 1_709_661_600, 1_709_701_200,
          1_709_730_000, 1_709_744_400, 1_709_748_000, 1_709_787_600, 1_709_816_400, 1_709_830_800, 1_709_834_400,
          1_709_874_000, 1_709_902_800, 1_709_917_200, 1_709_920_800, 1_709_960_400, 1_710_045_000, 1_710_048_600,
          1_710_127_800, 1_710_131_400, 1_710_158_400, 1_710_172_800, 1_710_176_400, 1_710_216_000,
        ]),
      Case(
        "Australia/Lord_Howe", ["sun": ["01:45-02:15"]], 1_774_962_000..<1_775_741_400,
        [1_775_313_900, 1_775_317_500]),
      Case(
        "Asia/Kathmandu", ["mon": ["00:00-24:00"], "tue": ["00:00-00:00:01"]], 1_835_288_100..<1_835_460_900,
        [1_835_288_100, 1_835_374_501]),
    ])
  func weeksAreThoseOfPython(_ each: Case) throws {
    let zone = try #require(TimeZone(identifier: each.zone))
    let found = try Schedule.weekly(
      each.hours, in: zone, from: date(each.range.lowerBound), until: date(each.range.upperBound))
    let expected = try Schedule(
      stride(from: 0, to: each.edges.count, by: 2).map {
        (Timestamp(microseconds: each.edges[$0] * 1_000_000), Timestamp(microseconds: each.edges[$0 + 1] * 1_000_000))
      }, until: Timestamp(microseconds: each.range.upperBound * 1_000_000))
    #expect(found == expected)
  }

  @Test(arguments: [
    ["monday": ["08:00-12:00"]], ["mon-": ["08:00-12:00"]], ["mon,mon": ["08:00-12:00"]], ["": ["08:00-12:00"]],
    ["mon": ["08:00"]], ["mon": ["8:00-12:00"]], ["mon": ["08:00-08:00"]], ["mon": ["24:00-08:00"]],
    ["mon": ["08:00-24:01"]], ["mon": ["08:60-12:00"]], ["mon": ["08:00-12:00-13:00"]], ["mon": ["٠٨:00-12:00"]],
  ])
  func timetablesAreRefused(_ hours: [String: [String]]) throws {
    let zone = try #require(TimeZone(identifier: "UTC"))
    #expect(throws: MonitorError.self) { try Schedule.weekly(hours, in: zone, from: date(0), until: date(86_400)) }
  }

  @Test func datesAreRefused() throws {
    let zone = try #require(TimeZone(identifier: "UTC"))
    let hours = ["mon-sun": ["08:00-12:00"]]
    for (start, end) in [(86_400, 86_400), (86_400, 0), (0, 250_000_000_000), (0, 400_000_000_000)] as [(Int64, Int64)]
    {
      #expect(throws: MonitorError.self) { try Schedule.weekly(hours, in: zone, from: date(start), until: date(end)) }
    }
  }
}
