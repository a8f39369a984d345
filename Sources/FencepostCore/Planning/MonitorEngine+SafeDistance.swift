import FencepostKernel

extension MonitorEngine {
  /// How far a device at a position may move before it can be on another side of any circle that is monitored, metres.
  ///
  /// That is the distance to the nearest line, less a micrometre: moving by s changes the distance to a centre by at
  /// most s. 0 on a line, infinite when there is no line. A circle of more than 19 900 km around its centre may have its
  /// line farther from a position inside than the result says: there geodesics stop being the shortest way.
  ///
  /// Sides are geometry; what waits for time to pass is told by ``nextDeadline``, and a circle that is undetermined
  /// can be decided by any fix (``RotationPlan/follow``).
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the coordinate is out of range.
  /// - Complexity: O(log conditions) and the circles that hold the position.
  public func safeDistance(at coordinate: Coordinate) throws(MonitorError) -> Double {
    if let defect = coordinate.defect { throw .invalidArgument(defect) }
    let position = EarthVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
    guard let nearest = nearestBoundaries(1, to: coordinate, position).first else { return .infinity }
    return max(0, nearest.slack - DistanceBounds.doubt)
  }

  /// The place of a condition's line that is nearest to a coordinate. Where a corridor, a buffer or several edges leave
  /// more than one, one of them.
  ///
  /// - Returns: `nil` when the condition has no line (a beacon, or a circle that holds the whole Earth); and of a corridor
  ///   or a buffered polygon where the way from its middle line to the coordinate does not meet the boundary at a right
  ///   angle, as in an inner corner.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the coordinate is out of range,
  ///   ``MonitorError/notFound(_:)`` when no condition has that identifier.
  public func nearestBoundaryPoint(
    _ identifier: String, to coordinate: Coordinate
  ) throws(MonitorError) -> Coordinate? {
    if let defect = coordinate.defect { throw .invalidArgument(defect) }
    guard let slot = table.slot(of: identifier) else { throw .notFound(identifier) }
    return table.nearestBoundaryPoint(of: slot, to: coordinate)
  }

  /// The earliest time at which something happens though no input comes: a dwell has passed, or a beacon's absence is
  /// established; `nil` when nothing waits.
  ///
  /// - Complexity: O(open candidates and beacon conditions).
  public var nextDeadline: Timestamp? {
    let earliest = tracker.nextDeadline
    return earliest == .max ? nil : Timestamp(microseconds: earliest)
  }

  /// What the detector believes of a condition now: `unknown` while it is undetermined, suspended or unmonitored, and of a line;
  /// `nil` when no condition has that identifier. The record may lag behind until events are handled.
  public func state(of identifier: String) -> Event.State? {
    table.slot(of: identifier).map { state(of: $0) }
  }

  /// What the detector believes of a live slot. See ``state(of:)-(String)``.
  package func state(of slot: UInt32) -> Event.State {
    table.kind(of: slot).isLine ? .unknown : tracker.observed(slot, table).state
  }
}
