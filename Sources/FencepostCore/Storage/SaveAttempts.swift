/// Whether a storage took what it was given last, and when to try again where it did not.
struct SaveAttempts: Sendable {
  /// Why the last attempt to save failed; `nil` when it did not.
  private(set) var failure: MonitorError?
  /// Attempts in a row that failed, and changes to let pass before the next one.
  private var failures = 0
  private var patience = 0

  /// A failing disk is not asked at each change: after 1, 2, 4 … 64 further ones.
  private static let mostDoublings = 7

  /// Takes note that a change is to be saved; whether that is to be tried.
  mutating func mayTry() -> Bool {
    guard failure != nil, patience > 0 else { return true }
    patience -= 1
    return false
  }

  mutating func fail(_ error: MonitorError) {
    failure = error
    failures = min(failures + 1, Self.mostDoublings)
    patience = (1 << (failures - 1)) - 1
  }

  mutating func succeed() {
    failure = nil
    failures = 0
  }

  /// What that says of the storage.
  func status(of storage: (any StateStorage)?) -> StoreStatus {
    guard let storage else { return .none }
    guard failure != nil else { return .kept }
    return storage.isGone ? .gone : .failing
  }
}
