/// Lower and upper bounds of the chord for a geodesic distance. Comparing a chord with these bounds never gives a wrong
/// result; at worst, it causes an unnecessary exact check. Up to 200 km, computing the bounds needs no trigonometry, so
/// they can be computed each time a state changes.
public enum ChordThreshold {
  /// Up to this distance, in metres, the thresholds are polynomials. For longer distances, the bounds of
  /// `DistanceBounds` are used, because they are tighter there.
  @inlinable public static var near: Double { 200_000 }
  /// 1 / (24 ρ²), where ρ is the smallest radius of curvature of the ellipsoid.
  @inlinable public static var bend: Double {
    1 / (24 * Ellipsoid.smallestRadiusOfCurvature * Ellipsoid.smallestRadiusOfCurvature)
  }

  /// An upper bound of the chord to every point whose geodesic distance is at most `distance`: a chord is no longer
  /// than the arc above it.
  ///
  /// - Parameter distance: In metres; must not be negative. NaN gives NaN.
  @inlinable @inline(__always)
  public static func approaching(_ distance: Double) -> Double {
    distance <= near ? distance + DistanceBounds.doubt : DistanceBounds.chords(forDistance: distance).upper
  }

  /// A lower bound of the chord to every point whose geodesic distance is at least `distance`. By Schur's comparison
  /// theorem, an arc of length s whose curvature is at most 1/ρ has a chord of at least 2ρ sin(s / 2ρ) ≥ s − s³ / 24ρ².
  ///
  /// - Parameter distance: In metres; must not be negative. NaN gives NaN.
  @inlinable @inline(__always)
  public static func leaving(_ distance: Double) -> Double {
    distance <= near
      ? distance - distance * distance * distance * bend - DistanceBounds.doubt
      : DistanceBounds.chords(forDistance: distance).lower
  }
}
