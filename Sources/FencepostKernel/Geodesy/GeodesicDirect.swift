/// The point that is reached from a point of the WGS84 ellipsoid by following a geodesic of given direction and length.
///
/// The method is from Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43–55, section 4. For lengths
/// up to one turn around the Earth, the point is within 15 nm of the exact one.
@frozen public struct GeodesicDirect: Sendable, Equatable {
  /// The latitude of the point that is reached, in degrees in [−90, 90].
  public var latitude: Double
  /// The longitude of the point that is reached, in degrees in [−180, 180].
  public var longitude: Double
  /// The forward azimuth of the geodesic at the point that is reached, in degrees clockwise from north in (−180, 180].
  public var azimuth: Double

  @inlinable
  public init(latitude: Double, longitude: Double, azimuth: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.azimuth = azimuth
  }

  /// Solves the direct geodesic problem.
  ///
  /// - Parameters:
  ///   - latitude: degrees in [−90, 90].
  ///   - longitude: In degrees; any finite value.
  ///   - azimuth: In degrees clockwise from north; any finite value.
  ///   - distance: Metres along the geodesic; a negative distance leads backwards. Results for |distance| above 1e12 m
  ///     have no meaning.
  /// - Returns: The point that is reached; all its values are NaN if the latitude is out of range or an argument is not
  ///   finite.
  public static func solve(
    latitude: Double, longitude: Double, azimuth: Double, distance: Double
  ) -> GeodesicDirect {
    guard latitude.magnitude <= 90, longitude.isFinite, azimuth.isFinite, distance.isFinite else {
      return GeodesicDirect(latitude: .nan, longitude: .nan, azimuth: .nan)
    }
    // The point is found by its arc length along the geodesic, measured from where the geodesic crosses the equator
    // northwards (equations 5 and 10–12).
    let (sine1, cosine1) = InverseTask.reducedLatitude(Trigonometry.settled(latitude))
    let turn = Trigonometry.sincosDegrees(Trigonometry.settled(azimuth.remainder(dividingBy: 360)))
    let clairaut = turn.sine * cosine1
    let lift = turn.sine * sine1
    let cosineSquared = turn.cosine * turn.cosine + lift * lift
    let cosineAlpha0 = cosineSquared.squareRoot()
    let onEquator = sine1 == 0 && turn.cosine == 0
    let northing1 = onEquator ? 1 : turn.cosine * cosine1
    let scale = 1 / (sine1 * sine1 + northing1 * northing1).squareRoot()
    let sineSigma1 = sine1 * scale
    let cosineSigma1 = northing1 * scale

    // Converts the distance to an arc: τ is proportional to the distance, and the reverted series gives σ (equations 7,
    // 20, 21).
    let epsilon = GeodesicSeries.epsilon(kSquared: Ellipsoid.secondEccentricitySquared * cosineSquared)
    let scaleMinusOne = GeodesicSeries.distanceScaleMinusOne(epsilon)
    let waves1 = Harmonics(sine: sineSigma1, cosine: cosineSigma1)
    let offset = GeodesicSeries.distanceCoefficients(epsilon).sum(waves1)
    let tau = distance / (Ellipsoid.polarRadius * (1 + scaleMinusOne))
    let (sineTau, cosineTau) = Trigonometry.sincos(tau)
    let (sineOffset, cosineOffset) = Trigonometry.sincos(offset)
    let sineTau1 = sineSigma1 * cosineOffset + cosineSigma1 * sineOffset
    let cosineTau1 = cosineSigma1 * cosineOffset - sineSigma1 * sineOffset
    let wavesTau = Harmonics(
      sine: sineTau1 * cosineTau + cosineTau1 * sineTau, cosine: cosineTau1 * cosineTau - sineTau1 * sineTau)
    // σ₁₂ − τ₁₂ is small. Adding it by the formulas for the sine and cosine of a sum avoids the rounding errors of
    // large angles.
    let rest = offset + GeodesicSeries.revertedDistanceCoefficients(epsilon).sum(wavesTau)
    let (sineRest, cosineRest) = Trigonometry.sincos(rest)
    let sineSigma = sineTau * cosineRest + cosineTau * sineRest
    let cosineSigma = cosineTau * cosineRest - sineTau * sineRest
    let sineSigma2 = sineSigma1 * cosineSigma + cosineSigma1 * sineSigma
    let cosineSigma2 = cosineSigma1 * cosineSigma - sineSigma1 * sineSigma

    let sine2 = cosineAlpha0 * sineSigma2
    let northing2 = cosineAlpha0 * cosineSigma2
    let cosine2 = (clairaut * clairaut + northing2 * northing2).squareRoot()

    // Longitude (equations 8 and 12).
    let cosineOmega = cosineSigma2 * cosineSigma1 + clairaut * clairaut * (sineSigma2 * sineSigma1)
    let sineOmega = clairaut * (sineSigma2 * cosineSigma1 - cosineSigma2 * sineSigma1)
    let longitudeWaves = Harmonics(sine: sineSigma2, cosine: cosineSigma2) - waves1
    let longitudeSum = (tau + rest) + GeodesicSeries.longitudeCoefficients(epsilon).sum(longitudeWaves)
    let lag = Ellipsoid.flattening * clairaut * (GeodesicSeries.longitudeScale(epsilon) * longitudeSum)
    let (sineLag, cosineLag) = Trigonometry.sincos(lag)
    let change = Trigonometry.atan2Degrees(
      sineOmega * cosineLag - cosineOmega * sineLag, cosineOmega * cosineLag + sineOmega * sineLag)

    return GeodesicDirect(
      latitude: Trigonometry.atan2Degrees(sine2, Ellipsoid.axisRatio * cosine2),
      longitude: wrapped(longitude, plus: change),
      azimuth: Trigonometry.atan2Degrees(clairaut, northing2))
  }

  /// Adds `change`, |change| ≤ 180, to a longitude, and reduces the sum to [−180, 180].
  @inline(__always)
  static func wrapped(_ longitude: Double, plus change: Double) -> Double {
    let sum = (longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)) + change
    return sum > 180 ? sum - 360 : (sum < -180 ? sum + 360 : sum)
  }
}
