import FencepostKernel

/// A monitor's whole state as one value: inputs go in, events come out, the same for the same inputs.
///
/// The engine reads no clock, does no I/O and starts no thread. Copying the value forks the monitor. It is not
/// locked: ``Monitor`` isolates it with an actor, the C face with a mutex.
///
/// The parts: `ConditionTable` holds the definitions and the spatial index; the tracking state of the one
/// device (`states`, `candidates`, `active`, `neighbourhood`, `beaconTracks`, `deadlines`) says what the
/// detectors believe; the delivery state (`queue`, `inFlight`, `records`) says what the consumer was told.
public struct MonitorEngine: Sendable {
  /// `nil` for a private monitor.
  public let name: String?
  public private(set) var options: MonitorOptions

  // Definitions.
  var table: ConditionTable
  /// How much of the table's changes the tracking and the delivery have seen.
  var seen: UInt64 = 0

  // Inputs.
  /// The largest time given, microseconds; `Int64.min` = unset.
  var clock: Int64 = .min
  var counters = MonitorStatistics()
  /// The latest fix with a valid position.
  var lastFix: Fix?
  var host = HostState()
  var isScanning = true

  // Tracking.
  var states = SharedSlots<SlotState>()
  var undetermined: ContiguousArray<UInt32> = []
  /// Whether `undetermined` is in add order.
  var undeterminedIsSorted = true
  var candidates: [UInt32: Candidate] = [:]
  var active = ActiveCircles()
  var neighbourhood = Neighbourhood()
  var deadlines = Deadlines()
  var beaconTracks: [UInt32: BeaconTrack] = [:]
  /// Beacon conditions added before any time was known: their absence is counted from the first time.
  var beaconsAwaitingClock: ContiguousArray<UInt32> = []

  /// What the consumer was told.
  var delivery: Delivery

  /// What has changed since the monitor was saved, where it has a storage.
  var journal = Journal()

  /// Creates an empty monitor.
  ///
  /// - Throws: ``MonitorError/invalidName(_:)`` unless the name is `nil` or `[A-Za-z0-9_]{1,64}`;
  ///   ``MonitorError/invalidArgument(_:position:)`` when an option is out of range.
  public init(name: String? = nil, options: MonitorOptions = MonitorOptions()) throws(MonitorError) {
    if let name, !Self.isValidName(name) { throw .invalidName(name) }
    if let defect = options.defect { throw .invalidArgument(defect) }
    self.name = name
    self.options = options
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options.delivery)
  }

  /// An empty monitor without a name, with default options.
  static var unnamed: MonitorEngine { MonitorEngine(trusted: nil, MonitorOptions()) }

  /// An empty monitor whose name and options are known to be sound.
  init(trusted name: String?, _ options: MonitorOptions) {
    self.name = name
    self.options = options
    table = ConditionTable(limit: options.conditionLimit)
    delivery = Delivery(options.delivery)
  }

  /// Takes options that are known to be sound, with the delivery and the limit that the monitor has.
  mutating func adopt(_ options: MonitorOptions) {
    self.options = options
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

  /// The largest time given; `nil` before the first.
  public var currentTime: Timestamp? { clock == .min ? nil : Timestamp(microseconds: clock) }

  /// Counters and clock.
  public var statistics: MonitorStatistics {
    var result = counters
    result.clock = currentTime
    result.pendingEvents = pendingEvents
    result.handedOutEvents = delivery.lastSequence
    result.conditionCount = table.count
    return result
  }

  /// Refuses an input that is out of range, late, too far ahead, or comes while the queue is full, and counts it.
  ///
  /// An input that is invalid is that first, whatever its time.
  ///
  /// - Parameter maxStep: How far it may be ahead of the clock, microseconds.
  mutating func admit(_ time: Timestamp, maxStep: Int64) throws(MonitorError) {
    if let defect = time.defect {
      counters.inputCount += 1
      throw .invalidArgument(defect)
    }
    guard !isFull else { throw .queueFull(limit: options.maxPendingEvents) }
    guard time.microseconds >= clock else {
      counters.inputCount += 1
      counters.lateInputs += 1
      throw .lateInput(time: time, clock: Timestamp(microseconds: clock))
    }
    if clock == .min {
      startAwaitingBeacons(at: time.microseconds)
    } else if time.microseconds - clock > maxStep {
      counters.inputCount += 1
      counters.aheadInputs += 1
      throw .aheadOfClock(time: time, clock: Timestamp(microseconds: clock), limit: maxStep)
    }
    counters.inputCount += 1
  }

  /// Refuses an input as ``admit(_:maxStep:)`` does, with the step of the options.
  mutating func admit(_ time: Timestamp) throws(MonitorError) {
    try admit(time, maxStep: maxTimeStep)
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
    var survey = Survey()
    passTime(to: time, &survey)
    confirmDue(through: clock, &survey)
  }

  /// Moves the clock to an input's time, after what is due strictly before it. What is due at that time comes after
  /// the input.
  mutating func passTime(to time: Timestamp, _ survey: inout Survey) {
    confirmDue(through: time.microseconds - 1, &survey)
    clock = time.microseconds
  }
}
