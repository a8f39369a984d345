/// The exponential function and the logarithm, from IEEE 754 operations only (see `Trigonometry`).
enum Exponential {
  /// (1 − e⁻ᵘ) / u of two numbers u ≥ 0; 1 for u = 0. The absolute error is below 1e-9.
  ///
  /// The Taylor series gives y = 1 − e⁻ˣ for x = u/64, without a loss of digits for a small u. Each of six steps
  /// y → y (2 − y) doubles x.
  @inline(__always)
  static func meanDecay(_ u: SIMD2<Double>) -> SIMD2<Double> {
    // Beyond 40, e⁻ᵘ is below 1e-17.
    if u.x > 40 || u.y > 40 {
      return SIMD2(u.x > 40 ? 1 / u.x : nearMeanDecay(u).x, u.y > 40 ? 1 / u.y : nearMeanDecay(u).y)
    }
    return nearMeanDecay(u)
  }

  /// The same for numbers up to 40.
  @inline(never)
  static func nearMeanDecay(_ u: SIMD2<Double>) -> SIMD2<Double> {
    // Constants of two elements: with numbers, the compiler computes the elements one by one.
    let (two, x) = (SIMD2(repeating: 2.0), u * SIMD2(repeating: 1 / 64.0))
    var y = SIMD2(repeating: 1 / 120.0) - x * SIMD2(repeating: 1 / 720.0)
    y = SIMD2(repeating: 1 / 24.0) - x * y
    y = SIMD2(repeating: 1 / 6.0) - x * y
    y = SIMD2(repeating: 0.5) - x * y
    y = x * (SIMD2(repeating: 1.0) - x * y)
    y = y * (two - y)
    y = y * (two - y)
    y = y * (two - y)
    y = y * (two - y)
    y = y * (two - y)
    y = y * (two - y)
    // A u of 1e-30 gives 1 where u is 0.
    let least = SIMD2(repeating: 1e-30)
    return (y + least) / (u + least)
  }

  /// g(u) = (1 − e⁻ᵘ) / u, −g′(u) and g″(u) of two numbers from 1e-5 to 22; smaller and larger ones count as these. The
  /// absolute error of g is below 1e-8; those of the derivatives are below 1e-16 / u² and 1e-15 / u³ more.
  ///
  /// Five squarings of e⁻ˣ, by its Taylor series for x = u/32, give e⁻ᵘ.
  @inline(__always)
  static func meanDecays(_ number: SIMD2<Double>) -> (SIMD2<Double>, SIMD2<Double>, SIMD2<Double>) {
    let (least, most) = (SIMD2(repeating: 1e-5), SIMD2(repeating: 22.0))
    let above = number.replacing(with: least, where: number .< least)
    let u = above.replacing(with: most, where: most .< above)
    let (one, x) = (SIMD2(repeating: 1.0), u * SIMD2(repeating: 1 / 32.0))
    var e = SIMD2(repeating: 1 / 24.0) - x * SIMD2(repeating: 1 / 120.0)
    e = SIMD2(repeating: 1 / 6.0) - x * e
    e = SIMD2(repeating: 0.5) - x * e
    e = one - x * e
    e = one - x * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    let inverse = one / u
    let value = (one - e) * inverse
    let first = (value - e) * inverse
    return (value, first, ((first + first) - e) * inverse)
  }

  /// The natural logarithm of a positive, normal number, within 4 ulp or 1e-16.
  ///
  /// The significand m is brought into [1/√2, √2]; then ln m = 2 artanh((m − 1) / (m + 1)), as a Taylor series.
  static func logarithm(_ value: Double) -> Double {
    var (significand, exponent) = (value.significand, Double(value.exponent))
    if significand > 1.4142135623730951 { (significand, exponent) = (significand * 0.5, exponent + 1) }
    let s = (significand - 1) / (significand + 1)
    let z = s * s
    var sum = 0.0
    var n = 21.0
    while n > 1 {
      sum = z * (sum + 1 / n)
      n -= 2
    }
    return exponent * 0.6931471805599453 + 2 * s * (1 + sum)
  }
}
