/// An event as the engine keeps it: numbers only; the identifier, tag and UUID are those of the condition.
///
/// An entry belongs to one generation of a condition. When the condition was removed or replaced meanwhile the
/// entry is void.
@frozen
public struct EventEntry: Sendable {
  /// Given at the first hand-out.
  public var sequence: UInt64 = 0
  /// Place in the order in which observed changes happened.
  public var change: UInt64 = 0
  public var generation: UInt64
  /// Microseconds; `Int64.min` = unset.
  public var date: Int64
  public var evidenceDate: Int64 = .min
  public var latitude: Double = .nan
  public var longitude: Double = .nan
  public var accuracy: Double = .nan
  public var boundaryDistance: Double = .nan
  public var slot: UInt32
  public var diagnostics: Diagnostics = []
  public var refinementMajor: UInt16 = 0
  public var refinementMinor: UInt16 = 0
  public var hasRefinement = false
  public var state: Event.State
  public var cause: Event.Cause
  /// Which bit of the policy decides whether it becomes an event; empty for diagnostics, which always do.
  public var notify: TransitionPolicy.Notify = []

  init(slot: UInt32, generation: UInt64, state: Event.State, cause: Event.Cause, date: Timestamp?) {
    self.slot = slot
    self.generation = generation
    self.state = state
    self.cause = cause
    self.date = date?.microseconds ?? .min
  }

  mutating func setRefinement(_ beacon: BeaconIdentityCondition?) {
    hasRefinement = beacon != nil
    refinementMajor = beacon?.major ?? 0
    refinementMinor = beacon?.minor ?? 0
  }
}
