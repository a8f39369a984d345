import FencepostKernel

/// The places of a monitor as they were at a moment, to be asked about points: which of them hold a point, and whose lines
/// are nearest.
///
/// ```swift
/// let places = await monitor.places
/// for place in try places.containing(latitude: 37.3349, longitude: -122.0090) { print(place.identifier) }
/// ```
///
/// Answers are geometry: they come from the conditions alone, whatever their state, policy or place under the condition
/// limit, and whether a fix came or not. Nothing changes by a question. Exact as the detector is: the line is inside, and
/// what bounds leave open the full distance decides. Beacon conditions are in no place.
///
/// A value: taking one costs next to nothing, and any number of tasks may ask it at the same time. A change of the monitor's
/// conditions copies them while one is held.
public struct Places: Sendable {
  let table: ConditionTable
  /// What the answers of one part of the points may come to, about, before it is made smaller: 64 MB.
  var mostAtATime = 1 << 24
  /// How many points are put in order at a time, at most ``RowOrder/part``.
  var rowsAtATime = RowOrder.part

  init(_ table: ConditionTable) {
    self.table = table
  }

  /// The identifier of a condition; `nil` when none has that generation.
  ///
  /// - Complexity: O(log conditions).
  public func identifier(ofGeneration generation: UInt64) -> String? {
    table.slot(ofGeneration: generation).map { table.identifiers.string(of: $0) }
  }

  /// Calls `body` with the bytes of the identifier of a condition; with no bytes when none has that generation.
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
  /// The conditions of this moment, for questions about points.
  package var places: Places { Places(self) }
}

extension MonitorEngine {
  /// The places as they are now, to be asked about points.
  public var places: Places { table.places }

  /// The conditions that hold a point, in add order. See ``Places``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the point is out of range.
  public func containing(latitude: Double, longitude: Double) throws(MonitorError) -> [LocatedCondition] {
    try places.containing(latitude: latitude, longitude: longitude)
  }

  /// The conditions whose lines are nearest to a point, the nearest first. See ``Places``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the point is out of range, or the count negative.
  public func nearest(
    latitude: Double, longitude: Double, count: Int = 1
  ) throws(MonitorError) -> [LocatedCondition] {
    try places.nearest(latitude: latitude, longitude: longitude, count: count)
  }
}

extension Conditions {
  /// The places as they are now, to be asked about points, also by many tasks at a time and while fleets are feeding.
  /// See ``Places``.
  public var places: Places { read { table in table.places } }

  /// The conditions that hold a point, in add order. See ``Places/containing(latitude:longitude:)``.
  public func containing(latitude: Double, longitude: Double) throws(MonitorError) -> [LocatedCondition] {
    try places.containing(latitude: latitude, longitude: longitude)
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

/// A condition about a place, and how a point lies to its line.
public struct LocatedCondition: Sendable, Hashable {
  public var identifier: String
  /// Tells the condition from one that replaced it.
  public var generation: UInt64
  public var tag: UInt64
  /// Metres from the point to the line, negative inside, 0 on the line.
  public var boundaryDistance: Double
}

/// Which conditions hold each of many points: those of point `i` are at `offsets[i] ..< offsets[i + 1]`, in add order.
public struct ContainingConditions: Sendable, Hashable {
  /// One more than there are points.
  public var offsets: [Int] = [0]
  /// ``Places/identifier(ofGeneration:)`` tells whose they are.
  public var generations: [UInt64] = []
  /// Metres from the points to the lines, 0 or less; empty when they were not asked for.
  public var boundaryDistances: [Double] = []
}

/// Which lines are nearest to each of many points: those of point `i` are at `i * count ..< (i + 1) * count`, the nearest
/// first.
public struct NearestConditions: Sendable, Hashable {
  /// For each point: as many as were asked for, or as there are.
  public var count = 0
  /// ``Places/identifier(ofGeneration:)`` tells whose they are.
  public var generations: [UInt64] = []
  /// Metres from the points to the lines, negative inside.
  public var boundaryDistances: [Double] = []
}
