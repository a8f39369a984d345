/// The changes of a ``ConditionTable``, oldest first. A tracker replays the changes that it has not seen, so that
/// adding or removing a condition does not visit every tracker.
///
/// The owner of the trackers drops the changes that all of them have seen. Until then, every change is kept.
struct TableChanges: Sendable {
  enum Change: Sendable, Equatable {
    /// A condition was added to a slot. `replaced` is the generation of the condition that it replaced, or 0.
    case entered(UInt32, replaced: UInt64)
    /// The condition with that generation was removed from a slot.
    case left(UInt32, generation: UInt64)
    /// A condition that waited under the limit is now monitored.
    case promoted(UInt32)
  }

  /// The number of all changes so far.
  private(set) var version: UInt64 = 0
  private var latest: ContiguousArray<Change> = []
  /// Whether changes are recorded, and not only counted.
  private(set) var isLogged = true

  mutating func append(_ change: Change) {
    if isLogged { latest.append(change) }
    version += 1
  }

  /// Counts the replacement of a whole table as one change. The version continues after that of the replaced table.
  mutating func startVersions(after version: UInt64) { self.version = max(self.version, version) + 1 }

  /// Stops recording changes; from now on they are only counted.
  mutating func stopLog() {
    isLogged = false
    latest = []
  }

  /// Returns the changes after a version, oldest first, without dropped changes.
  func since(_ version: UInt64) -> ArraySlice<Change> {
    latest.suffix(Int(min(self.version - version, UInt64(latest.count))))
  }

  /// Drops the changes up to a version that every tracker has seen.
  mutating func drop(through version: UInt64) {
    let kept = Int(min(self.version - version, UInt64(latest.count)))
    latest.removeFirst(latest.count - kept)
  }
}
