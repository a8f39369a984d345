/// Options of a fleet. A condition limit belongs to the table. Unlike a monitor, a fleet has no delivery `first` or
/// `latest` and no host capabilities, and does not determine a new condition by an earlier fix.
public struct FleetOptions: Sendable, Hashable {
  /// While that many events wait, inputs are refused; 1 … 10⁹.
  public var maxPendingEvents: Int
  /// How many devices there may be, 1 … 67 108 863.
  public var deviceLimit: Int
  /// Silence after which a beacon is gone, microseconds, 1 … 10¹⁵.
  public var beaconExitTimeoutMicroseconds: Int64
  /// Silence after which a beacon was never there, microseconds, 1 … 10¹⁵.
  public var beaconInitialTimeoutMicroseconds: Int64
  /// How far an input may be ahead of its device's clock, microseconds, 1 … 10¹⁵; `nil` = any distance.
  public var maxTimeStepMicroseconds: Int64?
  /// How each device is assumed to have moved from one fix to the next.
  public var path: MonitorOptions.Path

  /// The most devices that a fleet can have.
  public static let mostDevices = ColdStore.mostRecords

  public init(
    maxPendingEvents: Int = 1_000_000, deviceLimit: Int = FleetOptions.mostDevices,
    beaconExitTimeoutMicroseconds: Int64 = 30_000_000, beaconInitialTimeoutMicroseconds: Int64 = 30_000_000,
    maxTimeStepMicroseconds: Int64? = nil, path: MonitorOptions.Path = .fixes
  ) {
    self.maxPendingEvents = maxPendingEvents
    self.deviceLimit = deviceLimit
    self.beaconExitTimeoutMicroseconds = beaconExitTimeoutMicroseconds
    self.beaconInitialTimeoutMicroseconds = beaconInitialTimeoutMicroseconds
    self.maxTimeStepMicroseconds = maxTimeStepMicroseconds
    self.path = path
  }

  /// The options of the monitor that each device is in effect.
  public var monitorOptions: MonitorOptions {
    MonitorOptions(
      maxPendingEvents: maxPendingEvents, initialFixMaxAgeMicroseconds: -1,
      beaconExitTimeoutMicroseconds: beaconExitTimeoutMicroseconds,
      beaconInitialTimeoutMicroseconds: beaconInitialTimeoutMicroseconds,
      maxTimeStepMicroseconds: maxTimeStepMicroseconds, path: path)
  }

  /// The first value that is out of range, as a message that names it as C and Python do; `nil` when the options are sound.
  package var defect: String? {
    guard (1...Self.mostDevices).contains(deviceLimit) else {
      return "device_limit is \(deviceLimit); must be from 1 to \(Self.mostDevices)"
    }
    return monitorOptions.defect
  }
}
