/// The reason why a condition is in its present state, and the smallest change that would decide it.
///
/// Values that do not apply are `nil`. Distances are in metres.
public struct Explanation: Sendable, Hashable {
  /// The first reason in this order that applies. The numbers are part of the C interface.
  @frozen
  public enum Reason: Int32, Sendable, Hashable, CaseIterable {
    /// The condition exceeds the condition limit, or its kind cannot be monitored here.
    case unmonitored = 1
    /// A host capability is missing.
    case suspended = 2
    /// A beacon condition while the host has declared that it does not scan.
    case scannerOff = 3
    /// An undetermined shape for which no fix was evaluated since it became undetermined.
    case noFixYet = 4
    /// A shape that the last fix could not decide only because of its accuracy.
    case tooCoarse = 5
    /// A shape with a candidate.
    case dwelling = 6
    /// A shape whose last fix was on the other side, but not decisive.
    case withinMargin = 7
    /// A shape whose state and last fix are inside.
    case inside = 8
    /// A shape whose state and last fix are outside.
    case outside = 9
    /// A beacon condition that is undetermined.
    case notSeenYet = 10
    /// A beacon condition with a matching beacon near.
    case seen = 11
    /// A beacon condition without a matching beacon near.
    case absent = 12
    /// A shape whose last fix could decide it by its position, but not by its probability.
    case uncertain = 13
    /// A condition outside the intervals of its schedule, or an exhausted one.
    case inactive = 14
    /// A shape with a band whose last fix was within the shape, but its height above the limits is not known.
    case noHeight = 15
    /// A rule, whose state follows from the states of its parts.
    case parts = 16
  }

  public var reason: Reason
  /// The observed state; `unknown` while the condition is undetermined. The last reported state may differ.
  public var observed: Event.State = .unknown
  /// The flags that apply now.
  public var diagnostics: Diagnostics = []
  /// The signed boundary distance of the last evaluated fix, negative inside. For a circle, it is the geodesic distance
  /// to the centre minus the radius.
  public var boundaryDistance: Double?
  /// The boundary point that is nearest to the last evaluated fix.
  public var nearestBoundaryPoint: Coordinate?
  /// The accuracy of the last evaluated fix.
  public var accuracy: Double?
  /// The distance inside the line from which a fix of this accuracy is decisive.
  public var entryMargin: Double?
  /// The distance outside the line from which a fix of this accuracy is decisive.
  public var exitMargin: Double?
  /// The time of the fix that opened the candidate.
  public var candidateStart: Timestamp?
  /// The time at which the candidate's dwell ends, or at which the beacon counts as absent.
  public var deadline: Timestamp?
  /// The time of the last matching sighting.
  public var lastSighting: Timestamp?
  /// How much farther than the last fix a fix of the same accuracy must be to be decisive (``Reason/inside``,
  /// ``Reason/outside``, ``Reason/withinMargin``); `nil` with probabilities.
  public var metresToDecide: Double?
  /// The deadline minus the clock (``Reason/dwelling``, ``Reason/seen``, ``Reason/notSeenYet``). Negative if the dwell
  /// has passed and the policy waits for a fix.
  public var secondsToDecide: Double?
  /// The largest accuracy value with which the last fix would decide (``Reason/tooCoarse``, ``Reason/uncertain``).
  public var accuracyNeeded: Double?
  /// The probability that the shape contains the true position of the last evaluated fix; `nil` if the policy has no
  /// probabilities, or if the probability is undefined.
  public var probability: Double?
  /// The signed vertical distance of the last evaluated fix from the limits of the condition's ``AltitudeBand``; `nil`
  /// if it is not known, or if the condition has no band.
  public var verticalDistance: Double?
  /// The error ellipse of the last evaluated fix, if it has one and the policy has probabilities.
  public var ellipse: FixEllipse?
  /// The last doubted fix of a shape or line; `nil` if no fix was doubted since the last fix. See ``Plausibility``.
  public var doubt: Doubt?

  /// The parts of a rule, in the order of its definition; empty for other conditions.
  public var parts: [Part] = []

  /// A part of a rule.
  public struct Part: Sendable, Hashable {
    public var identifier: String
    /// The state as the rule counts it: `unsatisfied` for an inactive part, and `unknown` for a part that is missing,
    /// undetermined, suspended or unmonitored.
    public var state: Event.State
    /// The generation of the condition; `nil` if the table does not contain it.
    public var generation: UInt64?

    public static func == (one: Part, other: Part) -> Bool {
      one.identifier.hasBytes(of: other.identifier) && one.state == other.state && one.generation == other.generation
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(state)
      hasher.combine(generation)
    }
  }

  /// The reason why the latest fix was doubted.
  public struct Doubt: Sendable, Hashable {
    /// The geodesic distance from the last fix to the doubted fix, in metres.
    public var distance: Double
    /// The time between these two fixes, in seconds; at least 1.
    public var seconds: Double
    /// The greatest plausible speed, in metres per second.
    public var plausibleSpeed: Double
    /// The number of doubted fixes in a row that corroborate each other, at least 1.
    public var corroborations: Int
    /// The number of corroborations that are needed.
    public var corroborationsNeeded: Int
  }

  init(reason: Reason) {
    self.reason = reason
  }
}

extension Explanation.Reason {
  /// The name in lower case with underscores, as in the C interface without prefix.
  public var name: StaticString {
    switch self {
    case .unmonitored: "unmonitored"
    case .suspended: "suspended"
    case .scannerOff: "scanner_off"
    case .noFixYet: "no_fix_yet"
    case .tooCoarse: "too_coarse"
    case .dwelling: "dwelling"
    case .withinMargin: "within_margin"
    case .inside: "inside"
    case .outside: "outside"
    case .notSeenYet: "not_seen_yet"
    case .seen: "seen"
    case .absent: "absent"
    case .uncertain: "uncertain"
    case .inactive: "inactive"
    case .noHeight: "no_height"
    case .parts: "parts"
    }
  }
}
