import FencepostKernel

/// The geographic conditions at one moment, for questions about points: which conditions contain a point, and which
/// lines are nearest to it.
///
/// ```swift
/// let places = await monitor.places
/// for place in try places.containing(latitude: 37.3349, longitude: -122.0090) { print(place.identifier) }
/// ```
///
/// The answers depend only on the geometry of the conditions. States, policies, the condition limit and fixes do not
/// matter, and a question changes nothing. The answers are as exact as the detector: a point on the line is inside, and
/// the full geodesic solution decides where distance bounds do not. Beacon conditions never appear in an answer.
///
/// `Places` is a value. To take one costs almost nothing, and any number of tasks may use it at the same time. If the
/// monitor's conditions change while a `Places` exists, the monitor copies its table of conditions.
public struct Places: Sendable {
  let table: ConditionTable
  /// The number of found conditions of one part above which the part is made smaller: 2²⁴ entries, 64 MB.
  var mostAtATime = 1 << 24
  /// The number of points that are sorted at a time; at most ``RowOrder/part``.
  var rowsAtATime = RowOrder.part

  init(_ table: ConditionTable) {
    self.table = table
  }

  /// The identifier of the condition with a generation; `nil` if no condition has this generation.
  ///
  /// - Complexity: O(log conditions).
  public func identifier(ofGeneration generation: UInt64) -> String? {
    table.slot(ofGeneration: generation).map { table.identifiers.string(of: $0) }
  }

  /// Calls `body` with the bytes of the identifier of the condition with a generation, or with an empty buffer if no
  /// condition has this generation.
  package func withIdentifierBytes<Result>(
    ofGeneration generation: UInt64, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard let slot = table.slot(ofGeneration: generation) else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return table.identifiers.withBytes(of: slot, body)
  }

  func located(_ slot: UInt32, _ boundaryDistance: Double) -> LocatedCondition {
    LocatedCondition(
      identifier: table.identifiers.string(of: slot), generation: table.generation(of: slot), tag: table.tag(of: slot),
      boundaryDistance: boundaryDistance)
  }
}

extension ConditionTable {
  /// The current conditions, for questions about points.
  package var places: Places { Places(self) }
}

extension MonitorEngine {
  /// The current conditions, for questions about points.
  public var places: Places { table.places }

  /// The conditions that contain a point, in add order. See ``Places``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the point is out of range.
  public func containing(
    latitude: Double, longitude: Double, height: FixHeight? = nil, time: Timestamp? = nil
  ) throws(MonitorError) -> [LocatedCondition] {
    try places.containing(latitude: latitude, longitude: longitude, height: height, time: time)
  }

  /// The conditions whose lines are nearest to a point, the nearest first. See ``Places``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the point is out of range or `count` is negative.
  public func nearest(
    latitude: Double, longitude: Double, count: Int = 1
  ) throws(MonitorError) -> [LocatedCondition] {
    try places.nearest(latitude: latitude, longitude: longitude, count: count)
  }
}

extension Conditions {
  /// The current conditions, for questions about points. Many tasks may use them at the same time, also while fleets
  /// feed fixes. See ``Places``.
  public var places: Places { read { table in table.places } }

  /// The conditions that contain a point, in add order. See ``Places/containing(latitude:longitude:height:time:)``.
  public func containing(
    latitude: Double, longitude: Double, height: FixHeight? = nil, time: Timestamp? = nil
  ) throws(MonitorError) -> [LocatedCondition] {
    try places.containing(latitude: latitude, longitude: longitude, height: height, time: time)
  }

  /// The conditions whose lines are nearest to a point, the nearest first. See
  /// ``Places/nearest(latitude:longitude:count:)``.
  public func nearest(
    latitude: Double, longitude: Double, count: Int = 1
  ) throws(MonitorError) -> [LocatedCondition] {
    try places.nearest(latitude: latitude, longitude: longitude, count: count)
  }

  /// The probability that the true position is inside the shape of a condition. See
  /// ``Places/probability(of:at:error:)``.
  public func probability(
    of identifier: String, at point: Coordinate, error: PositionError
  ) throws(MonitorError) -> Double {
    try places.probability(of: identifier, at: point, error: error)
  }
}

/// A geographic condition, and the distance of a point from its line.
public struct LocatedCondition: Sendable, Hashable {
  public var identifier: String
  /// Distinguishes the condition from one that replaces it.
  public var generation: UInt64
  public var tag: UInt64
  /// Metres from the point to the line; negative inside, 0 on the line.
  public var boundaryDistance: Double
}

/// The conditions that contain each of many points. Those of point `i` are at `offsets[i] ..< offsets[i + 1]`, in add
/// order.
public struct ContainingConditions: Sendable, Hashable {
  /// One element more than there are points.
  public var offsets: [Int] = [0]
  /// The generations of the conditions; ``Places/identifier(ofGeneration:)`` returns their identifiers.
  public var generations: [UInt64] = []
  /// Metres from the points to the lines, at most 0; empty if the distances were not requested.
  public var boundaryDistances: [Double] = []
}

/// The conditions whose lines are nearest to each of many points. Those of point `i` are at `i * count ..< (i + 1) *
/// count`, the nearest first.
public struct NearestConditions: Sendable, Hashable {
  /// The number of conditions for each point: the requested number, or fewer if there are fewer lines.
  public var count = 0
  /// The generations of the conditions; ``Places/identifier(ofGeneration:)`` returns their identifiers.
  public var generations: [UInt64] = []
  /// Metres from the points to the lines; negative inside.
  public var boundaryDistances: [Double] = []
}
