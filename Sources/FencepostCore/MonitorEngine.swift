import FencepostKernel

/// The whole state of a monitor as one value. The same inputs always give the same events.
///
/// The engine reads no clock, does no I/O and starts no thread. Copying the value forks the monitor. The value is not
/// locked: ``Monitor`` isolates it with an actor, and the C interface with a mutex.
///
/// It has three parts: `ConditionTable` contains the conditions, `Tracker` the observations of the device, and
/// `Delivery` what the consumer was told.
public struct MonitorEngine: Sendable {
  /// The name of the monitor; `nil` for a private monitor.
  public let name: String?

  /// The conditions.
  package internal(set) var table: ConditionTable
  /// The observations of the device.
  var tracker: Tracker
  /// What the consumer was told.
  var delivery: Delivery
  /// Whether the conditions are being made equal to a set.
  var isSyncing = false

  /// Creates an empty monitor.
  ///
  /// - Throws: ``MonitorError/invalidName(_:)`` unless the name is `nil` or `[A-Za-z0-9_]{1,64}`;
  ///   ``MonitorError/invalidArgument(_:position:)`` if an option is out of range.
  public init(name: String? = nil, options: MonitorOptions = MonitorOptions()) throws(MonitorError) {
    if let name, !Self.isValidName(name) { throw .invalidName(name) }
    if let defect = options.defect { throw .invalidArgument(defect) }
    self.name = name
    tracker = Tracker(options)
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options)
  }

  /// An empty monitor without a name, with default options.
  package static var unnamed: MonitorEngine { MonitorEngine(trusted: nil, MonitorOptions()) }

  /// Creates an empty monitor whose name and options are known to be valid.
  init(trusted name: String?, _ options: MonitorOptions) {
    self.name = name
    tracker = Tracker(options)
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options)
  }

  /// Sets options that are known to be valid. Their delivery and condition limit must be those of the monitor.
  mutating func adopt(_ options: MonitorOptions) {
    tracker.adopt(options)
    delivery.adopt(options.order)
  }

  public static func isValidName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  public var options: MonitorOptions { tracker.options }

  var clock: Int64 { tracker.clock }

  /// The number of inputs, including refused ones.
  @inline(__always)
  var inputCount: UInt64 { tracker.counters.inputCount }

  /// The latest time of any input; `nil` before the first input.
  public var currentTime: Timestamp? { clock == .min ? nil : Timestamp(microseconds: clock) }

  /// The counters and the clock of the monitor.
  public var statistics: MonitorStatistics {
    let counters = tracker.counters
    var result = MonitorStatistics()
    result.clock = currentTime
    result.inputCount = counters.inputCount
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.doubtedFixes = counters.doubtedFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.pendingEvents = pendingEvents
    result.handedOutEvents = delivery.lastSequence
    result.conditionCount = table.count
    return result
  }

  /// Checks an input by the rules of ``Admission``. If the input is refused, counts it and throws the error. If it is
  /// accepted, the caller counts it.
  ///
  /// - Parameter maxStep: The longest time that the input may be ahead of the clock, in microseconds; `nil` for the
  ///   limit in the options.
  mutating func admit(_ time: Timestamp, maxStep: Int64? = nil) throws(MonitorError) {
    do throws(MonitorError) {
      try Admission.check(
        time, isFull: isFull, limit: options.maxPendingEvents, clock: clock, reference: clock,
        longestStep: maxStep ?? maxTimeStep)
    } catch {
      tracker.counters.count(refused: error)
      throw error
    }
    if clock == .min {
      // First, because a beacon is absent only while its condition is active.
      if table.policies.hasTimings { tracker.startTimings(at: time.microseconds, table, &delivery) }
      tracker.startAbsences(at: time.microseconds, table)
    }
  }

  /// The longest time that an input may be ahead of the clock, in microseconds.
  @inline(__always)
  var maxTimeStep: Int64 { options.maxTimeStepMicroseconds ?? .max }

  /// Whether inputs are refused because too many events are waiting.
  var isFull: Bool { pendingEvents >= options.maxPendingEvents }

  /// Tells the monitor that time has passed: everything that is due up to and at that time is confirmed. The monitor
  /// trusts the host, so the time may be ahead of the clock by any amount.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``. If an error is thrown, nothing has changed except the counters.
  public mutating func advance(to time: Timestamp) throws(MonitorError) {
    try admit(time, maxStep: .max)
    tracker.counters.countOther()
    var survey = Survey()
    tracker.passTime(to: time, table, &delivery, &survey)
    tracker.confirmDue(through: clock, table, &delivery, &survey, ending: .time)
  }
}
