/// When the last accepted input of each device arrived, by the clock that the host reads.
///
/// It costs nothing until the host gives the first arrival time. Devices of that moment count as heard then.
struct ArrivalTimes: Sendable {
  /// The arrival time of the next inputs, microseconds; `Int64.min` = the host gave none.
  private(set) var present: Int64 = .min
  /// By device number; empty while `present` is unset.
  private var last: ContiguousArray<Int64> = []

  var isSet: Bool { present != .min }

  /// - Parameter bound: One more than the largest number of a device.
  mutating func set(_ time: Int64, bound: Int) {
    if !isSet { last = ContiguousArray(repeating: time, count: bound) }
    present = time
  }

  /// Notes that an input of a device was accepted, or that the device was entered.
  @inline(__always)
  mutating func hear(_ device: UInt32) {
    if isSet { last[Int(device)] = present }
  }

  /// Makes room for one more number.
  mutating func append() {
    if isSet { last.append(present) }
  }

  /// The arrival time of a device's last accepted input; `Int64.min` = unknown.
  func last(of device: UInt32) -> Int64 { isSet ? last[Int(device)] : .min }

  /// Takes what was saved of a device, which may be later than what was saved of the fleet.
  mutating func restore(_ device: UInt32, _ time: Int64, bound: Int) {
    set(max(present, time), bound: bound)
    last[Int(device)] = time
  }
}
