// Computes the first guess of the azimuth: from a sphere for most lines, and from the astroid for nearly antipodal
// points.

extension InverseTask {
  /// A first guess of the azimuth; for a very short line, also the final path.
  struct Guess {
    var start: Heading
    var path: InversePath?
  }

  /// The solution of the spherical triangle between the points for a longitude difference ω on the auxiliary sphere.
  struct Triangle {
    /// The direction at point 1, not normalized: its length is sin σ.
    var start: Heading
    var sineSigma, cosineSigma: Double
  }

  /// The great circle between the reduced latitudes (equations 48–51), written in a form that avoids cancellation for
  /// near points.
  @inline(__always)
  func triangle(sineOmega: Double, cosineOmega: Double) -> Triangle {
    let east = cosine2 * sineOmega
    let square = sineOmega * sineOmega
    let north =
      cosineOmega >= 0
      ? (sine2 * cosine1 - cosine2 * sine1) + cosine2 * sine1 * (square / (1 + cosineOmega))
      : (sine2 * cosine1 + cosine2 * sine1) - cosine2 * sine1 * (square / (1 - cosineOmega))
    return Triangle(
      start: Heading(sine: east, cosine: north),
      sineSigma: (east * east + north * north).squareRoot(),
      cosineSigma: sine1 * sine2 + cosine1 * cosine2 * cosineOmega)
  }

  func firstGuess() -> Guess {
    let sineDifference = sine2 * cosine1 - cosine2 * sine1
    let cosineDifference = cosine2 * cosine1 + sine2 * sine1
    if cosineDifference >= 0 && sineDifference < 0.5 && cosine2 * lambda < 0.5 { return shortGuess() }

    let sphere = triangle(sineOmega: sineLambda, cosineOmega: cosineLambda)
    let antipodalReach = 6 * Ellipsoid.thirdFlattening * Double.pi * (cosine1 * cosine1)
    if sphere.cosineSigma < 0 && sphere.sineSigma < antipodalReach { return Guess(start: antipodalGuess()) }

    // ω exceeds λ by f sin α₀ I₃ (equation 8). Adding the leading term of this difference, which is at most 0.0106,
    // makes the guess on the sphere accurate to order f².
    let sigma = Trigonometry.atan2(sphere.sineSigma, sphere.cosineSigma)
    let clairaut = sphere.start.sine * cosine1 / sphere.sineSigma
    let shift = Ellipsoid.flattening * clairaut * sigma
    let square = shift * shift
    let sineShift = shift * (1 - square * (1 / 6.0))
    let cosineShift = 1 - square * (0.5 - square * (1 / 24.0))
    let better = triangle(
      sineOmega: sineLambda * cosineShift + cosineLambda * sineShift,
      cosineOmega: cosineLambda * cosineShift - sineLambda * sineShift)
    return Guess(start: sanitized(better.start))
  }

  /// For lines of less than about half a radian, this uses the sphere whose radius fits at the middle latitude
  /// (equation 48: ω₁₂ = λ₁₂ / w̄ with w̄ = √(1 − e² cos² β̄)). For lines shorter than about a quarter of a metre, the
  /// result is already exact.
  func shortGuess() -> Guess {
    let sineSum = sine1 + sine2
    let cosineSum = cosine1 + cosine2
    let sineMiddle = sineSum * sineSum / (sineSum * sineSum + cosineSum * cosineSum)
    let stretch = (1 + Ellipsoid.secondEccentricitySquared * sineMiddle).squareRoot()
    let (sineOmega, cosineOmega) = Trigonometry.sincos(lambda / (Ellipsoid.axisRatio * stretch))
    let sphere = triangle(sineOmega: sineOmega, cosineOmega: cosineOmega)
    guard sphere.sineSigma < 3.6e-8 else { return Guess(start: sanitized(sphere.start)) }
    // Computes 1 − cos ω to the last digit, also for small ω.
    let versine = cosineOmega > -1 ? sineOmega * sineOmega / (1 + cosineOmega) : 2
    let backwards = cosine1 * sine2 * versine
    let end = Heading(
      sine: cosine1 * sineOmega, cosine: (sine2 * cosine1 - cosine2 * sine1) - backwards)
    let distance = sphere.sineSigma * Ellipsoid.polarRadius * stretch
    guard distance > 0 else {
      let north = Heading(sine: 0, cosine: 1)
      return Guess(start: north, path: InversePath(distance: 0, start: north, end: north))
    }
    let path = InversePath(distance: distance, start: sphere.start.normalized, end: end.normalized)
    return Guess(start: path.start, path: path)
  }

  /// For nearly antipodal points (section 5): in plane coordinates x, y, scaled around the antipode of point 1, the
  /// envelope of the geodesics is an astroid, and the azimuth follows from equations 53–57.
  func antipodalGuess() -> Heading {
    let epsilon = GeodesicSeries.epsilon(kSquared: sine1 * sine1 * Ellipsoid.secondEccentricitySquared)
    let lambdaScale = Ellipsoid.flattening * cosine1 * GeodesicSeries.longitudeScale(epsilon) * Double.pi
    let betaScale = lambdaScale * cosine1
    let x = 0 - Trigonometry.atan2(sineLambda, 0 - cosineLambda) / lambdaScale
    let sineOpposite = sine2 * cosine1 + cosine2 * sine1
    let y = sineOpposite / betaScale
    if y > -4.5e-14 && x > -1 - 1.5e-5 {
      // The point is on or beside the cut locus, where λ hardly depends on the azimuth (equation 57).
      let sine = min(1, 0 - x)
      return Heading(sine: max(sine, Heading.tiny), cosine: 0 - ((1 - sine) * (1 + sine)).squareRoot())
    }
    let k = InverseTask.astroidRoot(x, y)
    let omega = 0 - lambdaScale * x * k / (1 + k)
    let (sineOmega, cosine) = Trigonometry.sincos(omega)
    return sanitized(triangle(sineOmega: sineOmega, cosineOmega: 0 - cosine).start)
  }

  /// The positive root k of the astroid problem x² / (1 + k)² + y² / k² = 1, equivalent to the quartic equation 55.
  ///
  /// The left side is convex and decreasing in k, and at the start it is at least 1, so Newton's method climbs to the
  /// root without overshooting. For a first guess of the azimuth, a relative accuracy of a millionth is enough.
  static func astroidRoot(_ x: Double, _ y: Double) -> Double {
    let p = x * x
    let q = y * y
    var k = max(y.magnitude, x.magnitude - 1)
    guard k > 0 else { return 0 }
    for _ in 0..<60 {
      let u = p / ((1 + k) * (1 + k))
      let v = q / (k * k)
      let step = (u + v - 1) / (2 * (u / (1 + k) + v / k))
      k += step
      if !(step > 1e-6 * k) { break }
    }
    return k
  }

  /// A unit heading that always has an eastward component, even if rounding removed it from a nearly meridional
  /// heading.
  @inline(__always)
  func sanitized(_ heading: Heading) -> Heading {
    guard heading.sine > 0 else { return Heading(sine: 1, cosine: 0) }
    return heading.normalized
  }
}
