extension Monitor {
  /// A snapshot of the current conditions, for queries about points. Several tasks may query the snapshot at the same
  /// time. See ``Places``.
  public var places: Places { stored.engine.places }

  /// The conditions that contain a point, in add order. See
  /// ``Places/containing(latitude:longitude:height:time:)``.
  public func containing(
    latitude: Double, longitude: Double, height: FixHeight? = nil, time: Timestamp? = nil
  ) throws(MonitorError) -> [LocatedCondition] {
    try stored.engine.containing(latitude: latitude, longitude: longitude, height: height, time: time)
  }

  /// The conditions whose boundaries are nearest to a point, sorted from the nearest to the farthest. See
  /// ``Places/nearest(latitude:longitude:count:)``.
  public func nearest(
    latitude: Double, longitude: Double, count: Int = 1
  ) throws(MonitorError) -> [LocatedCondition] {
    try stored.engine.nearest(latitude: latitude, longitude: longitude, count: count)
  }

  /// The probability that the true position is inside the shape of a condition. See
  /// ``Places/probability(of:at:error:)``.
  public func probability(
    of identifier: String, at point: Coordinate, error: PositionError
  ) throws(MonitorError) -> Double {
    try places.probability(of: identifier, at: point, error: error)
  }
}
