/// What changed in a ``ConditionTable``, oldest first: a tracker replays what it has not seen yet, so that a condition can
/// come and go without every tracker being visited.
///
/// The owner of the trackers drops the changes that all of them have seen; until then every change is kept.
struct TableChanges: Sendable {
  enum Change: Sendable, Equatable {
    /// A condition came into a slot, in place of one that was there (with that generation) or of none (0).
    case entered(UInt32, replaced: UInt64)
    /// The condition of that generation left a slot.
    case left(UInt32, generation: UInt64)
    /// A condition that waited under the limit is monitored from now on.
    case promoted(UInt32)
  }

  /// How many changes there were.
  private(set) var version: UInt64 = 0
  private var latest: ContiguousArray<Change> = []
  /// Whether changes are recorded, and not only counted.
  private var isLogged = true

  mutating func append(_ change: Change) {
    if isLogged { latest.append(change) }
    version += 1
  }

  /// Counts the replacement of a whole table, which had a version, as one change.
  mutating func startVersions(after version: UInt64) { self.version = max(self.version, version) + 1 }

  /// Records no changes from now on.
  mutating func stopLog() {
    isLogged = false
    latest = []
  }

  /// The changes after a version, oldest first, of those that were not dropped.
  func since(_ version: UInt64) -> ArraySlice<Change> {
    latest.suffix(Int(min(self.version - version, UInt64(latest.count))))
  }

  /// Drops the changes up to a version, which every tracker has seen.
  mutating func drop(through version: UInt64) {
    let kept = Int(min(self.version - version, UInt64(latest.count)))
    latest.removeFirst(latest.count - kept)
  }
}
