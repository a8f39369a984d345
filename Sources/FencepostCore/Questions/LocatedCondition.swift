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
