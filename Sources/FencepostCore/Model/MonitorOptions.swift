/// Options of a monitor.
public struct MonitorOptions: Sendable, Hashable {
  /// What is handed out when several changes of a condition wait.
  @frozen
  public enum Delivery: UInt8, Sendable, Hashable {
    /// Each change, in order.
    case every = 0
    /// The first, then, once it is handled, the present state.
    case first = 1
    /// The last; none when the state is back where it was.
    case latest = 2
  }

  public var delivery: Delivery
  /// Conditions monitored at a time, all kinds together, from 1; `nil` = no limit.
  public var conditionLimit: Int?
  /// While that many events wait, inputs are refused; 1 … 10⁹.
  public var maxPendingEvents: Int
  /// How old a fix may be to decide a condition when it is added, microseconds, 0 … 10¹⁵; −1 = a condition that is added
  /// never looks back at a fix.
  public var initialFixMaxAgeMicroseconds: Int64
  /// Silence after which a beacon is gone, microseconds, 1 … 10¹⁵.
  public var beaconExitTimeoutMicroseconds: Int64
  /// Silence after which a beacon was never there, microseconds, 1 … 10¹⁵.
  public var beaconInitialTimeoutMicroseconds: Int64
  /// How far an input may be ahead of the clock, microseconds, 1 … 10¹⁵; `nil` = any distance. One that is farther ahead
  /// is refused, so that a single wrong date does not make every later input late. A host that knows of a longer pause
  /// says so with an `advance`, which is never refused for this.
  public var maxTimeStepMicroseconds: Int64?
  /// How the device is taken to have moved from one fix to the next.
  public var path: Path

  /// How far an input may be ahead of the clock, microseconds. Times in range are less than 2⁶² apart, so that one unsigned
  /// comparison finds a step back, and one that is too long.
  @inline(__always)
  var longestTimeStep: UInt64 { UInt64(clamping: min(maxTimeStepMicroseconds ?? .max, 1 << 62)) }

  public init(
    delivery: Delivery = .every, conditionLimit: Int? = nil, maxPendingEvents: Int = 1_000_000,
    initialFixMaxAgeMicroseconds: Int64 = 60_000_000, beaconExitTimeoutMicroseconds: Int64 = 30_000_000,
    beaconInitialTimeoutMicroseconds: Int64 = 30_000_000, maxTimeStepMicroseconds: Int64? = nil,
    path: Path = .fixes
  ) {
    self.delivery = delivery
    self.conditionLimit = conditionLimit
    self.maxPendingEvents = maxPendingEvents
    self.initialFixMaxAgeMicroseconds = initialFixMaxAgeMicroseconds
    self.beaconExitTimeoutMicroseconds = beaconExitTimeoutMicroseconds
    self.beaconInitialTimeoutMicroseconds = beaconInitialTimeoutMicroseconds
    self.maxTimeStepMicroseconds = maxTimeStepMicroseconds
    self.path = path
  }

  /// As Core Location: the first waiting event, 20 conditions.
  public static let coreLocation = MonitorOptions(delivery: .first, conditionLimit: 20)

  /// The first value that is out of range, as a message that names it as C and Python do; `nil` when the options are sound.
  package var defect: String? {
    if let conditionLimit, conditionLimit < 1 {
      return "condition_limit is \(conditionLimit); must be at least 1, or unset"
    }
    guard (1...1_000_000_000).contains(maxPendingEvents) else {
      return "max_pending_events is \(maxPendingEvents); must be from 1 to 1000000000"
    }
    let longest = TransitionPolicy.longestDuration
    guard (-1...longest).contains(initialFixMaxAgeMicroseconds) else {
      return "initial_fix_max_age is \(initialFixMaxAgeMicroseconds) microseconds; "
        + "must be from 0 to \(longest), or -1 for never"
    }
    guard (1...longest).contains(beaconExitTimeoutMicroseconds) else {
      return "beacon_exit_timeout is \(beaconExitTimeoutMicroseconds) microseconds; must be from 1 to \(longest)"
    }
    guard (1...longest).contains(beaconInitialTimeoutMicroseconds) else {
      return "beacon_initial_timeout is \(beaconInitialTimeoutMicroseconds) microseconds; must be from 1 to \(longest)"
    }
    if let step = maxTimeStepMicroseconds, !(1...longest).contains(step) {
      return "max_time_step is \(step) microseconds; must be from 1 to \(longest), or unset"
    }
    return path.defect
  }
}

// Written out, because Embedded Swift cannot print the name of a case.
extension MonitorOptions.Delivery: CustomStringConvertible {
  public var description: String {
    switch self {
    case .every: "every"
    case .first: "first"
    case .latest: "latest"
    }
  }
}
