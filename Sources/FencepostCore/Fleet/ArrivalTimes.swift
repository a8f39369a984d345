/// The arrival time of the last accepted input of each device, by the host's clock.
///
/// No memory is used until the host sets the first arrival time. For the devices that exist then, this time counts as
/// their last arrival.
struct ArrivalTimes: Sendable {
  /// The arrival time of the next inputs, in microseconds; `Int64.min` if the host has set none.
  private(set) var present: Int64 = .min
  /// By device number; empty while `present` is unset.
  private var last: ContiguousArray<Int64> = []

  var isSet: Bool { present != .min }

  /// - Parameter bound: One more than the largest place of a device.
  mutating func set(_ time: Int64, bound: Int) {
    if !isSet { last = ContiguousArray(repeating: time, count: bound) }
    present = time
  }

  /// Records that an input of a device was accepted, or that the device was added.
  @inline(__always)
  mutating func hear(_ device: UInt32) {
    if isSet { last[Int(device)] = present }
  }

  /// Makes room for one more device.
  mutating func append() {
    if isSet { last.append(present) }
  }

  /// The arrival time of a device's last accepted input; `Int64.min` if it is unknown.
  func last(of device: UInt32) -> Int64 { isSet ? last[Int(device)] : .min }

  /// Restores the saved arrival time of a device, which may be later than the saved time of the fleet.
  mutating func restore(_ device: UInt32, _ time: Int64, bound: Int) {
    set(max(present, time), bound: bound)
    last[Int(device)] = time
  }
}
