/// What became of the conditions of a set.
public struct SyncResult: Sendable, Hashable {
  /// No condition had the identifier.
  public var added = 0
  /// A condition that differs had the identifier: new record, new generation, its waiting events are dropped.
  public var replaced = 0
  /// An equal condition was there: nothing happened to it.
  public var kept = 0
  /// It was not in the set.
  public var removed = 0

  public init() {}

  /// The result of a set that changed nothing.
  package init(kept: Int) { self.kept = kept }

  /// How many were not left alone.
  public var changed: Int { added + replaced + removed }
}
