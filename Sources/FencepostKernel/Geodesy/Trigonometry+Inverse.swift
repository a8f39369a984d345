// The inverse functions of `Trigonometry`: arc tangents.

extension Trigonometry {
  /// The angle of the vector (`x`, `y`) in radians, in [−π, π]; 0 for the zero vector.
  ///
  /// The sign of a zero `y` is ignored: the negative `x` axis gives +π.
  public static func atan2(_ y: Double, _ x: Double) -> Double {
    let reduced = reduceArc(y, x)
    let angle =
      ArcTable.radians[unchecked: reduced.entry]
      + (ArcTable.radianTails[unchecked: reduced.entry] + reduced.angle)
    return y < 0 ? 0 - angle : angle
  }

  /// The angle of the vector (`x`, `y`) in degrees, in (−180, 180]; 0 for the zero vector.
  ///
  /// The result is exact on the axes and the diagonals. For points on the negative `x` axis, the angle is +180.
  public static func atan2Degrees(_ y: Double, _ x: Double) -> Double {
    let reduced = reduceArc(y, x)
    let angle =
      ArcTable.degrees[unchecked: reduced.entry]
      + (ArcTable.degreeTails[unchecked: reduced.entry] + reduced.angle * 57.29577951308232)
    return y < 0 && angle < 180 ? 0 - angle : angle
  }

  /// Reduces an arc tangent to an entry of `ArcTable` plus a signed remainder.
  ///
  /// After reflection into the first octant, the tangent t = n/m lies in [0, 1]. Let k be the nearest multiple of 1/4;
  /// then atan t = atan k + atan((n − k m) / (m + k n)), where the last argument is at most 1/8. The reduction takes
  /// only one division. The arc tangent of the remainder is a polynomial through Chebyshev nodes of (atan √z / √z − 1)
  /// / z, z ≤ 1/64; its relative truncation error is 1.9e-17 z.
  @inline(__always)
  static func reduceArc(_ y: Double, _ x: Double) -> (entry: Int, angle: Double) {
    let ax = x.magnitude
    let ay = y.magnitude
    let swap = signBit(ax - ay)
    let m = ax < ay ? ay : ax
    let n = ax < ay ? ax : ay
    if m == 0 { return (0, n) }
    let nearest = signBit(0.125 * m - n) &+ signBit(0.375 * m - n) &+ signBit(0.625 * m - n) &+ signBit(0.875 * m - n)
    let k = ArcTable.tangents[unchecked: Int(truncatingIfNeeded: nearest)]
    let q = (n - k * m) / (m + k * n)
    let z = q * q
    let z2 = z * z
    let upper = (-0.09090838594072274 + z * 0.076856602851371) + z2 * -0.06354280112984088
    let lower =
      (-0.3333333333333333 + z * 0.19999999999999024)
      + z2 * (-0.14285714284714127 + z * 0.11111110726529587)
    let rest = q + q * (z * (lower + (z2 * z2) * upper))
    let negativeX = signBit(x)
    let entry = nearest &+ 5 &* swap &+ 10 &* negativeX
    return (Int(truncatingIfNeeded: entry), Double(bitPattern: rest.bitPattern ^ ((swap ^ negativeX) << 63)))
  }

  /// Returns 1 for a negative number and 0 for a positive one, without a branch. For zeros and NaN, the result may be 0
  /// or 1, because either result selects an entry of `ArcTable` that gives the correct angle.
  @inline(__always)
  static func signBit(_ value: Double) -> UInt64 { value.bitPattern >> 63 }
}

/// Arc tangents of k/4, k = 0…4, folded into the four octants of the upper half plane: the index is k + 5 (if |y| >
/// |x|) + 10 (if x < 0). Each value is rounded to a double; the tables of tails contain the rounding errors.
enum ArcTable {
  /// k/4.
  static let tangents: InlineArray<5, Double> = [0, 0.25, 0.5, 0.75, 1]

  static let radians: InlineArray<20, Double> = [
    0, 0.24497866312686414, 0.4636476090008061, 0.6435011087932844, 0.7853981633974483,
    1.5707963267948966, 1.3258176636680326, 1.1071487177940904, 0.9272952180016122, 0.7853981633974483,
    3.141592653589793, 2.896613990462929, 2.677945044588987, 2.498091544796509, 2.356194490192345,
    1.5707963267948966, 1.8157749899217608, 2.0344439357957027, 2.214297435588181, 2.356194490192345,
  ]

  static let radianTails: InlineArray<20, Double> = [
    0, 1.0698755618734451e-17, 2.2698777452961687e-17, 1.5834785051444286e-17, 3.061616997868383e-17,
    6.123233995736766e-17, -8.824429373951136e-17, 9.40447137356638e-17, 4.5397554905923374e-17,
    3.061616997868383e-17, 1.2246467991473532e-16, 1.950326511428876e-16, 1.5527705369303147e-16,
    -4.392407599224622e-18, 9.184850993605148e-17, 6.123233995736766e-17, -1.133563127078463e-17,
    2.841996617907152e-17, 1.880894274713276e-16, 9.184850993605148e-17,
  ]

  static let degrees: InlineArray<20, Double> = [
    0, 14.036243467926479, 26.56505117707799, 36.86989764584402, 45,
    90, 75.96375653207352, 63.43494882292201, 53.13010235415598, 45,
    180, 165.96375653207352, 153.43494882292202, 143.13010235415598, 135,
    90, 104.03624346792648, 116.56505117707799, 126.86989764584402, 135,
  ]

  static let degreeTails: InlineArray<20, Double> = [
    0, -1.178545638282857e-16, -6.673432494950659e-16, 1.3346864989901319e-15, 0,
    0, 3.670568242628787e-15, 6.673432494950659e-16, -1.3346864989901319e-15, 0,
    0, 3.670568242628787e-15, -1.3543511465706937e-14, -1.3346864989901319e-15, 0,
    0, -3.670568242628787e-15, -6.673432494950659e-16, 1.3346864989901319e-15, 0,
  ]
}
