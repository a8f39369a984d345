/// The series of the geodesic integrals for WGS84.
///
/// Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43–55; the equation numbers below refer to this
/// article. For WGS84 the expansion parameter ε (equation 16) is at most 0.00168. Therefore the distance series is cut
/// after ε⁵, and the longitude series after the fourth order in ε and the third flattening n. The omitted terms are
/// less than a picometre in distance and less than 1e-17 radians in longitude.
enum GeodesicSeries {
  /// The expansion parameter ε from k² = e′² cos² α₀ (equation 16), in a form without cancellation.
  @inline(__always)
  static func epsilon(kSquared: Double) -> Double {
    kSquared / (2 * (1 + (1 + kSquared).squareRoot()) + kSquared)
  }

  /// A₁ − 1, the secular part of the distance integral I₁ (equation 17).
  @inline(__always)
  static func distanceScaleMinusOne(_ e: Double) -> Double {
    let e2 = e * e
    return (e + e2 * (0.25 + e2 * (1 / 64.0))) / (1 - e)
  }

  /// C₁ₗ, l = 1…5 (equation 18).
  @inline(__always)
  static func distanceCoefficients(_ e: Double) -> Harmonics {
    let e2 = e * e
    let e3 = e2 * e
    return Harmonics(
      c1: e * (-0.5 + e2 * (3 / 16.0 - e2 * (1 / 32.0))),
      c2: e2 * (-1 / 16.0 + e2 * (1 / 32.0)),
      c3: e3 * (-1 / 48.0 + e2 * (3 / 256.0)),
      c4: e3 * e * (-5 / 512.0),
      c5: e3 * e2 * (-7 / 1280.0))
  }

  /// C′₁ₗ, l = 1…5, of the reverted distance series (equation 21).
  @inline(__always)
  static func revertedDistanceCoefficients(_ e: Double) -> Harmonics {
    let e2 = e * e
    let e3 = e2 * e
    return Harmonics(
      c1: e * (0.5 + e2 * (-9 / 32.0 + e2 * (205 / 1536.0))),
      c2: e2 * (5 / 16.0 - e2 * (37 / 96.0)),
      c3: e3 * (29 / 96.0 - e2 * (75 / 128.0)),
      c4: e3 * e * (539 / 1536.0),
      c5: e3 * e2 * (3467 / 7680.0))
  }

  /// A₂ − 1, the secular part of the integral I₂ of the reduced length (equation 42).
  @inline(__always)
  static func reducedScaleMinusOne(_ e: Double) -> Double {
    let e2 = e * e
    let even = e2 * (0.25 + e2 * (9 / 64.0))
    return even - e * (1 + even)
  }

  /// C₂ₗ, l = 1…5 (equation 43).
  @inline(__always)
  static func reducedCoefficients(_ e: Double) -> Harmonics {
    let e2 = e * e
    let e3 = e2 * e
    return Harmonics(
      c1: e * (0.5 + e2 * (1 / 16.0)),
      c2: e2 * (3 / 16.0 + e2 * (1 / 32.0)),
      c3: e3 * (5 / 48.0),
      c4: e3 * e * (35 / 512.0),
      c5: 0)
  }

  /// A₃, the secular part of the longitude integral I₃ (equation 24).
  @inline(__always)
  static func longitudeScale(_ e: Double) -> Double {
    let n = thirdFlattening
    let a1 = -(0.5 - 0.5 * n)
    let a2 = -(0.25 + n * (0.125 - 0.375 * n))
    let a3 = -(1 / 16.0 + n * (3 / 16.0))
    return 1 + e * (a1 + e * (a2 + e * (a3 - e * (3 / 64.0))))
  }

  /// C₃ₗ, l = 1…4 (equation 25).
  @inline(__always)
  static func longitudeCoefficients(_ e: Double) -> Harmonics {
    let n = thirdFlattening
    let e2 = e * e
    return Harmonics(
      c1: e * ((0.25 - 0.25 * n) + e * ((0.125 - 0.125 * n * n) + e * ((3 / 64.0 + 3 / 64.0 * n) + e * (5 / 128.0)))),
      c2: e2 * ((1 / 16.0 - n * (3 / 32.0 - n * (1 / 32.0))) + e * ((3 / 64.0 - n * (1 / 32.0)) + e * (3 / 128.0))),
      c3: e2 * e * ((5 / 192.0 - 3 / 64.0 * n) + e * (3 / 128.0)),
      c4: e2 * e2 * (7 / 512.0),
      c5: 0)
  }

  /// n = f / (2 − f).
  @inline(__always)
  static var thirdFlattening: Double { 0.0016792203863837047 }
}

/// Five numbers indexed by the harmonic l = 1…5: the coefficients of a sine series, or the sines themselves.
struct Harmonics {
  var c1, c2, c3, c4, c5: Double

  @inline(__always)
  init(c1: Double, c2: Double, c3: Double, c4: Double, c5: Double) {
    self.c1 = c1
    self.c2 = c2
    self.c3 = c3
    self.c4 = c4
    self.c5 = c5
  }

  /// sin 2lσ for l = 1…5, computed from the sine and cosine of σ.
  ///
  /// Computed by the recurrence sin 2(l+1)σ = 2 cos 2σ sin 2lσ − sin 2(l−1)σ. One set of sines serves all series at a
  /// point.
  @inline(__always)
  init(sine: Double, cosine: Double) {
    let twice = 2 * (cosine - sine) * (cosine + sine)
    c1 = 2 * sine * cosine
    c2 = twice * c1
    c3 = twice * c2 - c1
    c4 = twice * c3 - c2
    c5 = twice * c4 - c3
  }

  /// The sine series with these coefficients, evaluated with the given sines: ∑ Cₗ sin 2lσ.
  @inline(__always)
  func sum(_ s: Harmonics) -> Double {
    (c1 * s.c1 + c2 * s.c2) + ((c3 * s.c3 + c4 * s.c4) + c5 * s.c5)
  }

  @inline(__always)
  static func - (l: Harmonics, r: Harmonics) -> Harmonics {
    Harmonics(c1: l.c1 - r.c1, c2: l.c2 - r.c2, c3: l.c3 - r.c3, c4: l.c4 - r.c4, c5: l.c5 - r.c5)
  }
}
