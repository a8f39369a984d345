/// Options of a monitor.
public struct MonitorOptions: Sendable, Hashable {
  /// The events that are handed out if several changes of a condition wait.
  @frozen
  public enum Delivery: UInt8, Sendable, Hashable {
    /// Every change, in order.
    case every = 0
    /// The first change; then, after it is handled, the present state.
    case first = 1
    /// Only the last change; no event if the state is again the one that was last reported.
    case latest = 2
  }

  /// The order in which the changes of one instant are reported. An instant is one input with everything that is due at
  /// its time. Reports about flags come first in any case.
  @frozen
  public enum Order: UInt8, Sendable, Hashable {
    /// The determinations of the input, in add order; then the confirmed changes, by deadline, then in add order.
    case add = 0
    /// Changes to `unsatisfied`, then changes to `satisfied`, then crossings of gates; within each, the order of ``add``.
    case exitsFirst = 1
  }

  public var delivery: Delivery
  /// The maximum number of conditions of all kinds that are monitored at the same time, at least 1; `nil` for no limit.
  public var conditionLimit: Int?
  /// The maximum number of waiting events, from 1 to 10⁹. While this many events wait, inputs are refused.
  public var maxPendingEvents: Int
  /// The maximum age of a fix that may determine a newly added condition, in microseconds, from 0 to 10¹⁵; −1 if
  /// earlier fixes never determine a new condition.
  public var initialFixMaxAgeMicroseconds: Int64
  /// The silence after which a beacon that was seen counts as gone, in microseconds, from 1 to 10¹⁵.
  public var beaconExitTimeoutMicroseconds: Int64
  /// The silence after which a beacon that was never seen counts as absent, in microseconds, from 1 to 10¹⁵.
  public var beaconInitialTimeoutMicroseconds: Int64
  /// The longest time that an input may be ahead of the clock, in microseconds, from 1 to 10¹⁵; `nil` for no limit. An
  /// input that is further ahead is refused, so that a single wrong date does not make every later input late. A host
  /// that knows about a longer pause can call `advance`, which is never refused for this reason.
  public var maxTimeStepMicroseconds: Int64?
  /// The assumed movement of the device from one fix to the next.
  public var path: Path
  /// The limit of the device's speed, beyond which fixes are doubted; `nil` if every fix is trusted.
  public var plausibility: Plausibility?
  /// The share of the true positions within the accuracy of a fix, from 0.01 to 0.9999: 0.68 on Android, 0.95 for `eph` of
  /// gpsd. Only policies with ``TransitionPolicy/entryProbability`` depend on it.
  public var accuracyConfidence: Double
  /// The order in which the changes of one instant are reported.
  public var order: Order

  /// The longest time that an input may be ahead of the clock, in microseconds. Any two valid times are less than 2⁶²
  /// microseconds apart, so a single unsigned comparison detects both a step back and a step that is too long.
  @inline(__always)
  var longestTimeStep: UInt64 { UInt64(clamping: min(maxTimeStepMicroseconds ?? .max, 1 << 62)) }

  /// One more than ``longestTimeStep``; 0 if each fix must be examined for plausibility.
  var plainSteps: UInt64 { plausibility == nil ? longestTimeStep + 1 : 0 }

  public init(
    delivery: Delivery = .every, conditionLimit: Int? = nil, maxPendingEvents: Int = 1_000_000,
    initialFixMaxAgeMicroseconds: Int64 = 60_000_000, beaconExitTimeoutMicroseconds: Int64 = 30_000_000,
    beaconInitialTimeoutMicroseconds: Int64 = 30_000_000, maxTimeStepMicroseconds: Int64? = nil,
    path: Path = .fixes, plausibility: Plausibility? = nil,
    accuracyConfidence: Double = PositionError.defaultConfidence, order: Order = .add
  ) {
    self.delivery = delivery
    self.conditionLimit = conditionLimit
    self.maxPendingEvents = maxPendingEvents
    self.initialFixMaxAgeMicroseconds = initialFixMaxAgeMicroseconds
    self.beaconExitTimeoutMicroseconds = beaconExitTimeoutMicroseconds
    self.beaconInitialTimeoutMicroseconds = beaconInitialTimeoutMicroseconds
    self.maxTimeStepMicroseconds = maxTimeStepMicroseconds
    self.path = path
    self.plausibility = plausibility
    self.accuracyConfidence = accuracyConfidence
    self.order = order
  }

  /// The options that correspond to Core Location: delivery of the first waiting event, and 20 conditions.
  public static let coreLocation = MonitorOptions(delivery: .first, conditionLimit: 20)

  /// A message about the first value that is out of range, with the name that the value has in C and Python; `nil` if
  /// the options are valid.
  @_optimize(size)
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
    if PositionError.defect(ofConfidence: accuracyConfidence) != nil {
      return "accuracy_confidence is \(accuracyConfidence); must be from 0.01 to 0.9999"
    }
    return path.defect ?? plausibility?.defect
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

extension MonitorOptions {
  /// The assumed movement of the device between two fixes.
  public enum Path: Sendable, Hashable {
    /// No movement is assumed; only the positions of the fixes count.
    case fixes
    /// The device moves along the geodesic at constant speed. The events are those of arbitrarily dense fixes on this path,
    /// each with the larger accuracy of the two ends.
    ///
    /// No path is assumed if the fixes are more than `maxGapMicroseconds` apart (1 … 10¹⁵), or if the device would be
    /// faster than `maxSpeed`, in metres per second (above 0; `nil` for any speed). The next event then has
    /// ``Event/followsGap``. The part of a path before the monitor's clock is late, like fixes at these times.
    case geodesic(maxGapMicroseconds: Int64, maxSpeed: Double? = nil)

    @inline(__always)
    var isGeodesic: Bool { if case .geodesic = self { true } else { false } }

    /// A message about the first value that is out of range; `nil` if the values are valid.
    @_optimize(size)
    var defect: String? {
      guard case .geodesic(let maxGap, let maxSpeed) = self else { return nil }
      let longest = TransitionPolicy.longestDuration
      guard (1...longest).contains(maxGap) else {
        return "max_gap is \(maxGap) microseconds; must be from 1 to \(longest)"
      }
      if let maxSpeed, !(maxSpeed > 0 && maxSpeed.isFinite) {
        return "max_speed is \(maxSpeed); must be finite and above 0 metres a second, or unset"
      }
      return nil
    }
  }
}
