/// The WGS84 ellipsoid and the quantities derived from its two defining constants.
///
/// Source: NIMA TR8350.2, third edition (1997), table 3.1 (semi-major axis and flattening); the derived quantities are
/// exact expressions of these two, rounded once. The constants are literals, so that every build, even one without
/// optimisation, inserts their values into the code.
public enum Ellipsoid {
  /// Equatorial radius *a*, metres.
  @inlinable @inline(__always) static var equatorialRadius: Double { 6_378_137.0 }
  /// The polar semi-axis *b* = a (1 − f), in metres.
  @inlinable @inline(__always) static var polarRadius: Double { 6_356_752.314245179 }
  /// Flattening *f* = (a − b) / a.
  @inlinable @inline(__always) static var flattening: Double { 1 / 298.257223563 }
  /// Third flattening *n* = (a − b) / (a + b).
  @inlinable @inline(__always) static var thirdFlattening: Double { 0.0016792203863837047 }
  /// b / a = 1 − f.
  @inlinable @inline(__always) static var axisRatio: Double { 0.9966471893352525 }
  /// First eccentricity squared, e² = f (2 − f).
  @inlinable @inline(__always) static var eccentricitySquared: Double { 0.006694379990141317 }
  /// (b / a)² = 1 − e².
  @inlinable @inline(__always) static var axisRatioSquared: Double { 0.9933056200098587 }
  /// Second eccentricity squared, e′² = e² / (1 − e²).
  @inlinable @inline(__always) static var secondEccentricitySquared: Double { 0.006739496742276435 }
  /// R₋ = b² / a, the meridian's radius of curvature at the equator, in metres, rounded down: no normal section of the
  /// surface has a greater curvature.
  @inlinable @inline(__always) static var smallestRadiusOfCurvature: Double { 6_335_439.327_292 }
  /// R₊ = a² / b, the radius of curvature at the poles, in metres, rounded up: no normal section has a smaller
  /// curvature.
  @inlinable @inline(__always) public static var largestRadiusOfCurvature: Double { 6_399_593.625_759 }
  /// A lower bound of the length of one degree of latitude, in metres: the length is smallest at the equator, where it
  /// is R₋ π / 180 = 110 574.
  @inlinable @inline(__always) public static var leastMetresPerLatitude: Double { 110_500 }
}
