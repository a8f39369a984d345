/// The reasons why events of a condition are suspended or will be suspended.
///
/// The order of the bits is that of the flags in Core Location's headers; it is part of the C interface.
@frozen
public struct Diagnostics: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let authorizationDenied = Diagnostics(rawValue: 1 << 0)
  public static let authorizationDeniedGlobally = Diagnostics(rawValue: 1 << 1)
  public static let authorizationRestricted = Diagnostics(rawValue: 1 << 2)
  public static let insufficientlyInUse = Diagnostics(rawValue: 1 << 3)
  public static let accuracyLimited = Diagnostics(rawValue: 1 << 4)
  /// Set by the engine: this kind of condition cannot be monitored here.
  public static let conditionUnsupported = Diagnostics(rawValue: 1 << 5)
  /// Set by the engine: the condition limit is reached.
  public static let conditionLimitExceeded = Diagnostics(rawValue: 1 << 6)
  /// Set by the engine: the store cannot be written. This flag suspends nothing.
  public static let persistenceUnavailable = Diagnostics(rawValue: 1 << 7)
  public static let serviceSessionRequired = Diagnostics(rawValue: 1 << 8)
  public static let authorizationRequestInProgress = Diagnostics(rawValue: 1 << 9)

  /// Set by the engine: the condition is outside the intervals of its schedule, or exhausted. This flag alone causes no
  /// event.
  public static let inactive = Diagnostics(rawValue: 1 << 10)
  /// Set by the engine: the schedule of the condition says nothing about the present time.
  public static let scheduleEnded = Diagnostics(rawValue: 1 << 11)
  /// Set by the engine: the condition has had as many events as ``ConditionTiming/maxEvents`` allows.
  public static let exhausted = Diagnostics(rawValue: 1 << 12)

  /// The seven flags that a host may state.
  public static let hostFlags: Diagnostics = [
    .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .insufficientlyInUse,
    .accuracyLimited, .serviceSessionRequired, .authorizationRequestInProgress,
  ]
  /// All flags.
  static let all = Diagnostics(rawValue: 0x1FFF)
  /// The flags that suspend single conditions. The state of a condition with one of these flags is `unmonitored`.
  static let unmonitored: Diagnostics = [.conditionUnsupported, .conditionLimitExceeded]

  /// The flags that depend on the ``ConditionTiming`` of a condition.
  static let timing: Diagnostics = [.inactive, .scheduleEnded, .exhausted]

  /// The names of all flags in lower case, in the order of their bits.
  static let names: [StaticString] = [
    "authorization_denied", "authorization_denied_globally", "authorization_restricted", "insufficiently_in_use",
    "accuracy_limited", "condition_unsupported", "condition_limit_exceeded", "persistence_unavailable",
    "service_session_required", "authorization_request_in_progress", "inactive", "schedule_ended", "exhausted",
  ]

  /// Whether a condition with these flags is not evaluated.
  var suspends: Bool { !subtracting(.persistenceUnavailable).isEmpty }
}

extension Diagnostics {
  /// Whether two sets of flags differ in a flag that is reported to a consumer.
  func differs(from other: Diagnostics) -> Bool { !symmetricDifference(other).subtracting(.inactive).isEmpty }

  /// Whether these flags must be reported to a consumer whose last reported flags are `told`.
  func isNews(to told: Diagnostics) -> Bool {
    let difference = symmetricDifference(told).subtracting(.inactive)
    return !(isDisjoint(with: .unmonitored) ? difference.subtracting(.unmonitored) : difference).isEmpty
  }
}
