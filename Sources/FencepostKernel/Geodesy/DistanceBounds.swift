/// Bounds between the straight chord of two points of the WGS84 surface and their geodesic distance.
///
/// **Global bounds.** Let γ be a geodesic from p with arc length t, c(t) = |γ(t) − p| and F = c²/2. Then F″ = 1 − κ h,
/// where κ is the normal curvature along γ and h the depth of p below the tangent plane at γ(t). All curvatures
/// of the ellipsoid lie between 1/R₊ and 1/R₋ with R₊ = a²/b and R₋ = b²/a, so by Blaschke's rolling theorem (Blaschke,
/// "Kreis und Kugel", 1916, § 24) the surface lies inside the ball of radius R₊ and outside the ball of radius R₋
/// that touch it at γ(t): c²/(2R₊) ≤ h ≤ c²/(2R₋). Hence 1 − F/R₋² ≤ F″ ≤ 1 − F/R₊², and comparison with the equation
/// of a circle gives, for t ≤ πR₋,
///
///     2 R₋ sin(t / 2R₋) ≤ c ≤ 2 R₊ sin(t / 2R₊).
///
/// For t > πR₋ = 19 903 km the lower bound holds too (Schur's theorem on arcs whose curvature is at most that of a
/// circle: Chern, "Studies in global geometry and analysis", 1967, p. 36), but it falls again. No distance exceeds half
/// a meridian, 20 003 931.46 m (antipodal points realise the diameter of a centrally symmetric convex surface: Vîlcu,
/// "On two conjectures of Steinhaus", Geometriae Dedicata 79, 2000), so its value there bounds what lies beyond.
///
/// **Local bounds.** Let the curvatures within reach lie between κ₋ and κ₊, and let u be the depth of the geodesic at
/// the distance r before γ(t), below the tangent plane at γ(t). The normal turns by at most r/R₋ on the way, hence
/// κ₋ cos(r/R₋) ≤ u″ ≤ κ₊. Two integrations for h and two for F give
///
///     s² − κ₊² s⁴/12  ≤  c²  ≤  s² − κ₋² s⁴/12 + κ₋² s⁶/(360 R₋²).
///
/// Up to πR₋/2 the chord grows along a geodesic (F′ ≥ R₋ sin(t/R₋)), beyond that it is at least √2 R₋, so that the
/// bound for the distance s also holds for every larger one.
///
/// **Slack.** The bounds speak about chords as `EarthVector.squaredChord` computes them and distances as
/// `GeodesicInverse` does: 100 nm on every side cover the rounding errors of both, at most 15 nm together with those of
/// this file. A lower chord bound may therefore be negative, for distances below 100 nm: then nothing is
/// certain, and `squaredChords` is the form that cannot be misused.
public enum DistanceBounds {
  /// No two points of the surface are farther apart than this, metres (half a meridian is 20 003 931.4586).
  @inlinable public static var largestDistance: Double { 20_003_931.459 }
  /// No two points of the surface have a longer chord, metres: the equator's diameter and rounding.
  @inlinable public static var largestChord: Double { 12_756_274.001 }

  /// Chord bounds for the distance `s`, valid everywhere: any pair with chord ≤ lower is at most `s` apart for certain,
  /// any pair with chord > upper is more than `s` apart for certain.
  ///
  /// - Parameter s: metres. Negative: nothing is within. At `largestDistance` and beyond: everything is.
  ///   NaN gives NaN.
  public static func chords(forDistance s: Double) -> (lower: Double, upper: Double) {
    if s.isNaN { return (s, s) }
    if s < 0 { return (-slack, slack) }
    if s >= largestDistance { return (largestChord, largestChord) }
    let shortest = 2 * smallestRadius * Trigonometry.sincos(s / (2 * smallestRadius)).sine
    let longest = 2 * largestRadius * Trigonometry.sincos(s / (2 * largestRadius)).sine
    let lower = min(shortest, leastFarChord)
    return (lower - slack, min(longest + slack, largestChord))
  }

