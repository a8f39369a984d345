/// An instant of event time: microseconds since 1970-01-01T00:00:00Z.
///
/// The engine never reads a clock; every instant comes from the caller. Valid instants are from year 1 to year 9999
/// (``earliest`` … ``latest``); inputs with other instants are refused.
@frozen
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Microseconds since the Unix epoch, UTC.
  public var microseconds: Int64

  @inlinable
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Rounds seconds since the Unix epoch to the nearest microsecond; returns `nil` if the number is not finite or out
  /// of the valid range.
  public init?(secondsSince1970 seconds: Double) {
    let scaled = seconds * 1e6
    guard scaled.magnitude < 0x1p62 else { return nil }
    // This rounds to the nearest integer, and ties away from zero. `rounded()` is not used, because it would call the
    // mathematics library.
    var whole = Int64(scaled)
    let rest = scaled - Double(whole)
    if rest >= 0.5 { whole += 1 } else if rest <= -0.5 { whole -= 1 }
    // No Double equals the last microsecond of the year 9999, so the range is checked with integers.
    guard Timestamp(microseconds: whole).isValid else { return nil }
    microseconds = whole
  }

  /// 0001-01-01T00:00:00Z.
  public static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)
  /// 9999-12-31T23:59:59.999999Z.
  public static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

  /// Whether the instant is one that the engine accepts.
  public var isValid: Bool { self >= .earliest && self <= .latest }

  /// The reason why the engine does not accept the instant, as a message; `nil` if it does.
  @_optimize(size)
  var defect: String? {
    isValid
      ? nil
      : "time is \(microseconds) microseconds; must be from \(Timestamp.earliest) to \(Timestamp.latest)"
  }

  @inlinable
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

  /// This instant plus a number of microseconds, clamped to the range of `Int64`.
  func adding(microseconds delta: Int64) -> Timestamp {
    let (sum, overflow) = microseconds.addingReportingOverflow(delta)
    return Timestamp(microseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  /// The microseconds from `earlier` to this instant, clamped to the range of `Int64`.
  func microseconds(since earlier: Timestamp) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (microseconds < 0 ? .min : .max) : difference
  }
}

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC with six decimals, as in `2026-11-21T10:34:02.000000Z`.
  public var description: String {
    var text = JSONText()
    text.append(self)
    return text.string
  }
}

/// A calendar date of the proleptic Gregorian calendar.
///
/// Source: the day count of the Gregorian calendar in eras of 400 years (146 097 days) that begin in March.
struct CivilDate {
  var year: Int64
  var month: Int64
  var day: Int64

  init(daysSinceEpoch days: Int64) {
    let shifted = days &+ 719_468  // days since 0000-03-01
    let era = (shifted >= 0 ? shifted : shifted &- 146_096) / 146_097
    let dayOfEra = shifted &- era &* 146_097
    let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
    day = dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1
    month = shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9
    year = yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)
  }
}

extension JSONText {
  /// Appends a time as ISO 8601 in UTC with six decimals and `Z`. A year below 0 or above 9999 has a sign.
  mutating func append(_ time: Timestamp) {
    let (days, ofDay) = Self.dividingDown(time.microseconds, by: 86_400_000_000)
    let date = CivilDate(daysSinceEpoch: days)
    if date.year < 0 || date.year > 9999 {
      append(date.year < 0 ? "-" as Unicode.Scalar : "+")
      append(date.year.magnitude)
    } else {
      appendPadded(date.year, width: 4)
    }
    append("-" as Unicode.Scalar)
    appendPadded(date.month, width: 2)
    append("-" as Unicode.Scalar)
    appendPadded(date.day, width: 2)
    append("T" as Unicode.Scalar)
    appendPadded(ofDay / 3_600_000_000, width: 2)
    append(":" as Unicode.Scalar)
    appendPadded(ofDay / 60_000_000 % 60, width: 2)
    append(":" as Unicode.Scalar)
    appendPadded(ofDay / 1_000_000 % 60, width: 2)
    append("." as Unicode.Scalar)
    appendPadded(ofDay % 1_000_000, width: 6)
    append("Z" as Unicode.Scalar)
  }

  private mutating func appendPadded(_ value: Int64, width: Int) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  private static func dividingDown(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
