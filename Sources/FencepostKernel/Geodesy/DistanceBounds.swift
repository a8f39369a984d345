/// Bounds that relate the straight chord between two points of the WGS84 surface to their geodesic distance.
///
/// **Global bounds.** Let γ be a geodesic from p with arc length t, and let c(t) = |γ(t) − p| and F = c²/2. Then F″ = 1
/// − κ h, where κ is the normal curvature along γ, and h is the depth of p below the tangent plane at γ(t). All
/// curvatures of the ellipsoid lie between 1/R₊ and 1/R₋ with R₊ = a²/b and R₋ = b²/a, so by Blaschke's rolling theorem
/// (Blaschke, "Kreis und Kugel", 1916, § 24) the surface lies inside the ball of radius R₊ and outside the ball of
/// radius R₋ that touch it at γ(t): c²/(2R₊) ≤ h ≤ c²/(2R₋). Hence 1 − F/R₋² ≤ F″ ≤ 1 − F/R₊², and comparison with the
/// equation of a circle gives, for t ≤ πR₋,
///
///     2 R₋ sin(t / 2R₋) ≤ c ≤ 2 R₊ sin(t / 2R₊).
///
/// The lower bound also holds for t > πR₋ = 19 903 km, by Schur's theorem on arcs whose curvature is at most that of a
/// circle (Chern, "Studies in global geometry and analysis", 1967, p. 36). Beyond πR₋, however, the bound decreases as
/// t grows. No distance exceeds half a meridian, 20 003 931.46 m, because antipodal points realise the diameter of a
/// centrally symmetric convex surface (Vîlcu, "On two conjectures of Steinhaus", Geometriae Dedicata 79, 2000). So the
/// lower bound for half a meridian is a lower bound for every t > πR₋.
///
/// **Slack.** The bounds apply to chords that `EarthVector.squaredChord` computes, and to distances that
/// `GeodesicInverse` computes. A slack of 100 nm on either side covers the rounding errors of both computations, which,
/// together with the errors in this file, are at most 15 nm. For distances below 100 nm, a lower bound may therefore be
/// negative, and such a bound decides nothing.
public enum DistanceBounds {
  /// No two points of the surface are farther apart than this, in metres (half a meridian is 20 003 931.4586 m).
  @inlinable public static var largestDistance: Double { 20_003_931.459 }
  /// No two points of the surface have a longer chord than this, in metres: the equator's diameter plus a margin for
  /// rounding.
  @inlinable static var largestChord: Double { 12_756_274.001 }

  /// An upper bound on the errors of the fast distance formulas, in metres. If the result of a fast formula differs
  /// from a threshold by less than this bound, the full solution decides; bounds from polynomials are widened by this
  /// value. The errors of the fast formulas are some nanometres, far below a micrometre.
  @inlinable public static var doubt: Double { 1e-6 }

  /// Chord bounds for the distance `s`, valid everywhere: two points with chord ≤ lower are certainly at most `s`
  /// apart, and two points with chord > upper are certainly more than `s` apart.
  ///
  /// - Parameter s: metres. No chord is as short as a negative bound; if `s` is `largestDistance` or more, no chord is
  ///   longer than the bounds. NaN gives NaN.
  public static func chords(forDistance s: Double) -> (lower: Double, upper: Double) {
    if s.isNaN { return (s, s) }
    if s < 0 { return (-slack, slack) }
    if s >= largestDistance { return (largestChord, largestChord) }
    let least = 2 * Ellipsoid.smallestRadiusOfCurvature
    let greatest = 2 * Ellipsoid.largestRadiusOfCurvature
    let shortest = least * Trigonometry.sincos(s / least).sine
    let longest = greatest * Trigonometry.sincos(s / greatest).sine
    let lower = min(shortest, leastFarChord)
    return (lower - slack, min(longest + slack, largestChord))
  }

  /// The slack, in metres, that the paragraph "Slack" above derives.
  static var slack: Double { 1e-7 }
  /// A lower bound, in metres, of every chord whose distance exceeds πR₋: 2 R₋ sin(d / 2R₋), rounded down, where d is
  /// the largest distance.
  static var leastFarChord: Double { 12_670_479.604 }
}

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

/// Computes the geodesic distance between two near points from their chord, without trigonometry or iteration.
public enum ShortDistance {
  /// The longest chord, in metres, for which `distance` is within its error bound.
  public static var limit: Double { 20_000 }

  /// The geodesic distance between two points whose chord is at most `limit`.
  ///
  /// For the arc s and chord c of a curve whose curvature κ hardly changes, s = c (1 + (κc)² / 24 + 3 (κc)⁴ / 640 + …)
  /// (the series of 2 arcsin(κc/2) / κ). κ is the curvature of the normal section; for the ellipsoid xᵀDx = 1 with D =
  /// diag(a⁻², a⁻², b⁻²), its value at the point p in the direction d is dᵀDd / (dᵀd |Dp|) (do Carmo, "Differential
  /// geometry of curves and surfaces", 1976, section 3.2). The curvature κ is evaluated at the chord's midpoint p,
  /// which lies about κc²/8 below the curve. Evaluating κ at p instead of on the curve multiplies κ² by 1 + (κc)²/4, so
  /// the coefficient 3/640 becomes 3/640 − 1/96. The change of κ along the curve adds an estimated error of at most 0.2
  /// nm.
  ///
  /// Rounding of the two vectors dominates the error: the result is within 5 nm of `GeodesicInverse` (4.4 nm measured
  /// over 12 million pairs of all latitudes and lengths).
  ///
  /// - Returns: The distance in metres; it has the same bits in both directions, and is 0 for equal vectors. If the
  ///   chord is longer than `limit`, the error grows at least with the fifth power of the length.
  @inlinable @inline(__always)
  public static func distance(from a: EarthVector, to b: EarthVector) -> Double {
    let dx = b.x - a.x
    let dy = b.y - a.y
    let dz = b.z - a.z
    let mx = b.x + a.x
    let my = b.y + a.y
    let mz = (1 + Ellipsoid.secondEccentricitySquared) * (b.z + a.z)
    let square = dx * dx + dy * dy + dz * dz
    if square == 0 { return 0 }
    let bent = square + Ellipsoid.secondEccentricitySquared * (dz * dz)
    let normal = 0.25 * (mx * mx + my * my + mz * mz)
    let u = bent * bent / (square * normal)
    let chord = square.squareRoot()
    return chord + chord * (u * (1 / 24.0 + u * (3 / 640.0 - 1 / 96.0)))
  }
}
