/// A circle on the Earth; satisfied within ``radius`` of ``center``, including the line.
public struct CircularGeographicCondition: Condition {
  public var center: Coordinate
  /// Metres along the WGS84 geodesic, finite, > 0.
  public var radius: Double

  public init(center: Coordinate, radius: Double) {
    self.center = center
    self.radius = radius
  }

  /// A message about the first value that is out of range; `nil` if the condition is valid.
  package var defect: String? {
    guard center.latitude >= -90, center.latitude <= 90 else {
      return "latitude is \(center.latitude); must be from -90 to 90 degrees"
    }
    guard center.longitude >= -180, center.longitude <= 180 else {
      return "longitude is \(center.longitude); must be from -180 to 180 degrees"
    }
    return Self.defect(ofRadius: radius)
  }

  /// The reason why a radius is not accepted, as a message; `nil` if it is accepted.
  package static func defect(ofRadius radius: Double) -> String? {
    radius.isFinite && radius > 0 ? nil : "radius is \(radius); must be finite and above 0 metres"
  }

  /// Whether two circles differ by at most 1e-7 degrees and 0.5 m, so that applications treat them as the same circle.
  func isNearlyEqual(to other: CircularGeographicCondition) -> Bool {
    let turn = (center.longitude - other.center.longitude).magnitude
    return (center.latitude - other.center.latitude).magnitude <= 1e-7
      && min(turn, 360 - turn) <= 1e-7 && (radius - other.radius).magnitude <= 0.5
  }
}
