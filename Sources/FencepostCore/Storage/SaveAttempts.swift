/// Whether the last save succeeded and, if not, when the next attempt is made.
///
/// A failed attempt costs time in proportion to what it tried to write. So that a full disk does not stop the work, the
/// next attempt waits until what is not saved has doubled, until ``inputsPerChange`` inputs have come for each change
/// that the last one tried to write, or until event time has passed: one minute, twice as long after each attempt that came
/// for that reason. Attempts for the other reasons do not lengthen it, or a disk that was full for an hour of busy work would
/// be tried again after a day.
struct SaveAttempts: Sendable {
  /// The amount of unsaved data, and the progress of the inputs.
  struct Progress {
    /// The approximate number of rows that an attempt writes.
    var changes: Int
    /// The number of all inputs so far.
    var inputs: UInt64
    /// The latest time of an input, in microseconds; `Int64.min` before the first input.
    var time: Int64
  }

  /// The reason why the last attempt to save failed; `nil` if it succeeded.
  private(set) var failure: MonitorError?
  /// The progress at the last failed attempt.
  private var last = Progress(changes: 0, inputs: 0, time: .min)
  private var wait = Self.leastWait
  /// Whether two attempts in a row have failed. A single failure may be over at the next change.
  private var isLasting = false

  private static let inputsPerChange: UInt64 = 8
  /// The shortest wait, in microseconds of event time.
  private static let leastWait: Int64 = 60_000_000
  private static let mostWait: Int64 = 86_400_000_000

  /// Returns whether to try to save now. Without new inputs, there is no new attempt.
  ///
  /// - Parameter storage: If it is still full, no attempt is made because of work: it would write more than the last one, and
  ///   fail too. Attempts because of event time are made nevertheless, in case the storage is wrong about its room.
  mutating func mayTry(_ progress: Progress, _ storage: any StateStorage) -> Bool {
    guard failure != nil else { return true }
    guard isLasting else { return progress.inputs != last.inputs || progress.changes != last.changes }
    if isDueByWork(progress) {
      guard storage.isFull else { return true }
      last.changes = progress.changes
      last.inputs = progress.inputs
    }
    let (passed, isFar) = progress.time.subtractingReportingOverflow(last.time)
    return progress.time != last.time && (isFar || passed < 0 || passed >= wait)
  }

  /// Whether there was enough work since the last failure for another attempt.
  private func isDueByWork(_ progress: Progress) -> Bool {
    let changes = max(last.changes, 1)
    return progress.changes / 2 >= changes
      || (progress.inputs &- last.inputs) / Self.inputsPerChange >= UInt64(changes)
  }

  /// Notes that an attempt failed.
  mutating func fail(_ error: MonitorError, _ progress: Progress) {
    if isLasting, !isDueByWork(progress) { wait = min(wait * 2, Self.mostWait) }
    isLasting = failure != nil
    failure = error
    last = progress
  }

  /// Notes that a checkpoint failed. It does not delay the next attempt.
  mutating func failAsked(_ error: MonitorError, _ progress: Progress) {
    if failure == nil { fail(error, progress) } else { failure = error }
  }

  mutating func succeed() { self = SaveAttempts() }

  /// Returns the status of the storage that follows from the attempts.
  func status(of storage: (any StateStorage)?) -> StoreStatus {
    guard let storage else { return .none }
    guard failure != nil else { return .kept }
    return storage.isGone ? .gone : .failing
  }
}
