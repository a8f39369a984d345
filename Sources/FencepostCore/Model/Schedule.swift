/// The intervals in which a condition is active.
///
/// An interval contains its start, but not its end. Outside the intervals, the state of the condition is unknown, and
/// the condition causes no events. Many conditions can share one schedule.
public final class Schedule: Sendable {
  /// The start and the end of each interval, in order.
  let runs: EdgeRuns
  /// The time from which the schedule is not known, in microseconds; `Int64.max` if the intervals are all there are.
  package let end: Int64

  /// The largest number of intervals.
  public static let mostIntervals = 10_000

  /// The message about too many intervals.
  package static var tooMany: String { "active has too many intervals; must have at most 10000" }

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - intervals: Disjoint intervals in order. Intervals that touch are joined.
  ///   - end: The time up to which the schedule is known; `nil` if the intervals are all there are. From then on, the
  ///     condition has the flag ``Diagnostics/scheduleEnded``.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose position is the number of the interval.
  public convenience init(_ intervals: [(start: Timestamp, end: Timestamp)], until end: Timestamp? = nil)
    throws(MonitorError)
  {
    var given: ContiguousArray<Int64> = []
    for interval in intervals {
      given.append(interval.start.microseconds)
      given.append(interval.end.microseconds)
    }
    let edges = try Self.joined(given, until: end?.microseconds)
    self.init(joined: edges, until: end?.microseconds)
  }

  /// Creates a schedule from the start and the end of each interval.
  ///
  /// This is a function, because Embedded Swift leaks an object if its initialiser throws.
  package static func checked(_ edges: ContiguousArray<Int64>, until end: Int64?) throws(MonitorError) -> Schedule {
    let edges = try joined(edges, until: end)
    return Schedule(joined: edges, until: end)
  }

  private init(joined edges: ContiguousArray<Int64>, until end: Int64?) {
    runs = EdgeRuns(edges)
    self.end = end ?? .max
  }

  /// Checks the start and the end of each interval, and joins intervals that touch.
  @inline(never)
  private static func joined(
    _ given: ContiguousArray<Int64>, until end: Int64?
  ) throws(MonitorError) -> ContiguousArray<Int64> {
    let count = given.count / 2
    func refuse(_ row: Int, _ what: String) -> MonitorError {
      .invalidArgument("interval \(row) of active " + what, position: row)
    }
    guard count <= mostIntervals else { throw .invalidArgument(tooMany) }
    if let end, !Timestamp(microseconds: end).isValid {
      throw .invalidArgument("active_until is out of range; must be in the years 1 to 9999")
    }
    var edges: ContiguousArray<Int64> = []
    edges.reserveCapacity(2 * count)
    for row in 0..<count {
      let start = given[2 * row]
      let finish = given[2 * row + 1]
      guard Timestamp(microseconds: start).isValid, Timestamp(microseconds: finish).isValid else {
        throw refuse(row, "is out of range; must be in the years 1 to 9999")
      }
      guard start < finish else { throw refuse(row, "is empty; must end after its start") }
      guard let last = edges.last, start <= last else {
        edges.append(start)
        edges.append(finish)
        continue
      }
      guard start == last else {
        throw refuse(row, "starts before the end of the interval before; must be in order, without overlap")
      }
      edges[edges.count - 1] = finish
    }
    if let end, let last = edges.last, last > end {
      throw .invalidArgument("the last interval of active ends after active_until; must end at or before it")
    }
    return edges
  }

  /// The number of starts and ends.
  package var edgeCount: Int { runs.count }

  /// Returns the start or end with an index, in microseconds, in order of time.
  package func edge(_ index: Int) -> Int64 { runs[index] }

  /// Whether a time is in an interval.
  func isActive(at time: Int64) -> Bool { runs.count(through: time) % 2 == 1 }

  /// Whether the schedule is not known at a time.
  func hasEnded(at time: Int64) -> Bool { time >= end }

  /// Returns the first start, end, or end of the schedule after a time, or `Int64.max`.
  func nextEdge(after time: Int64) -> Int64 {
    let passed = runs.count(through: time)
    return min(passed < runs.count ? runs[passed] : .max, time < end ? end : .max)
  }

