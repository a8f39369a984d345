/// Why a condition is in its state at the present moment, and the smallest change that would decide it.
///
/// What does not apply is `nil`. Distances are in metres.
public struct Explanation: Sendable, Hashable {
  /// The first of these that applies. The numbers are part of the C interface.
  @frozen
  public enum Reason: Int32, Sendable, Hashable, CaseIterable {
    /// Over the condition limit, or of a kind that cannot be monitored here.
    case unmonitored = 1
    /// A host capability is missing.
    case suspended = 2
    /// A beacon condition while scanning is declared off.
    case scannerOff = 3
    /// A circle that is undetermined, and no fix was evaluated since it became so.
    case noFixYet = 4
    /// A circle that the last fix could not decide because of its accuracy alone.
    case tooCoarse = 5
    /// A circle with an open candidate.
    case dwelling = 6
    /// A circle with its last fix on the other side, not decisive.
    case withinMargin = 7
    /// A circle whose state and last fix are inside.
    case inside = 8
    /// A circle whose state and last fix are outside.
    case outside = 9
    /// A beacon condition that is undetermined.
    case notSeenYet = 10
    /// A beacon condition with a matching beacon near.
    case seen = 11
    /// A beacon condition without a matching beacon near.
    case absent = 12
    /// A shape whose last fix could decide it by its position, but not by its probability.
    case uncertain = 13
  }

  public var reason: Reason
  /// What the detector believes; `unknown` while it is undetermined. The consumer may have been told otherwise.
  public var observed: Event.State = .unknown
  /// The flags in force.
  public var diagnostics: Diagnostics = []
  /// Signed boundary distance of the last evaluated fix: how far it is from the line, negative inside. Of a circle that is
  /// the geodesic distance to the centre minus the radius.
  public var boundaryDistance: Double?
  /// The place of the line that is nearest to the last evaluated fix.
  public var nearestBoundaryPoint: Coordinate?
  /// Accuracy of the last evaluated fix.
  public var accuracy: Double?
  /// How far inside the line a fix of that accuracy is decisive.
  public var entryMargin: Double?
  /// How far outside the line a fix of that accuracy is decisive.
  public var exitMargin: Double?
  /// Time of the fix that opened the candidate.
  public var candidateStart: Timestamp?
  /// When the candidate's dwell has passed, or when absence is established.
  public var deadline: Timestamp?
  /// Time of the last matching sighting.
  public var lastSighting: Timestamp?
  /// How far beyond the last fix a fix of the same accuracy would be decisive
  /// (``Reason/inside``, ``Reason/outside``, ``Reason/withinMargin``); `nil` with probabilities.
  public var metresToDecide: Double?
  /// Deadline minus clock (``Reason/dwelling``, ``Reason/seen``, ``Reason/notSeenYet``). Negative when the dwell has
  /// passed and the policy waits for a fix.
  public var secondsToDecide: Double?
  /// The largest accuracy value with which the last fix would decide (``Reason/tooCoarse``, ``Reason/uncertain``).
  public var accuracyNeeded: Double?
  /// The probability that the shape contains the true position of the last evaluated fix; `nil` if the policy has no
  /// probabilities, or if the probability is undefined.
  public var probability: Double?

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
    }
  }
}
