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
