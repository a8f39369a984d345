/// Chords for geodesic distances, widened so that a comparison of chords can only cause an unnecessary exact check. The
/// thresholds need no trigonometry up to 200 km, so they can be computed at each change of a state.
public enum ChordThreshold {
  /// Up to this distance, metres, the thresholds are polynomials; beyond it the bounds of `DistanceBounds` are tighter.
  @inlinable public static var near: Double { 200_000 }
  /// 1 / (24 ρ²) for the smallest radius of curvature of the ellipsoid, ρ.
  @inlinable public static var bend: Double {
    1 / (24 * Ellipsoid.smallestRadiusOfCurvature * Ellipsoid.smallestRadiusOfCurvature)
  }

  /// Every point at geodesic distance up to `distance` has a chord of at most this: a chord is no longer than
  /// the arc above it.
  ///
  /// - Parameter distance: metres, not negative. NaN gives NaN.
  @inlinable @inline(__always)
  public static func approaching(_ distance: Double) -> Double {
    distance <= near ? distance + DistanceBounds.doubt : DistanceBounds.chords(forDistance: distance).upper
  }

  /// Every point at geodesic distance of at least `distance` has a chord of at least this: an arc whose curvature is at
  /// most 1/ρ has a chord of at least 2ρ sin(s / 2ρ) ≥ s − s³ / 24ρ² (Schur's comparison theorem).
  ///
  /// - Parameter distance: metres, not negative. NaN gives NaN.
  @inlinable @inline(__always)
  public static func leaving(_ distance: Double) -> Double {
    distance <= near
      ? distance - distance * distance * distance * bend - DistanceBounds.doubt
      : DistanceBounds.chords(forDistance: distance).lower
  }
}
