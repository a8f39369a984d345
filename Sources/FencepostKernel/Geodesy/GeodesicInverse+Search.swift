// The general case of the inverse problem: find the azimuth at point 1 whose geodesic meets the parallel of point 2 at
// the right longitude (section 4, "hybrid problem", solved by Newton's method with a bracket).

extension InverseTask {
  /// A geodesic that leaves point 1 with a trial azimuth, evaluated where it reaches the parallel of point 2.
  struct Trial {
    /// sin α₀, Clairaut's constant of the geodesic.
    var clairaut: Double
    /// cos α₂ cos β₂.
    var northing2: Double
    /// The longitude that is reached minus the desired longitude, in radians in [−π, π].
    var excess: Double
    /// dλ/dα₁ (equation 46).
    var slope: Double
    /// The distance along the geodesic, in units of the polar semi-axis.
    var length: Double
    /// The reduced length m₁₂, in units of the polar semi-axis.
    var reducedLength: Double
  }

  /// Follows a geodesic to the parallel of point 2 (equations 8–15, with the series of `GeodesicSeries`).
  func follow(_ start: Heading) -> Trial {
    let clairaut = start.sine * cosine1
    let lift = start.sine * sine1
    let cosineSquared = start.cosine * start.cosine + lift * lift
    let epsilon = GeodesicSeries.epsilon(kSquared: Ellipsoid.secondEccentricitySquared * cosineSquared)

    // On the auxiliary sphere, (sin β, cos α cos β) = cos α₀ (sin σ, cos σ) at both points.
    let northing1 = start.cosine * cosine1
    let northing2 = reachedNorthing(northing1)
    let scale = 1 / cosineSquared.squareRoot()
    let sineSigma1 = sine1 * scale
    let cosineSigma1 = northing1 * scale
    let sineSigma2 = sine2 * scale
    let cosineSigma2 = northing2 * scale
    let crossing = max(0, cosineSigma1 * sineSigma2 - sineSigma1 * cosineSigma2)
    let sineProduct = sineSigma1 * sineSigma2
    let cosineProduct = cosineSigma1 * cosineSigma2
    let sigma = Trigonometry.atan2(crossing, cosineProduct + sineProduct)

    // tan ω = sin α₀ tan σ, so ω₂ − ω₁ needs no further arc tangents.
    let sineOmega = clairaut * crossing
    let cosineOmega = cosineProduct + clairaut * clairaut * sineProduct
    let turned = Trigonometry.atan2(
      sineOmega * cosineLambda - cosineOmega * sineLambda, cosineOmega * cosineLambda + sineOmega * sineLambda)

    let waves = Harmonics(sine: sineSigma2, cosine: cosineSigma2) - Harmonics(sine: sineSigma1, cosine: cosineSigma1)
    let longitudeSum = sigma + GeodesicSeries.longitudeCoefficients(epsilon).sum(waves)
    let excess = turned - Ellipsoid.flattening * clairaut * (GeodesicSeries.longitudeScale(epsilon) * longitudeSum)

    let distanceScale = GeodesicSeries.distanceScaleMinusOne(epsilon)
    let distanceWaves = GeodesicSeries.distanceCoefficients(epsilon).sum(waves)
    let length = (1 + distanceScale) * (sigma + distanceWaves)

    // Computes J(σ) = I₁ − I₂ (equation 39) without the large parts that I₁ and I₂ have in common.
    let reducedScale = GeodesicSeries.reducedScaleMinusOne(epsilon)
    let reducedWaves = GeodesicSeries.reducedCoefficients(epsilon).sum(waves)
    let difference =
      (distanceScale - reducedScale) * sigma
      + ((1 + distanceScale) * distanceWaves - (1 + reducedScale) * reducedWaves)
    let reducedLength =
      stretch2 * (cosineSigma1 * sineSigma2) - stretch1 * (sineSigma1 * cosineSigma2)
      - cosineProduct * difference
    let slope =
      northing2 == 0
      ? -2 * Ellipsoid.axisRatio * stretch1 / sine1
      : reducedLength * Ellipsoid.axisRatio / northing2
    return Trial(
      clairaut: clairaut, northing2: northing2, excess: excess, slope: slope, length: length,
      reducedLength: reducedLength)
  }

