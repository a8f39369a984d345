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
