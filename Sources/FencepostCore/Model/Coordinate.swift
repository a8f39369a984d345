/// A position on the WGS84 ellipsoid, in degrees.
@frozen
public struct Coordinate: Sendable, Hashable {
  /// Degrees north, −90 … 90.
  public var latitude: Double
  /// Degrees east, −180 … 180.
  public var longitude: Double

  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both values are finite and in range.
  @inlinable
  public var isValid: Bool {
    // Compared as integers, which order magnitudes as numbers do, with what is not a number beyond all: a comparison of
    // floating-point numbers may raise an exception that the host has made a signal.
    latitude.magnitude.bitPattern <= (90.0).bitPattern && longitude.magnitude.bitPattern <= (180.0).bitPattern
  }

  /// Why the coordinate is not accepted, as a message; `nil` when it is.
  package var defect: String? { defect(named: "coordinate") }

  /// The same of one that has a name.
  package func defect(named name: StaticString) -> String? {
    isValid
      ? nil
      : "the \(name) is \(latitude), \(longitude); latitude must be from -90 to 90 and longitude from -180 to 180 degrees"
  }
}
