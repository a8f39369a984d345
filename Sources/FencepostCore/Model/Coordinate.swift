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
    // The bit patterns are compared as integers, which have the same order as the magnitudes; NaN is greater than every
    // number. A comparison of floating-point numbers may raise an exception, which the host may have turned into a
    // signal.
    latitude.magnitude.bitPattern <= (90.0).bitPattern && longitude.magnitude.bitPattern <= (180.0).bitPattern
  }

  /// The latitude and the longitude.
  @inline(__always)
  var vector: SIMD2<Double> { SIMD2(latitude, longitude) }

  /// Whether two coordinates (latitude, longitude) are valid; see ``isValid``.
  @inline(__always)
  static func areValid(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> Bool {
    let magnitude = SIMD2<Int64>(repeating: .max)
    // With this added, the bits of a magnitude that is out of range become negative.
    let room = SIMD2(
      Int64.max - Int64(bitPattern: (90.0).bitPattern), Int64.max - Int64(bitPattern: (180.0).bitPattern))
    let first = (unsafeBitCast(one, to: SIMD2<Int64>.self) & magnitude) &+ room
    let second = (unsafeBitCast(other, to: SIMD2<Int64>.self) & magnitude) &+ room
    let either = first | second
    return either.x | either.y >= 0
  }

  /// The reason why the coordinate is not accepted, as a message; `nil` if it is accepted.
  package var defect: String? { defect(named: "coordinate") }

  /// Returns the reason why a coordinate with a name is not accepted; `nil` if it is accepted.
  package func defect(named name: StaticString) -> String? {
    isValid
      ? nil
      : "the \(name) is \(latitude), \(longitude); latitude must be from -90 to 90 and longitude from -180 to 180 degrees"
  }
}
