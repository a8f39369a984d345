/// How a line was crossed, as seen along it from its first vertex to its last.
@frozen
public enum CrossingDirection: UInt8, Sendable, Hashable, CaseIterable {
  case leftToRight = 0
  case rightToLeft = 1
}

/// A change of a condition, with the evidence that decided it.
public struct Event: Sendable, Hashable {
  /// State of a condition. The numbers are those of Core Location and part of the C interface.
  @frozen
  public enum State: UInt8, Sendable, Hashable {
    /// Nothing has decided it yet.
    case unknown = 0
    /// Inside the shape; a matching beacon is near.
    case satisfied = 1
    /// Outside the shape; no matching beacon is near.
    case unsatisfied = 2
    /// Not monitored: over the condition limit, or a kind that cannot be monitored here.
    case unmonitored = 3
  }

  /// Why an event came about.
  @frozen
  public enum Cause: UInt8, Sendable, Hashable {
    /// The first record of a condition: nothing happened yet.
    case none = 0
    /// First evidence after the state was undetermined.
    case determination = 1
    /// A change from one side to the other.
    case crossing = 2
    /// No matching beacon for the timeout.
    case timeout = 3
    /// Only the diagnostics changed, or monitoring stopped.
    case diagnostic = 4
  }

  /// The fix that decided, or the point of the path between two fixes.
  @frozen
  public struct Evidence: Sendable, Hashable {
    /// Where a deciding position comes from.
    @frozen
    public enum Source: UInt8, Sendable, Hashable {
      /// A fix.
      case fix = 0
      /// A point of the path between two fixes; see ``MonitorOptions/Path``.
      case path = 1
    }

    public var coordinate: Coordinate
    /// Accuracy of the fix, metres.
    public var accuracy: Double
    /// Signed boundary distance, metres: the geodesic distance to the line, negative inside. Of a circle that is the
    /// distance to the centre minus the radius.
    public var boundaryDistance: Double
    /// Whether it is a fix.
    public var source: Source

    public init(coordinate: Coordinate, accuracy: Double, boundaryDistance: Double, source: Source = .fix) {
      self.coordinate = coordinate
      self.accuracy = accuracy
      self.boundaryDistance = boundaryDistance
      self.source = source
    }
  }

  /// 1, 2, 3 … per monitor, given when the event is first handed out; 0 in a first record.
  public var sequence: UInt64 = 0
  /// Identifier of the condition.
  public var identifier: String
  public var state: State
  public var cause: Cause = .none
  /// When the state was confirmed; `nil` in a record added before any time was known.
  public var date: Timestamp?
  /// The fix or sighting that started it.
  public var evidenceDate: Timestamp?
  /// The beacon that satisfied a wildcard condition.
  public var beacon: BeaconIdentityCondition?
  public var diagnostics: Diagnostics = []
  /// Add sequence of the condition: tells a replacement from what it replaced.
  public var generation: UInt64
  /// The caller's tag of the condition.
  public var tag: UInt64 = 0
  /// The deciding fix; `nil` for beacons, diagnostics and first records.
  public var evidence: Evidence?
  /// The path before it is not known, and something may have been missed: it is the first event after a gap that is longer,
  /// or a way that is faster, than ``MonitorOptions/path`` allows.
  public var followsGap = false

  /// How a ``LineGeographicCondition`` was crossed; `nil` of everything else.
  public var direction: CrossingDirection?

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
