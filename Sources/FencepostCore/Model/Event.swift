/// The direction in which a line was crossed, as seen when looking along the line from its first vertex to its last.
@frozen
public enum CrossingDirection: UInt8, Sendable, Hashable, CaseIterable {
  case leftToRight = 0
  case rightToLeft = 1
}

/// A change of the state of a condition, with the evidence for it.
public struct Event: Sendable, Hashable {
  /// The state of a condition. The numbers are those of Core Location, and are part of the C interface.
  @frozen
  public enum State: UInt8, Sendable, Hashable {
    /// The state has not been determined yet.
    case unknown = 0
    /// The device is inside the shape, or a matching beacon is near.
    case satisfied = 1
    /// The device is outside the shape, or no matching beacon is near.
    case unsatisfied = 2
    /// The condition is not monitored, because it exceeds the condition limit, or because its kind cannot be monitored
    /// here.
    case unmonitored = 3
  }

  /// The cause of an event.
  @frozen
  public enum Cause: UInt8, Sendable, Hashable {
    /// Nothing has happened yet: the first record of a condition.
    case none = 0
    /// The first evidence after the state was undetermined.
    case determination = 1
    /// A change from one side to the other.
    case crossing = 2
    /// No matching beacon was seen for the duration of the timeout.
    case timeout = 3
    /// Only the diagnostics changed, or monitoring stopped.
    case diagnostic = 4
    /// The condition is still satisfied; see ``ConditionTiming/repeatEveryMicroseconds``.
    case `repeat` = 5
  }

  /// The fix, or the point of the path between two fixes, that determined the state.
  @frozen
  public struct Evidence: Sendable, Hashable {
    /// The source of the position that determined a state.
    @frozen
    public enum Source: UInt8, Sendable, Hashable {
      /// A fix.
      case fix = 0
      /// A point of the path between two fixes; see ``MonitorOptions/Path``.
      case path = 1
    }

    public var coordinate: Coordinate
    /// The accuracy of the fix, in metres.
    public var accuracy: Double
    /// The signed distance to the boundary, in metres: the geodesic distance, which is negative inside. For a circle,
    /// it is the distance to the centre minus the radius.
    public var boundaryDistance: Double
    /// Whether the position is a fix or a point of a path.
    public var source: Source
    /// The probability that the shape contains the true position; `nil` if the policy of the condition has no
    /// probabilities.
    public var probability: Double?
    /// The signed vertical distance from the limits of the condition's ``AltitudeBand``, in metres, negative within the
    /// band; `nil` if it is not known, or if the condition has no band.
    public var verticalDistance: Double?

    public init(
      coordinate: Coordinate, accuracy: Double, boundaryDistance: Double, source: Source = .fix,
      probability: Double? = nil, verticalDistance: Double? = nil
    ) {
      self.coordinate = coordinate
      self.accuracy = accuracy
      self.boundaryDistance = boundaryDistance
      self.source = source
      self.probability = probability
      self.verticalDistance = verticalDistance
    }
  }

  /// The number of the event in its monitor: 1, 2, 3 … in the order of the first deliveries; 0 in a first record.
  public var sequence: UInt64 = 0
  /// The identifier of the condition.
  public var identifier: String
  public var state: State
  public var cause: Cause = .none
  /// The time at which the state was confirmed; `nil` in a record that was added before any time was known.
  public var date: Timestamp?
  /// The time of the fix or sighting that started the change.
  public var evidenceDate: Timestamp?
  /// The beacon that satisfied a wildcard condition.
  public var beacon: BeaconIdentityCondition?
  public var diagnostics: Diagnostics = []
  /// The generation of the condition: the number of its addition, which differs between a condition and its
  /// replacement.
  public var generation: UInt64
  /// The tag that the caller gave the condition.
  public var tag: UInt64 = 0
  /// The deciding fix; `nil` for beacons, diagnostics and first records.
  public var evidence: Evidence?
  /// Whether changes before the event may have been missed, because the path before it is unknown: this is the first
  /// event after a gap that is longer, or a path that is faster, than ``MonitorOptions/path`` allows.
  public var followsGap = false

  /// The direction in which a ``LineGeographicCondition`` was crossed; `nil` for all other events.
  public var direction: CrossingDirection?
  /// For a rule: the ``generation`` of the part that decided, the last of its parts that changed at the instant at which
  /// the rule began to change; `nil` if no part changed then, and for all other conditions.
  public var decidedBy: UInt64?

  public init(identifier: String, state: State, generation: UInt64) {
    self.identifier = identifier
    self.state = state
    self.generation = generation
  }
}

extension Event {
  public var authorizationDenied: Bool { diagnostics.contains(.authorizationDenied) }
  public var authorizationDeniedGlobally: Bool { diagnostics.contains(.authorizationDeniedGlobally) }
  public var authorizationRestricted: Bool { diagnostics.contains(.authorizationRestricted) }
  public var insufficientlyInUse: Bool { diagnostics.contains(.insufficientlyInUse) }
  public var accuracyLimited: Bool { diagnostics.contains(.accuracyLimited) }
  public var conditionUnsupported: Bool { diagnostics.contains(.conditionUnsupported) }
  public var conditionLimitExceeded: Bool { diagnostics.contains(.conditionLimitExceeded) }
  public var persistenceUnavailable: Bool { diagnostics.contains(.persistenceUnavailable) }
  public var serviceSessionRequired: Bool { diagnostics.contains(.serviceSessionRequired) }
  public var authorizationRequestInProgress: Bool { diagnostics.contains(.authorizationRequestInProgress) }
}
