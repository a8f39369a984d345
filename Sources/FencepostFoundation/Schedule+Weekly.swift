public import Fencepost
public import Foundation

extension Schedule {
  /// The intervals of a weekly timetable from one date to another, after which the schedule is not known.
  ///
  /// The times are local. An interval that ends earlier than it begins, such as `22:00-06:00`, ends on the next day and
  /// belongs to its first day. When clocks are changed, a local time may not exist: it then means the moment of the
  /// change. If a local time comes twice, an interval begins at the first and ends at the second. Intervals that overlap
  /// are joined.
  ///
  /// - Parameters:
  ///   - hours: The intervals of each day. A key is a day (`mon`), a range (`mon-fri`, `sat-mon`), or several with commas
  ///     (`mon,wed`). A value is a list of intervals such as `08:00-12:00`; an end may be `24:00`.
  ///   - zone: The time zone of the times.
  ///   - start: No interval starts earlier.
  ///   - end: No interval ends later.
  /// - Throws: ``Fencepost/MonitorError/invalidArgument(_:position:)`` if a key, an interval or a date is invalid, or if
  ///   there are more than ``Fencepost/Schedule/mostIntervals`` intervals.
  public static func weekly(
    _ hours: [String: [String]], in zone: TimeZone, from start: Date, until end: Date
  ) throws(MonitorError) -> Schedule {
    let (low, high) = (try Timestamp(validating: start), try Timestamp(validating: end))
    guard low < high else { throw .invalidArgument("until is \(high); must be later than from, \(low)") }
    let timetable = try Timetable(hours)
    let clock = LocalClock(zone: zone)
    let (first, last) = (clock.day(at: low.seconds), clock.day(at: high.seconds))
    var found: [(start: Timestamp, end: Timestamp)] = []
    for day in (first - 1)...last {
      for interval in timetable.days[Int((day + 3) % 7 + 7) % 7] {
        let begin = max(low, Timestamp(seconds: clock.instant(day, interval.start, isEnd: false)))
        let finish = min(high, Timestamp(seconds: clock.instant(day, interval.end, isEnd: true)))
        if begin < finish { found.append((begin, finish)) }
      }
      // Joined intervals would be fewer, but intervals that all overlap are not a timetable.
      guard found.count <= 2 * mostIntervals else {
        throw .invalidArgument("hours has more than \(mostIntervals) intervals until \(high); choose an earlier date")
      }
    }
    found.sort { ($0.start, $0.end) < ($1.start, $1.end) }
    var joined: [(start: Timestamp, end: Timestamp)] = []
    for interval in found {
      if let last = joined.last, interval.start <= last.end {
        joined[joined.count - 1].end = max(last.end, interval.end)
      } else {
        joined.append(interval)
      }
    }
    return try Schedule(joined, until: high)
  }
}

extension Timestamp {
  fileprivate init(seconds: Int64) { self.init(microseconds: seconds * 1_000_000) }

  /// Whole seconds since the epoch, rounded down.
  fileprivate var seconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// The intervals of each day of the week, from Monday, in seconds since local midnight.
private struct Timetable {
  private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  static let day: Int64 = 86_400

  var days = [[(start: Int64, end: Int64)]](repeating: [], count: 7)

  init(_ hours: [String: [String]]) throws(MonitorError) {
    for (key, texts) in hours {
      for day in try Self.days(key) {
        for text in texts { days[day].append(try Self.interval(text, key)) }
      }
    }
  }

  /// The numbers of the days that a key names.
  private static func days(_ key: String) throws(MonitorError) -> [Int] {
    var found: [Int] = []
    for part in key.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
        names.firstIndex(of: $0.trimmingCharacters(in: .whitespaces))
      }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
        throw .invalidArgument(
          "hours: \"\(key)\" is not a day or a range of days; must be such as mon, mon-fri, sat,sun")
      }
      for step in 0...((last - first + 7) % 7) { found.append((first + step) % 7) }
    }
    guard Set(found).count == found.count else { throw .invalidArgument("hours: \"\(key)\" names a day twice") }
    return found
  }

  private static func interval(_ text: String, _ key: String) throws(MonitorError) -> (start: Int64, end: Int64) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { seconds($0) }
    guard ends.count == 2, let start = ends[0], let end = ends[1], start < day else {
      throw .invalidArgument(
        "hours[\"\(key)\"]: \"\(text)\" is not an interval; must be such as 08:00-12:00, from 00:00 to 24:00")
    }
    guard start != end else {
      throw .invalidArgument("hours[\"\(key)\"]: \"\(text)\" is empty; write 00:00-24:00 for a whole day")
    }
    return (start, end > start ? end : end + day)
  }

  /// Seconds since midnight of a text HH:MM or HH:MM:SS; `nil` if it is not a time.
  private static func seconds(_ text: Substring) -> Int64? {
    let parts = text.trimmingCharacters(in: .whitespaces).split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count == 2 && $0.allSatisfy { ("0"..."9").contains($0) } ? Int64($0) : nil }
    guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] <= 24, numbers[1] < 60,
      numbers.count == 2 || numbers[2] < 60
    else { return nil }
    let seconds = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    return seconds <= day ? seconds : nil
  }
}

/// Converts local times of a time zone to instants, in seconds since 1970-01-01T00:00:00Z.
private struct LocalClock {
  var zone: TimeZone

  private func offset(at instant: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
  }

  /// The number of the local day at an instant; 1970-01-01 is day 0.
  func day(at instant: Int64) -> Int64 {
    let local = instant + offset(at: instant)
    return (local - (local % Timetable.day + Timetable.day) % Timetable.day) / Timetable.day
  }

  func instant(_ day: Int64, _ seconds: Int64, isEnd: Bool) -> Int64 {
    let local = day * Timetable.day + seconds
    // Clocks are changed at most once within two days.
    let before = offset(at: local - Timetable.day)
    let after = offset(at: local + Timetable.day)
    let early = local - before
    let late = local - after
    let isEarly = offset(at: early) == before
    let isLate = offset(at: late) == after
    if isEarly || isLate { return isEarly && (!isLate || !isEnd) ? early : late }
    // The local time does not exist: the clocks are changed between the two instants.
    var (low, high) = (min(early, late), max(early, late))
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(at: middle) == before { low = middle } else { high = middle }
    }
    return high
  }
}
