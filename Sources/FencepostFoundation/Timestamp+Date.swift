public import Fencepost
public import Foundation

/// Seconds from 1970-01-01 to 2001-01-01, the reference date of Foundation.
private let referenceSeconds: Int64 = 978_307_200

extension Timestamp {
  /// The instant of a date, rounded to the microsecond; `nil` if the date is not finite or not in the years 1 to 9999.
  public init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.magnitude < 1e12 else { return nil }  // For NaN, this comparison is false, so the result is nil
    let seconds = interval.rounded(.down)
    let fraction = ((interval - seconds) * 1e6).rounded()  // this subtraction is exact
    self.init(microseconds: (Int64(seconds) + referenceSeconds) * 1_000_000 + Int64(fraction))
    guard isValid else { return nil }
  }

  /// Creates a timestamp from a date.
  ///
  /// - Throws: ``Fencepost/MonitorError/invalidArgument(_:position:)`` if the date is not finite or not in the years 1
  ///   to 9999.
  public init(validating date: Date) throws(MonitorError) {
    guard let time = Timestamp(date) else {
      throw .invalidArgument(
        "the date is \(date.timeIntervalSinceReferenceDate) seconds after 2001-01-01; must be from "
          + "\(Timestamp.earliest) to \(Timestamp.latest)")
    }
    self = time
  }

  /// The nearest date. A date in the years 1730 to 2272 converts back to the same microsecond; outside these years, the
  /// resolution of `Date` is coarser than a microsecond.
  public var date: Date { Date(self) }
}

extension Date {
  /// The date nearest to an instant. See ``Fencepost/Timestamp/date``.
  public init(_ time: Timestamp) {
    let (quotient, remainder) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(timeIntervalSinceReferenceDate: Double(quotient - referenceSeconds) + Double(remainder) / 1e6)
  }
}
