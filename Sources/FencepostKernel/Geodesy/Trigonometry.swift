/// Sines and cosines that use only IEEE 754 additions, multiplications and comparisons.
///
/// Every decision of the engine uses the functions of `Trigonometry` instead of the platform's math library. Therefore
/// the same input gives the same bits on every machine, in debug and in release builds. No floating-point operations
/// are fused.
///
/// Error bounds are in units in the last place (ulp) of the exact value; `TrigonometryTests` compares the results with
/// values computed with 60 digits.
///
/// | function | bound, ulp | holds for |
/// |---|---|---|
/// | `sincosDegrees` | 1.0 | any finite argument |
/// | `sincos` | 1.0 | \|radians\| ≤ 1e5, outside a distance of 1e-6 from a non-zero multiple of π/2 |
/// | `atan2` | 2.5 | 1e-290 < \|x\|, \|y\| < 1e290 |
/// | `atan2Degrees` | 3.0 | 1e-290 < \|x\|, \|y\| < 1e290; exact on the axes |
///
/// Near a multiple of π/2, the absolute error of `sincos` is at most 1e-17.
public enum Trigonometry {
  /// The factor from degrees to radians: π/180, rounded.
  @inlinable public static var radiansPerDegree: Double { 0.017453292519943295 }

  /// The sine and cosine of an angle in degrees.
  ///
  /// The argument is reduced to at most 45° without any rounding error: `degrees` − 90 *q* is representable. Therefore
  /// the results 0, 1 and −1 are exact: cos 90° and sin 180° are exactly 0, and never −0.
  ///
  /// - Parameter degrees: any angle. NaN and infinities give NaN.
  @inlinable @inline(__always)
  public static func sincosDegrees(_ degrees: Double) -> (sine: Double, cosine: Double) {
    let angle = degrees.magnitude <= 1e9 ? degrees : degrees.remainder(dividingBy: 360)
    let shifted = angle * (1 / 90.0) + roundingShift
    let reduced = angle - 90 * (shifted - roundingShift)
    return sincosReducedDegrees(reduced, quadrant: shifted.bitPattern)
  }

  /// The sine and cosine of `degrees` + `tail`, where |degrees| ≤ 180 and `tail` is a rounding error of `degrees`.
  ///
  /// The tail is added after the angle has been reduced to at most 45°. If the tail were added to an angle near 90° or
  /// 180°, it would be rounded away.
  @inlinable
  public static func sincosDegrees(_ degrees: Double, tail: Double) -> (sine: Double, cosine: Double) {
    let shifted = degrees * (1 / 90.0) + roundingShift
    let reduced = settled((degrees - 90 * (shifted - roundingShift)) + tail)
    return sincosReducedDegrees(reduced, quadrant: shifted.bitPattern)
  }

  /// An angle in degrees, from which everything below 2⁻⁵⁷° (a picometre on the ground) has been rounded away.
  ///
  /// Products of the returned angles cannot underflow. Angles of 1/16° or more are returned unchanged.
  @inlinable
  public static func settled(_ degrees: Double) -> Double {
    let size = degrees.magnitude
    guard size < 0.0625 else { return degrees }
    let kept = 0.0625 - (0.0625 - size)
    return degrees < 0 ? 0 - kept : kept
  }

  /// The sine and cosine of an angle in radians.
  ///
  /// The angle is reduced by multiples of π/2 in three parts (Cody and Waite, "Software manual for the elementary
  /// functions", 1980, chapter 8): the products with the first two parts are exact up to |radians| = 1.6e6. Larger
  /// arguments are first reduced by multiples of the rounded 2π, so their results are inaccurate, but still
  /// deterministic.
  ///
  /// - Parameter radians: The angle; NaN and infinities give NaN.
  public static func sincos(_ radians: Double) -> (sine: Double, cosine: Double) {
    let angle = radians.magnitude <= 1e6 ? radians : radians.remainder(dividingBy: 6.283185307179586)
    let shifted = angle * 0.6366197723675814 + roundingShift
    let turns = shifted - roundingShift
    let first = angle - turns * 1.5707963267341256
    let second = turns * 6.077100506303966e-11
    let high = first - second
    let tail = ((first - high) - second) - turns * 2.0222662487959506e-21
    return place(sincosKernel(high, tail), quadrant: shifted.bitPattern)
  }

