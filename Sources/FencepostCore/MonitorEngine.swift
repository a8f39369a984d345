import FencepostKernel

/// A monitor's whole state as one value: inputs go in, events come out, the same for the same inputs.
///
/// The engine reads no clock, does no I/O and starts no thread. Copying the value forks the monitor. It is not
/// locked: ``Monitor`` isolates it with an actor, the C face with a mutex.
///
/// The parts: `ConditionTable` is what is watched, `Tracker` what the one device did, `Delivery` what the consumer
/// was told.
public struct MonitorEngine: Sendable {
  /// `nil` for a private monitor.
  public let name: String?

  /// What is watched.
  package internal(set) var table: ConditionTable
  /// What the device did.
  var tracker: Tracker
  /// What the consumer was told.
  var delivery: Delivery

  /// Creates an empty monitor.
  ///
  /// - Throws: ``MonitorError/invalidName(_:)`` unless the name is `nil` or `[A-Za-z0-9_]{1,64}`;
  ///   ``MonitorError/invalidArgument(_:position:)`` when an option is out of range.
  public init(name: String? = nil, options: MonitorOptions = MonitorOptions()) throws(MonitorError) {
    if let name, !Self.isValidName(name) { throw .invalidName(name) }
    if let defect = options.defect { throw .invalidArgument(defect) }
    self.name = name
    tracker = Tracker(options)
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options.delivery)
  }

  /// An empty monitor without a name, with default options.
  package static var unnamed: MonitorEngine { MonitorEngine(trusted: nil, MonitorOptions()) }

  /// An empty monitor whose name and options are known to be sound.
  init(trusted name: String?, _ options: MonitorOptions) {
    self.name = name
    tracker = Tracker(options)
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options.delivery)
  }

  /// Takes options that are known to be sound, with the delivery and the limit that the monitor has.
  mutating func adopt(_ options: MonitorOptions) {
    tracker.adopt(options)
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

  /// How many inputs there were, those that were refused included.
  @inline(__always)
  var inputCount: UInt64 { tracker.counters.inputCount }

  /// The largest time given; `nil` before the first.
  public var currentTime: Timestamp? { clock == .min ? nil : Timestamp(microseconds: clock) }

  /// Counters and clock.
  public var statistics: MonitorStatistics {
    let counters = tracker.counters
    var result = MonitorStatistics()
    result.clock = currentTime
    result.inputCount = counters.inputCount
    result.acceptedFixes = counters.acceptedFixes
    result.invalidFixes = counters.invalidFixes
    result.lateInputs = counters.lateInputs
    result.aheadInputs = counters.aheadInputs
    result.acceptedSightings = counters.acceptedSightings
    result.pendingEvents = pendingEvents
    result.handedOutEvents = delivery.lastSequence
    result.conditionCount = table.count
    return result
  }

  /// Refuses an input by the rules of ``Admission``, and counts it. The caller counts an input that is not refused.
  ///
  /// - Parameter maxStep: How far it may be ahead of the clock, microseconds; `nil` = as far as the options say.
  mutating func admit(_ time: Timestamp, maxStep: Int64? = nil) throws(MonitorError) {
    do throws(MonitorError) {
      try Admission.check(
        time, isFull: isFull, limit: options.maxPendingEvents, clock: clock, reference: clock,
        longestStep: maxStep ?? maxTimeStep)
    } catch {
      tracker.counters.count(refused: error)
      throw error
    }
    if clock == .min { tracker.startAbsences(at: time.microseconds, table) }
  }

  /// How far an input may be ahead of the clock, microseconds.
  @inline(__always)
  var maxTimeStep: Int64 { options.maxTimeStepMicroseconds ?? .max }

  /// Whether so many events wait that inputs are refused.
  var isFull: Bool { pendingEvents >= options.maxPendingEvents }

  /// Tells the monitor that time has passed: what is due up to and at that time is confirmed. This is the host's word:
  /// it may be ahead of the clock by any distance.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public mutating func advance(to time: Timestamp) throws(MonitorError) {
    try admit(time, maxStep: .max)
    tracker.counters.countOther()
    var survey = Survey()
    tracker.passTime(to: time, table, &delivery, &survey)
    tracker.confirmDue(through: clock, table, &delivery, &survey)
  }
}
