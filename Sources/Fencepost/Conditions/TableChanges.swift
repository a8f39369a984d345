/// What changed in a ``ConditionTable``, oldest first: a tracker replays what it has not seen yet, so that a condition can
/// come and go without every tracker being visited.
///
/// Only the latest changes are kept. A tracker that is further behind compares generations instead.
struct TableChanges: Sendable {
  /// How many changes are kept at least: what a tracker may be behind without looking at every condition. More cost
  /// sixteen bytes each and save nothing while trackers replay at each call.
  static let kept = 64

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

  mutating func append(_ change: Change) {
    if latest.count == 2 * Self.kept { latest.removeFirst(Self.kept) }
    latest.append(change)
    version += 1
  }

  /// The changes after a version, oldest first; `nil` when they are not all kept.
  func since(_ version: UInt64) -> ArraySlice<Change>? {
    let missing = self.version - version
    return missing <= UInt64(latest.count) ? latest[(latest.count - Int(missing))...] : nil
  }
}
