/// Whether a storage took what it was given last, and when to try again where it did not.
///
/// A failed attempt costs time in proportion to what it tried to write. So that a full disk does not stop the work, the
/// next attempt waits until what is not saved has doubled, until ``inputsPerChange`` inputs have come for each change
/// that the last one tried to write, or until event time has passed: one minute, twice as long after each attempt that came
/// for that reason. Attempts for the other reasons do not lengthen it, or a disk that was full for an hour of busy work would
/// be tried again after a day.
struct SaveAttempts: Sendable {
  /// What is not saved, and how far the inputs have come.
  struct Progress {
    /// How many rows an attempt writes, about.
    var changes: Int
    /// All inputs so far.
    var inputs: UInt64
    /// The largest time of an input, microseconds; `Int64.min` = none.
    var time: Int64
  }

  /// Why the last attempt to save failed; `nil` when it did not.
  private(set) var failure: MonitorError?
  /// At the last attempt that failed.
  private var last = Progress(changes: 0, inputs: 0, time: .min)
  private var wait = Self.leastWait
  /// Whether two attempts in a row failed: the first failure may be over with the next change.
  private var isLasting = false

  private static let inputsPerChange: UInt64 = 8
  /// Microseconds of event time.
  private static let leastWait: Int64 = 60_000_000
  private static let mostWait: Int64 = 86_400_000_000

  /// Whether to try to save now. Nothing is tried again as long as nothing new has come.
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

  /// Whether enough work came since the last failure for another attempt.
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

  /// What that says of the storage.
  func status(of storage: (any StateStorage)?) -> StoreStatus {
    guard let storage else { return .none }
    guard failure != nil else { return .kept }
    return storage.isGone ? .gone : .failing
  }
}