  // MARK: - Kernels

  /// 1.5 × 2⁵²: adding this number rounds to the nearest integer and leaves that integer in the low bits of the bit
  /// pattern.
  @inlinable static var roundingShift: Double { 6_755_399_441_055_744 }

  /// The sine and cosine of `degrees` + 90° × `quadrant`, where |degrees| ≤ 45 and `quadrant` counts modulo 4.
  ///
  /// The product with π/180 is computed in two parts: the product of the upper 26 bits of the angle and the upper 26
  /// bits of the constant is exact, and the rest is the tail.
  @inlinable @inline(__always)
  static func sincosReducedDegrees(_ degrees: Double, quadrant: UInt64) -> (sine: Double, cosine: Double) {
    let upper = Double(bitPattern: degrees.bitPattern & 0xffff_ffff_f800_0000)
    let product = upper * 0.01745329238474369
    let rest = (degrees - upper) * 0.01745329238474369 + degrees * 1.3519960527851425e-10
    let high = product + rest
    return place(sincosKernel(high, (product - high) + rest), quadrant: quadrant)
  }

  /// The sine and cosine of `x` + `tail` in radians, where |x| ≤ π/4 and `tail` is within half an ulp of `x`.
  ///
  /// Uses polynomials through Chebyshev nodes of (sin √z / √z − 1) / z and (cos √z − 1 + z/2) / z², z ≤ 0.617, computed
  /// with 60 digits; their relative truncation errors are 3.2e-17 z and 2.4e-18 z².
  @inlinable @inline(__always)
  static func sincosKernel(_ x: Double, _ tail: Double) -> (sine: Double, cosine: Double) {
    let z = x * x
    let z2 = z * z
    let sineUpper = (2.7557316100283695e-06 + z * -2.5051131372218632e-08) + z2 * 1.5918095236696272e-10
    let sineLower = (-0.16666666666666666 + z * 0.008333333333330946) + z2 * -0.000198412698367542
    let sineSeries = sineLower + (z2 * z) * sineUpper
    let cosineUpper = (-2.755731727031051e-07 + z * 2.087614597263508e-09) + z2 * -1.1382611119025631e-11
    let cosineLower = (0.041666666666666664 + z * -0.0013888888888887395) + z2 * 2.480158729876295e-05
    let cosineSeries = cosineLower + (z2 * z) * cosineUpper
    let half = 0.5 * z
    let sine = x + (tail * (1 - half) + x * z * sineSeries)
    let rounded = 1 - half
    let cosine = rounded + (((1 - rounded) - half) + (z2 * cosineSeries - x * tail))
    return (sine, cosine)
  }

  /// Turns a sine and cosine by `quadrant` × 90°; zeros in the result are positive.
  @inlinable @inline(__always)
  static func place(
    _ value: (sine: Double, cosine: Double), quadrant: UInt64
  ) -> (sine: Double, cosine: Double) {
    // Uses masks instead of a branch: the quadrant is practically random, and a mispredicted branch costs more.
    let exchanged = (value.sine.bitPattern ^ value.cosine.bitPattern) & (0 &- (quadrant & 1))
    let sine = value.sine.bitPattern ^ exchanged
    let cosine = value.cosine.bitPattern ^ exchanged
    let sineSign = (quadrant & 2) << 62
    let cosineSign = ((quadrant &+ 1) & 2) << 62
    return (
      Double(bitPattern: sine ^ sineSign) + 0,
      Double(bitPattern: cosine ^ cosineSign) + 0
    )
  }
}
