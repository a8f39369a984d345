/// A condition and its last handled event.
public struct Record: Sendable {
  /// The condition as it was added.
  public var condition: any Condition
  /// The last handled event; before the first event, a record with sequence 0 and the assumed state.
  public var lastEvent: Event
  /// The policy that defines when a crossing of the condition counts.
  public var policy: TransitionPolicy
  /// When the condition is active, and which of its events depend on time alone.
  public var timing: ConditionTiming
  /// The altitudes between which the shape reaches.
  public var band: AltitudeBand

  public init(
    condition: any Condition, lastEvent: Event, policy: TransitionPolicy, timing: ConditionTiming = .none,
    band: AltitudeBand = .none
  ) {
    self.condition = condition
    self.lastEvent = lastEvent
    self.policy = policy
    self.timing = timing
    self.band = band
  }
}
