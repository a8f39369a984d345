import FencepostKernel

extension MonitorEngine {
  /// How far a device at a position may move, in metres, before it can be on the other side of the line of any
  /// monitored condition.
  ///
  /// The result is the distance to the nearest line, less a micrometre: if the device moves by s, its distance from the
  /// centre of a circle or from an edge changes by at most s. The result is 0 on a line, and infinite if there is no
  /// line. From inside a circle with a radius above 19 900 km, the line may be farther away than the result, because
  /// geodesics of this length are not shortest paths.
  ///
  /// Within the shape of a condition with a band, the distance is 0, because any fix may enter or leave the band.
  ///
  /// Conditions that are inactive at the clock do not count, so the result holds until ``RotationPlan/nextStart``. (Once
  /// the monitor has a clock, ``nextDeadline`` is not later.) The host feeds the latest fix before that time, then the
  /// next fix, and asks again.
  ///
  /// The result is otherwise pure geometry. ``nextDeadline`` returns the time of the next change that needs no input,
  /// and any fix can decide an undetermined shape (``RotationPlan/follow``).
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the coordinate is out of range.
  /// - Complexity: O(log conditions), plus the shapes whose bounding circles contain the position.
  public func safeDistance(at coordinate: Coordinate) throws(MonitorError) -> Double {
    if let defect = coordinate.defect { throw .invalidArgument(defect) }
    let position = EarthVector(latitude: coordinate.latitude, longitude: coordinate.longitude)
    guard let nearest = nearestBoundaries(1, to: coordinate, position).first else { return .infinity }
    return max(0, nearest.slack - DistanceBounds.doubt)
  }

  /// The boundary point of a condition that is nearest to a coordinate. If several points are equally near, the result
  /// is one of them; this can happen with corridors, buffers and several edges.
  ///
  /// - Returns: `nil` if the condition has no line (a beacon, or a circle that covers the whole Earth). For a shape with
  ///   a buffer, also `nil` if the point that the search finds is not on the boundary, as may happen near an inner
  ///   corner.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the coordinate is out of range,
  ///   ``MonitorError/notFound(_:)`` if no condition has that identifier.
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
    let earliest = tracker.nextDeadline(table)
    return earliest == .max ? nil : Timestamp(microseconds: earliest)
  }

  /// The state that the detector currently observes for a condition; `nil` if no condition has that identifier. The
  /// state is `unknown` while the condition is undetermined, suspended or not monitored, and always for a line. The
  /// record may be older until the pending events are acknowledged.
  public func state(of identifier: String) -> Event.State? {
    table.slot(of: identifier).map { state(of: $0) }
  }

  /// The state that the detector currently observes for a slot in use. See ``state(of:)-(String)``.
  package func state(of slot: UInt32) -> Event.State {
    table.kind(of: slot).isLine ? .unknown : tracker.observed(slot, table).state
  }
}
