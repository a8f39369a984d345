/// A condition with its identifier, policy and tag: an element of the sets that ``Monitor/ensure(_:)`` and
/// ``Monitor/sync(_:)`` accept.
public struct NamedCondition: Sendable {
  /// The identifier: 1 … 256 bytes of UTF-8 without a zero byte; identifiers are compared byte by byte.
  public var identifier: String
  /// Any kind of condition that ``Condition`` lists.
  public var condition: any Condition
  /// The state of the first record; ignored if the condition already exists. Not `unmonitored`.
  public var assuming: Event.State
  /// When a crossing counts. Beacon conditions use only the policy's `notify`.
  public var policy: TransitionPolicy
  /// A number of your choice, which is returned with each event.
  public var tag: UInt64
  /// When the condition is active, and which of its events depend on time alone.
  public var timing: ConditionTiming
  /// The altitudes between which the shape reaches.
  public var band: AltitudeBand

  public init(
    _ condition: any Condition, identifier: String, assuming: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none,
    band: AltitudeBand = .none
  ) {
    self.identifier = identifier
    self.condition = condition
    self.assuming = assuming
    self.policy = policy
    self.tag = tag
    self.timing = timing
    self.band = band
  }
}
