/// The WGS84 ellipsoid and the quantities derived from its two defining constants.
///
/// Source: NIMA TR8350.2, third edition (1997), table 3.1 (semi-major axis and flattening); the derived
/// quantities are exact expressions in them, rounded once.
public enum Ellipsoid {
  /// Equatorial radius *a*, metres.
  public static let equatorialRadius: Double = 6_378_137.0
  /// Flattening *f* = (a − b) / a.
  public static let flattening: Double = 1 / 298.257223563
  /// Polar semi-axis *b*, metres.
  public static let polarRadius: Double = equatorialRadius * (1 - flattening)
  /// First eccentricity squared, *f* (2 − *f*).
  public static let eccentricitySquared: Double = flattening * (2 - flattening)
  /// Second eccentricity squared, e² / (1 − e²).
  public static let secondEccentricitySquared: Double = eccentricitySquared / ((1 - flattening) * (1 - flattening))
}
