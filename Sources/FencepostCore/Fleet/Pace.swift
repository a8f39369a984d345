/// How much event time has passed since a fleet was last saved, for who saves now and then.
///
/// Devices have clocks of their own, which may be years apart, so that no single time tells. Three figures do: how far the
/// largest clock of all went forward, which is the time of devices that agree, also where each is heard once; how far
/// the devices that were heard went forward on average, each by its own clock, which is the time of those that do not agree,
/// and goes on when the one that is ahead of all falls silent; and how far any one did, for who goes on alone when many fell
/// silent. Who catches up on hours at once among many is one of many. Inputs that were refused change nothing.
struct Pace: Sendable {
  /// The largest time of an accepted input or an advance, `Int64.min` = none.
  private(set) var largest: Int64 = .min
  /// Devices of which an input was accepted.
  private(set) var deviceCount = 0
  /// How far they went forward, each from its first input on, microseconds.
  private var sum = 0.0
  /// One of them went through ``mostIntervals``.
  private var isLate = false

  /// So many intervals one device alone may be behind.
  static let mostIntervals: UInt8 = 16

  @inline(__always)
  mutating func reach(_ time: Int64) {
    if time > largest { largest = time }
  }

  /// A device went forward, not for the first time.
  ///
  /// - Parameters:
  ///   - interval: One that jumps counts as if it had gone so far.
  ///   - intervals: How many the device went through since its first input, to a multiple of the interval.
  mutating func pass(from clock: Int64, to time: Int64, interval: Int64, _ intervals: inout UInt8) {
    let step = time &- clock
    sum += Double(min(step, interval))
    guard step >= interval || Self.number(time, interval) != Self.number(clock, interval),
      intervals < Self.mostIntervals
    else { return }
    intervals += 1
    if intervals == Self.mostIntervals { isLate = true }
  }

  /// In which interval a time lies.
  private static func number(_ time: Int64, _ interval: Int64) -> Int64 {
    let (quotient, rest) = time.quotientAndRemainder(dividingBy: interval)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// Time was set back; devices go forward from there.
  mutating func rewind(to time: Int64) { largest = time }

  mutating func begin() { deviceCount += 1 }

  mutating func end(_ count: Int) { deviceCount -= count }

  /// Begins anew; what devices do until they are saved counts again.
  mutating func restart() {
    sum = 0
    isLate = false
  }

  /// Whether so much time has passed since a time that was the largest.
  func hasPassed(_ interval: Int64, since time: Int64) -> Bool {
    if isLate || deviceCount > 0 && sum >= Double(interval) * Double(deviceCount) { return true }
    return largest > time && (time == .min || largest &- time >= interval)
  }
}
