/// The rules that decide whether the time of an input is accepted. The rules are the same for a monitor, for each
/// device of a fleet, and for an advance of all devices.
enum Admission {
  /// Throws an error if an input must be refused. ``InputCounters/count(refused:)`` counts the error.
  ///
  /// The rules apply in this order: an invalid input is refused as invalid, even if the queue is full; if the queue is
  /// full, the time is not compared with any clock.
  ///
  /// - Parameters:
  ///   - isFull: Whether inputs are refused because too many events are waiting.
  ///   - limit: The maximum number of waiting events.
  ///   - clock: The time before which an input is late; `Int64.min` if there is no clock yet.
  ///   - reference: The time from which `longestStep` is measured; `Int64.min` if a step may have any length.
  ///   - longestStep: The longest step that is accepted, in microseconds.
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
    // Any two valid times are less than 2⁶² microseconds apart, so the subtraction cannot overflow.
    if reference != .min, time.microseconds - reference > longestStep {
      throw .aheadOfClock(time: time, clock: Timestamp(microseconds: reference), limit: longestStep)
    }
  }
}

/// The number of inputs of each kind, and how many of them were refused. The inputs are those of a monitor, of a device
/// of a fleet, or of a whole fleet.
struct InputCounters: Sendable, Equatable {
  var acceptedFixes: UInt64 = 0
  var invalidFixes: UInt64 = 0
  var lateInputs: UInt64 = 0
  var aheadInputs: UInt64 = 0
  /// The number of fixes that the device cannot have reached; see ``Plausibility``.
  var doubtedFixes: UInt64 = 0
  var acceptedSightings: UInt64 = 0
  /// The number of accepted inputs of other kinds, of rewinds, and of inputs other than fixes with an invalid time. A
  /// fleet counts these only for its devices, not for itself.
  var others: UInt64 = 0

  /// The number of all inputs, except those that were refused because the queue was full: the host feeds these inputs
  /// again.
  var inputCount: UInt64 {
    get {
      acceptedFixes &+ invalidFixes &+ lateInputs &+ aheadInputs &+ doubtedFixes &+ acceptedSightings &+ others
    }
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

  /// The addition wraps on overflow, because in a damaged row of a monitor `inputCount` may be less than the sum of the
  /// other counters.
  mutating func countOther() { others &+= 1 }
}

extension FeedResult {
  /// The counts of one fix.
  init(_ outcome: FixOutcome) {
    switch outcome {
    case .accepted: accepted = 1
    case .invalid: invalid = 1
    case .doubted: doubted = 1
    }
  }

  /// Feeds one row of a batch and counts it.
  ///
  /// - Parameter feed: Feeds the fix of the row.
  /// - Throws: ``MonitorError/queueFull(limit:position:)`` with the number of the row; the row has then changed
  ///   nothing.
  @inline(__always)
  mutating func count(row: Int, _ feed: () throws(MonitorError) -> FixOutcome) throws(MonitorError) {
    do throws(MonitorError) {
      switch try feed() {
      case .accepted: accepted += 1
      case .invalid: invalid += 1
      case .doubted: doubted += 1
      }
    } catch {
      switch error {
      case .lateInput, .aheadOfClock: late += 1
      case .queueFull(let limit, _): throw .queueFull(limit: limit, position: row)
      default: throw error
      }
    }
  }
}