  /// Computes cos α₂ cos β₂ from cos α₁ cos β₁ (equation 45), always on the branch where the path heads north.
  @inline(__always)
  func reachedNorthing(_ northing1: Double) -> Double {
    if cosine2 == cosine1 && sine2.magnitude == -sine1 { return northing1.magnitude }
    let gained =
      cosine1 < -sine1
      ? (cosine2 - cosine1) * (cosine1 + cosine2)
      : (sine1 - sine2) * (sine1 + sine2)
    return max(0, northing1 * northing1 + gained).squareRoot()
  }

  /// Newton's method for the azimuth; it falls back on bisection whenever a step leaves (0, π) or is not usable.
  ///
  /// If only the distance is needed, the search ends before the azimuth is accurate. If a point moves along its
  /// parallel, the first variation of its distance is a sin α₀ dλ, and the second variation is a cos β₁ cos α₁ (dα₁/dλ)
  /// dλ². Therefore, a trial geodesic that misses the target by `excess` still gives the distance to the target, with
  /// an error of third order in excess / m₁₂.
  func search(azimuths: Bool) -> InversePath {
    let guess = firstGuess()
    if let short = guess.path { return short }
    var start = guess.start
    // Bounds of the azimuth: `low` is known to be too small, and `high` is known to be too large.
    var low = Heading(sine: Heading.tiny, cosine: 1)
    var high = Heading(sine: Heading.tiny, cosine: -1)
    var distance = Double.nan
    var round = 0
    while true {
      let trial = follow(start)
      let excess = trial.excess
      let size = excess.magnitude
      // Tighten the limits near the conjugate point, because the geometry changes there on the scale of m₁₂ / f.
      let reach = trial.reducedLength * min(1, 100 * trial.reducedLength)
      let last = size <= 4e-16 || round >= 100 || size.isNaN
      if distance.isNaN && (last || size <= 2.5e-6 * reach) {
        let bend = 0.5 * cosine1 * start.cosine * excess / trial.slope
        let correction = size <= 2.5e-6 * reach ? excess * (bend - trial.clairaut) : 0
        distance = Ellipsoid.polarRadius * trial.length + Ellipsoid.equatorialRadius * correction
        if !azimuths { return InversePath(distance: distance, start: start, end: start) }
      }
      if last || size <= 3e-9 * reach {
        // One more Newton step would be smaller than the rounding errors, so it needs no trial.
        let step = -excess / trial.slope
        if step.magnitude < 1e-6 { start = turn(start, sine: step, cosine: 1 - 0.5 * (step * step)) }
        return InversePath(distance: distance, start: start, end: arrival(start))
      }
      if excess > 0 && start.cosine * high.sine > high.cosine * start.sine { high = start }
      if excess < 0 && start.cosine * low.sine < low.cosine * start.sine { low = start }
      round &+= 1
      if round < 20 && trial.slope > 0 {
        let step = -excess / trial.slope
        if step.magnitude < Double.pi {
          let (sine, cosine) = Trigonometry.sincos(step)
          let next = turn(start, sine: sine, cosine: cosine)
          if next.sine > 0 {
            start = next
            continue
          }
        }
      }
      start = Heading(sine: low.sine + high.sine, cosine: low.cosine + high.cosine).normalized
    }
  }

  @inline(__always)
  func turn(_ heading: Heading, sine: Double, cosine: Double) -> Heading {
    Heading(
      sine: heading.sine * cosine + heading.cosine * sine,
      cosine: heading.cosine * cosine - heading.sine * sine
    ).normalized
  }

  /// The direction at point 2 of the geodesic that leaves point 1 in a given direction.
  func arrival(_ start: Heading) -> Heading {
    Heading(sine: start.sine * cosine1, cosine: reachedNorthing(start.cosine * cosine1)).normalized
  }
}
