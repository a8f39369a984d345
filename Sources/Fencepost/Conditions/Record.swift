/// A condition and its last handled event.
public struct Record: Sendable {
  /// The condition as it was added.
  public var condition: any Condition
  /// The last handled event; before the first event, a record with sequence 0 and the assumed state.
  public var lastEvent: Event
  /// The policy that defines when a crossing of the condition counts.
  public var policy: TransitionPolicy

  public init(condition: any Condition, lastEvent: Event, policy: TransitionPolicy) {
    self.condition = condition
    self.lastEvent = lastEvent
    self.policy = policy
  }
}