  /// The same, tighter, for pairs of which one point has the given latitude.
  ///
  /// Beyond 1 000 km, where a circle reaches most latitudes, these are the global bounds.
  ///
  /// - Parameters:
  ///   - s: metres.
  ///   - latitude: degrees in [−90, 90]; anything else gives the global bounds.
  public static func chords(forDistance s: Double, latitude: Double) -> (lower: Double, upper: Double) {
    let global = chords(forDistance: s)
    guard s >= 0, s <= localLimit, latitude.magnitude <= 90 else { return global }
    let squares = localSquares(s, latitude)
    return (
      max(global.lower, squares.lower.squareRoot() - slack),
      min(global.upper, squares.upper.squareRoot() + slack)
    )
  }

  /// The bounds of `chords(forDistance:latitude:)` as squares, to compare with `EarthVector.squaredChord`. Where no
  /// chord is short enough to be certain, `lower` is −1.
  public static func squaredChords(
    forDistance s: Double, latitude: Double
  ) -> (lower: Double, upper: Double) {
    let (lower, upper) = chords(forDistance: s, latitude: latitude)
    return (lower < 0 ? -1 : lower * lower, upper * upper)
  }

  /// Bounds of the geodesic distance of two points with the chord `c`, valid everywhere.
  ///
  /// - Parameter c: metres; beyond `largestChord` taken as that. Negative or NaN gives NaN.
  public static func distances(forChord c: Double) -> (lower: Double, upper: Double) {
    guard c >= 0 else { return (.nan, .nan) }
    let chord = min(c, largestChord)
    let least = chord - slack
    let lower = least <= 0 ? 0 : 2 * largestRadius * Trigonometry.asin(least / (2 * largestRadius)) - slack
    let most = chord + slack
    guard most < leastFarChord else { return (max(0, lower), largestDistance) }
    let upper = 2 * smallestRadius * Trigonometry.asin(most / (2 * smallestRadius)) + slack
    return (max(0, lower), min(upper, largestDistance))
  }

  // MARK: - Constants and the local bounds

  /// 100 nm, see the discussion above.
  static var slack: Double { 1e-7 }
  /// Reach of the local bounds, metres.
  static var localLimit: Double { 1_000_000 }
  /// R₋ = b²/a, the meridian's radius of curvature at the equator, metres, rounded down.
  static var smallestRadius: Double { 6_335_439.327_292 }
  /// R₊ = a²/b, the radius of curvature at the poles, metres, rounded up.
  static var largestRadius: Double { 6_399_593.625_759 }
  /// 2 R₋ sin(d / 2R₋) for the largest distance d, metres, rounded down: a lower bound of every chord whose distance is
  /// beyond πR₋.
  static var leastFarChord: Double { 12_670_479.604 }

  /// The square bounds of the discussion, before slack.
  static func localSquares(_ s: Double, _ latitude: Double) -> (lower: Double, upper: Double) {
    // No path of length s changes the latitude by more than s / R₋.
    let reach = s / smallestRadius * 57.29577951308233
    let near = max(0, latitude.magnitude - reach)
    let far = min(90, latitude.magnitude + reach)
    // Both radii grow towards the poles and M ≤ N: the extremes are 1/M at the low and 1/N at the high latitude.
    let sineNear = Trigonometry.sincosDegrees(near).sine
    let sineFar = Trigonometry.sincosDegrees(far).sine
    let wNear = 1 - Ellipsoid.eccentricitySquared * (sineNear * sineNear)
    let wFar = 1 - Ellipsoid.eccentricitySquared * (sineFar * sineFar)
    let largest = wNear * wNear * wNear / (smallestRadius * smallestRadius)
    let smallest = wFar / (Ellipsoid.equatorialRadius * Ellipsoid.equatorialRadius)
    let square = s * s
    let fourth = square * square * (1 / 12.0)
    let sixth = fourth * square / (30 * smallestRadius * smallestRadius)
    return (square - largest * fourth, square - smallest * (fourth - sixth))
  }
}
