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
