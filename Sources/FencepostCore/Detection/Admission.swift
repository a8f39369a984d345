/// The rules by which an input is refused for its time: the same for a monitor, for each device of a fleet, and for an
/// advance of all devices.
enum Admission {
  /// Throws unless an input may take effect at a time. ``InputCounters/count(refused:)`` counts the error.
  ///
  /// An input that is invalid is that first; one that meets a full queue is not compared with any clock.
  ///
  /// - Parameters:
  ///   - isFull: Whether so many events wait that inputs are refused.
  ///   - limit: How many events may wait.
  ///   - clock: No input may be earlier; `Int64.min` = there is no time yet.
  ///   - reference: The time from which the longest step counts; `Int64.min` = none, so that a step may have any length.
  ///   - longestStep: In microseconds.
  @inline(__always)
  static func check(
    _ time: Timestamp, isFull: @autoclosure () -> Bool, limit: Int, clock: Int64, reference: @autoclosure () -> Int64,
    longestStep: Int64
  ) throws(MonitorError) {
    if !time.isValid, let defect = time.defect { throw .invalidArgument(defect) }
    guard !isFull() else { throw .queueFull(limit: limit) }
    guard time.microseconds >= clock else {
      throw .lateInput(time: time, clock: Timestamp(microseconds: clock))
    }
    let reference = reference()
    // Valid times are less than 2⁶² apart.
    if reference != .min, time.microseconds - reference > longestStep {
      throw .aheadOfClock(time: time, clock: Timestamp(microseconds: reference), limit: longestStep)
    }
  }
}

/// How many inputs of each kind there were, and how many of them were refused: of a monitor, of a device of a fleet, or of a
/// fleet.
struct InputCounters: Sendable, Equatable {
  var acceptedFixes: UInt64 = 0
  var invalidFixes: UInt64 = 0
  var lateInputs: UInt64 = 0
  var aheadInputs: UInt64 = 0
  var acceptedSightings: UInt64 = 0
  /// Accepted inputs of other kinds, rewinds, and inputs other than fixes with an invalid time. A fleet counts them for its
  /// devices only.
  var others: UInt64 = 0

  /// All inputs, without those that met a full queue: the host feeds these again.
  var inputCount: UInt64 {
    get { acceptedFixes &+ invalidFixes &+ lateInputs &+ aheadInputs &+ acceptedSightings &+ others }
    set { others = newValue &- (inputCount &- others) }
  }

  /// Counts an input that ``Admission`` refused.
  mutating func count(refused error: MonitorError) {
    switch error {
    case .queueFull: break
    case .lateInput: lateInputs += 1
    case .aheadOfClock: aheadInputs += 1
    default: countOther()
    }
  }

  /// Wraps: in a damaged row of a monitor `inputCount` may be less than the sum of the others.
  mutating func countOther() { others &+= 1 }
}

extension FeedResult {
  /// Feeds one row of a batch and counts it.
  ///
  /// - Parameter feed: Feeds the row's fix; returns whether the fix is usable.
  /// - Throws: ``MonitorError/queueFull(limit:position:)`` with the row: it has changed nothing.
  @inline(__always)
  mutating func count(row: Int, _ feed: () throws(MonitorError) -> Bool) throws(MonitorError) {
    do throws(MonitorError) {
      if try feed() { accepted += 1 } else { invalid += 1 }
    } catch {
      switch error {
      case .lateInput, .aheadOfClock: late += 1
      case .queueFull(let limit, _): throw .queueFull(limit: limit, position: row)
      default: throw error
      }
    }
  }
}
