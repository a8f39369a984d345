import FencepostKernel

/// Chords that belong to geodesic distances, widened so that a comparison of chords can only err towards looking
/// closer. Cheap enough for each change of a state.
enum ChordThreshold {
  /// 1 / (24 ρ²) for the smallest radius of curvature of the ellipsoid, ρ = b² / a.
  private static let bend = 1 / (24 * 6_335_439.0 * 6_335_439.0)
  private static let near = 200_000.0

  /// Every point at geodesic distance up to `distance` has a chord of at most this: a chord is no longer than
  /// the arc above it. Farther than 200 km the bounds of the kernel are tighter.
  @inline(__always)
  static func approaching(_ distance: Double) -> Double {
    distance <= near ? distance + 1e-6 : DistanceBounds.chords(forDistance: distance).upper
  }

  /// Every point at geodesic distance from `distance` on has a chord of at least this: an arc whose curvature
  /// is at most 1/ρ has a chord of at least 2ρ sin(s / 2ρ) ≥ s − s³ / 24ρ² (Schur's comparison theorem).
  @inline(__always)
  static func leaving(_ distance: Double) -> Double {
    distance <= near
      ? distance - distance * distance * distance * bend - 1e-6
      : DistanceBounds.chords(forDistance: distance).lower
  }
}
