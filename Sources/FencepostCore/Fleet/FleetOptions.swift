/// Options of a fleet. What a fleet does not have, and a monitor has: a condition limit, a look back at a fix when a
/// condition is added, and host capabilities.
public struct FleetOptions: Sendable, Hashable {
  /// The events that are handed out if several changes of a condition wait for one device.
  public var delivery: MonitorOptions.Delivery
  /// The maximum number of waiting events, from 1 to 10⁹. While this many events wait, inputs are refused.
  public var maxPendingEvents: Int
  /// The maximum number of devices, from 1 to 67 108 863.
  public var deviceLimit: Int
  /// The silence after which a beacon that was seen counts as gone, in microseconds, from 1 to 10¹⁵.
  public var beaconExitTimeoutMicroseconds: Int64
  /// The silence after which a beacon that was never seen counts as absent, in microseconds, from 1 to 10¹⁵.
  public var beaconInitialTimeoutMicroseconds: Int64
  /// The longest time that an input may be ahead of the clock of its device, in microseconds, from 1 to 10¹⁵; `nil` for
  /// no limit.
  public var maxTimeStepMicroseconds: Int64?
  /// The assumed movement of each device from one fix to the next.
  public var path: MonitorOptions.Path
  /// The limit of the speed of each device, beyond which fixes are doubted; `nil` if every fix is trusted.
  public var plausibility: Plausibility?
  /// The share of the true positions within the accuracy of a fix; see ``MonitorOptions/accuracyConfidence``.
  public var accuracyConfidence: Double
  /// The order in which the changes of a device at one instant are reported.
  public var order: MonitorOptions.Order

  /// The greatest number of devices that a fleet can have.
  public static let mostDevices = ColdStore.mostRecords

  public init(
    delivery: MonitorOptions.Delivery = .every, maxPendingEvents: Int = 1_000_000,
    deviceLimit: Int = FleetOptions.mostDevices, beaconExitTimeoutMicroseconds: Int64 = 30_000_000,
    beaconInitialTimeoutMicroseconds: Int64 = 30_000_000, maxTimeStepMicroseconds: Int64? = nil,
    path: MonitorOptions.Path = .fixes, plausibility: Plausibility? = nil,
    accuracyConfidence: Double = PositionError.defaultConfidence, order: MonitorOptions.Order = .add
  ) {
    self.delivery = delivery
    self.maxPendingEvents = maxPendingEvents
    self.deviceLimit = deviceLimit
    self.beaconExitTimeoutMicroseconds = beaconExitTimeoutMicroseconds
    self.beaconInitialTimeoutMicroseconds = beaconInitialTimeoutMicroseconds
    self.maxTimeStepMicroseconds = maxTimeStepMicroseconds
    self.path = path
    self.plausibility = plausibility
    self.accuracyConfidence = accuracyConfidence
    self.order = order
  }

  /// The options of the monitor that gives the same events as a device of the fleet.
  public var monitorOptions: MonitorOptions {
    MonitorOptions(
      delivery: delivery, maxPendingEvents: maxPendingEvents, initialFixMaxAgeMicroseconds: -1,
      beaconExitTimeoutMicroseconds: beaconExitTimeoutMicroseconds,
      beaconInitialTimeoutMicroseconds: beaconInitialTimeoutMicroseconds,
      maxTimeStepMicroseconds: maxTimeStepMicroseconds, path: path, plausibility: plausibility,
      accuracyConfidence: accuracyConfidence, order: order)
  }

  /// Whether the last fix of each device is stored, even if it changes nothing.
  var keepsEachFix: Bool { path.isGeodesic || plausibility != nil }

  /// A message about the first value that is out of range, with the name that the value has in C and Python; `nil` if
  /// the options are valid.
  @_optimize(size)
  package var defect: String? {
    guard (1...Self.mostDevices).contains(deviceLimit) else {
      return "device_limit is \(deviceLimit); must be from 1 to \(Self.mostDevices)"
    }
    return monitorOptions.defect
  }
}