  /// Returns the last start up to and at a time; `Int64.min` without one.
  func lastStart(through time: Int64) -> Int64 {
    let passed = runs.count(through: time)
    return passed == 0 ? .min : runs[(passed - 1) & ~1]
  }

  /// Returns the first start after a time, or `nil`.
  package func nextStart(after time: Int64) -> Int64? {
    let passed = runs.count(through: time)
    let next = passed + passed % 2
    return next < runs.count ? runs[next] : nil
  }
}

extension Schedule: Hashable {
  public static func == (one: Schedule, other: Schedule) -> Bool {
    one === other || (one.end == other.end && one.runs == other.runs)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(end)
    hasher.combine(runs.count)
    for offset in runs.offsets { hasher.combine(offset) }
  }
}

/// When a condition is active, and which of its events depend on time alone.
public struct ConditionTiming: Sendable, Hashable {
  /// The values of a timing that differs from ``none``. Many conditions can share them.
  private final class Storage: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private struct Values: Hashable {
    var schedule: Schedule?
    var absentAfter: Int64 = 0
    var repeatEvery: Int64 = 0
    var repeatLimit: UInt32 = 1_000
    var maxEvents: UInt32 = 0
  }

  /// `nil` for ``none``. A reference makes a definition small.
  private var storage: Storage?

  private var values: Values {
    @inline(never) get { storage?.values ?? Values() }
    @inline(never) set { storage = newValue == Values() ? nil : Storage(newValue) }
  }

  /// The intervals in which the condition is active; `nil` = always.
  public var schedule: Schedule? {
    get { storage?.values.schedule }
    set { values.schedule = newValue }
  }

  /// After this time without a determination, an undetermined shape is unsatisfied, in microseconds; 0 = never.
  public var absentAfterMicroseconds: Int64 {
    get { storage?.values.absentAfter ?? 0 }
    set { values.absentAfter = newValue }
  }

  /// While the condition is satisfied, an event repeats the state at each multiple of this time, in microseconds; 0 =
  /// no repeats.
  public var repeatEveryMicroseconds: Int64 {
    get { storage?.values.repeatEvery ?? 0 }
    set { values.repeatEvery = newValue }
  }

  /// The largest number of repeats while the condition stays satisfied.
  public var repeatLimit: UInt32 {
    get { values.repeatLimit }
    set { values.repeatLimit = newValue }
  }

  /// The number of events after which the condition is exhausted; 0 = no limit. Diagnostic events do not count.
  public var maxEvents: UInt32 {
    get { storage?.values.maxEvents ?? 0 }
    set { values.maxEvents = newValue }
  }

  public init(
    schedule: Schedule? = nil, absentAfterMicroseconds: Int64 = 0, repeatEveryMicroseconds: Int64 = 0,
    repeatLimit: UInt32 = 1_000, maxEvents: UInt32 = 0
  ) {
    values = Values(
      schedule: schedule, absentAfter: absentAfterMicroseconds, repeatEvery: repeatEveryMicroseconds,
      repeatLimit: repeatLimit, maxEvents: maxEvents)
  }

  /// The options of a condition that is always active and has none of the others.
  public static let none = ConditionTiming()

  /// The largest number of repeats of one stay: a late ``MonitorEngine/advance(to:)`` reports each, so the number of
  /// its events must stay small.
  static var mostRepeats: UInt32 { 1_000_000 }

  /// The shortest time between repeats, in microseconds.
  static var shortestRepeat: Int64 { 1_000_000 }

  /// Whether this is ``none``.
  @inline(__always)
  var isNone: Bool { storage == nil }

  @inline(never)
  public static func == (one: ConditionTiming, other: ConditionTiming) -> Bool {
    one.storage === other.storage || one.values == other.values
  }

  @inline(never)
  public func hash(into hasher: inout Hasher) { values.hash(into: &hasher) }

  /// Whether ensuring one condition would keep the other, whose schedule is then taken over.
  @inline(never)
  func isNearlyEqual(to other: ConditionTiming) -> Bool {
    if storage === other.storage { return true }
    var retimed = values
    retimed.schedule = other.schedule
    return retimed == other.values
  }
}
