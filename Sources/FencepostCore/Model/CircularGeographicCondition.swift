/// A circle on the Earth: satisfied within ``radius`` of ``center``, the line included.
public struct CircularGeographicCondition: Condition {
  public var center: Coordinate
  /// Metres along the WGS84 geodesic, finite, > 0.
  public var radius: Double

  public init(center: Coordinate, radius: Double) {
    self.center = center
    self.radius = radius
  }

  /// The first value that is out of range, as a message; `nil` when the condition is sound.
  package var defect: String? {
    guard center.latitude >= -90, center.latitude <= 90 else {
      return "latitude is \(center.latitude); must be from -90 to 90 degrees"
    }
    guard center.longitude >= -180, center.longitude <= 180 else {
      return "longitude is \(center.longitude); must be from -180 to 180 degrees"
    }
    return Self.defect(ofRadius: radius)
  }

  /// Why a radius is not accepted, as a message; `nil` when it is.
  package static func defect(ofRadius radius: Double) -> String? {
    radius.isFinite && radius > 0 ? nil : "radius is \(radius); must be finite and above 0 metres"
  }

  /// Whether the two differ by no more than what applications see as the same circle: 1e-7 degrees, 0.5 m.
  func isNearlyEqual(to other: CircularGeographicCondition) -> Bool {
    let turn = (center.longitude - other.center.longitude).magnitude
    return (center.latitude - other.center.latitude).magnitude <= 1e-7
      && min(turn, 360 - turn) <= 1e-7 && (radius - other.radius).magnitude <= 0.5
  }
}
