/// Measures how much event time has passed since a fleet was last saved, for fleets that are saved in intervals.
///
/// Each device has its own clock, and the clocks may differ by years, so no single clock is enough. Three numbers are
/// used. The first is how far the latest of all clocks has advanced; it measures the time of devices whose clocks
/// agree, even if each device has only one input. The second is the average advance of the devices that had inputs,
/// each measured by its own clock; it measures the time of devices whose clocks do not agree, and continues even if the
/// device with the latest clock falls silent. The third is the greatest advance of any one device, for a device that
/// continues alone after many have fallen silent. A single device that advances by hours at once hardly changes the
/// average of many. Refused inputs have no effect.
struct Pace: Sendable {
  /// The latest time of an accepted input or an advance; `Int64.min` before the first of them.
  private(set) var largest: Int64 = .min
  /// The number of devices with an accepted input.
  private(set) var deviceCount = 0
  /// The sum of the advances of these devices, each measured from its first input, in microseconds.
  private var sum = 0.0
  /// Whether one of the devices has passed through ``mostIntervals`` intervals.
  private var isLate = false

  /// The number of intervals that one device alone may advance without a save.
  static let mostIntervals: UInt8 = 16

  @inline(__always)
  mutating func reach(_ time: Int64) {
    if time > largest { largest = time }
  }

  /// Records that a device has advanced; not used for its first input.
  ///
  /// - Parameters:
  ///   - interval: The interval of saves. An advance longer than this counts as one interval.
  ///   - intervals: The number of intervals that the device has passed through since its first input.
  mutating func pass(from clock: Int64, to time: Int64, interval: Int64, _ intervals: inout UInt8) {
    let step = time &- clock
    sum += Double(min(step, interval))
    guard step >= interval || Self.number(time, interval) != Self.number(clock, interval),
      intervals < Self.mostIntervals
    else { return }
    intervals += 1
    if intervals == Self.mostIntervals { isLate = true }
  }

  /// Returns the number of the interval that contains a time.
  private static func number(_ time: Int64, _ interval: Int64) -> Int64 {
    let (quotient, rest) = time.quotientAndRemainder(dividingBy: interval)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// Records that the time was set back; devices advance from there.
  mutating func rewind(to time: Int64) { largest = time }

  mutating func begin() { deviceCount += 1 }

  mutating func end(_ count: Int) { deviceCount -= count }

  /// Starts a new measurement after a save.
  mutating func restart() {
    sum = 0
    isLate = false
  }

  /// Returns whether an interval has passed since an earlier value of ``largest``.
  func hasPassed(_ interval: Int64, since time: Int64) -> Bool {
    if isLate || deviceCount > 0 && sum >= Double(interval) * Double(deviceCount) { return true }
    return largest > time && (time == .min || largest &- time >= interval)
  }
}
