/// Whether the last save succeeded and, if not, when the next attempt is made.
///
/// A failed attempt takes time in proportion to the data that it tried to write. To prevent a full disk from stopping
/// the work, the next attempt waits until one of three things happens: the unsaved data doubles; ``inputsPerChange``
/// inputs arrive for each change that the last attempt tried to write; or event time passes. The wait in event time is
/// one minute at first, and doubles after each failed attempt that event time caused. Attempts for the other reasons do
/// not double it: otherwise a disk that was full during a busy hour would be tried again only after a day.
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
  /// Whether two attempts in a row have failed. After a single failure, the next change or input causes an attempt.
  private var isLasting = false

  private static let inputsPerChange: UInt64 = 8
  /// The shortest wait, in microseconds of event time.
  private static let leastWait: Int64 = 60_000_000
  private static let mostWait: Int64 = 86_400_000_000

  /// Returns whether to try to save now. Without new inputs or changes, there is no new attempt.
  ///
  /// - Parameter storage: If it is still full, work causes no attempt, which would write more than the last one and
  ///   fail too. Event time causes an attempt nevertheless, in case the storage is wrong about its free space.
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

  /// Records a failed attempt.
  mutating func fail(_ error: MonitorError, _ progress: Progress) {
    if isLasting, !isDueByWork(progress) { wait = min(wait * 2, Self.mostWait) }
    isLasting = failure != nil
    failure = error
    last = progress
  }

  /// Records a failed checkpoint. It does not delay the next attempt.
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
