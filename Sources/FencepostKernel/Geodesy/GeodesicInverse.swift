/// The shortest path between two points of the WGS84 ellipsoid: its length and its directions at both ends.
///
/// The method is from Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), 43–55; the equation numbers in
/// this folder refer to this article. The distance is within 15 nm of the exact value for every pair of points.
@frozen public struct GeodesicInverse: Sendable, Equatable {
  /// The length of the shortest path, in metres, in the range 0 … 20 003 931.46.
  public var distance: Double
  /// The azimuth of the path where it leaves the first point, in degrees clockwise from north in (−180, 180].
  public var azimuth1: Double
  /// The forward azimuth of the path where it reaches the second point, in degrees in (−180, 180].
  public var azimuth2: Double

  @inlinable
  public init(distance: Double, azimuth1: Double, azimuth2: Double) {
    self.distance = distance
    self.azimuth1 = azimuth1
    self.azimuth2 = azimuth2
  }

  /// Solves the inverse geodesic problem.
  ///
  /// - Parameters:
  ///   - latitude1: Latitude of point 1, in degrees, −90 to 90.
  ///   - longitude1: Longitude of point 1, in degrees; any finite value. The difference between the longitudes is
  ///     reduced without rounding error.
  ///   - latitude2: Latitude of point 2, in degrees, −90 to 90.
  ///   - longitude2: Longitude of point 2, in degrees; any finite value.
  /// - Returns: The distance and the azimuths; all of them are NaN if a latitude is out of range or an argument is not
  ///   finite. If the shortest path is not unique, or if a point is a pole, the azimuth is one of the possible
  ///   azimuths.
  public static func solve(
    latitude1: Double, longitude1: Double, latitude2: Double, longitude2: Double
  ) -> GeodesicInverse {
    guard let task = InverseTask(latitude1, longitude1, latitude2, longitude2) else {
      return GeodesicInverse(distance: .nan, azimuth1: .nan, azimuth2: .nan)
    }
    let path = task.path(azimuths: true)
    let east = task.eastSign
    let north = task.northSign
    let (first, second) = task.swapped ? (path.end, path.start) : (path.start, path.end)
    return GeodesicInverse(
      distance: path.distance,
      azimuth1: Trigonometry.atan2Degrees(east * first.sine, north * first.cosine),
      azimuth2: Trigonometry.atan2Degrees(east * second.sine, north * second.cosine))
  }

  /// Computes only the distance, in metres: bit for bit the same as the distance that `solve` returns, and the same in
  /// both directions.
  ///
  /// The rules for parameters and exceptional values are the same as for `solve`.
  public static func distance(
    latitude1: Double, longitude1: Double, latitude2: Double, longitude2: Double
  ) -> Double {
    guard let task = InverseTask(latitude1, longitude1, latitude2, longitude2) else { return .nan }
    return task.path(azimuths: false).distance
  }

  /// A point to which several distances are computed, with the values that these computations share.
  public struct Place: Sendable {
    let latitude, longitude: Double
    /// Whether latitude and longitude are in the usual ranges, ±90° and ±180°. Otherwise the other values are NaN.
    let isUsual: Bool
    /// `Trigonometry.settled(latitude)`, and the sine and cosine of the reduced latitude.
    let settled, sine, cosine: Double

    /// - Parameters:
    ///   - latitude: In degrees.
    ///   - longitude: In degrees.
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
      isUsual = latitude.magnitude <= 90 && longitude.magnitude <= 180
      settled = isUsual ? Trigonometry.settled(latitude) : .nan
      (sine, cosine) = isUsual ? InverseTask.reducedLatitude(settled) : (.nan, .nan)
    }
  }

  /// Computes the distances from two points to a common place, in metres: bit for bit the same as two calls of
  /// `distance`, in about half of their time.
  ///
  /// The rules for parameters and exceptional values are the same as for `solve`. Targets whose code has no vectors of
  /// two doubles (the WebAssembly module, 32-bit microcontrollers) solve the problems one after the other, because
  /// there the pair would only make the program larger.
  @inline(never)
  public static func distances(
    latitudes: SIMD2<Double>, longitudes: SIMD2<Double>, to place: Place
  ) -> SIMD2<Double> {
    #if arch(x86_64) || arch(arm64)
      if let distances = GeodesicPair.distances(latitudes: latitudes, longitudes: longitudes, to: place) {
        return distances
      }
    #endif
    var distances = SIMD2<Double>()
    for lane in 0..<2 {
      distances[lane] = distance(
        latitude1: latitudes[lane], longitude1: longitudes[lane], latitude2: place.latitude,
        longitude2: place.longitude)
    }
    return distances
  }
}

/// A direction, given by the sine and cosine of the angle, which is counted clockwise from north.
struct Heading {
  /// Replaces the cosine of ±90° with a tiny number, so that no quotient is 0/0; the square of this number does not
  /// underflow.
  @inline(__always) static var tiny: Double { 1.4916681462400413e-154 }

  var sine: Double
  var cosine: Double

  @inline(__always)
  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  @inline(__always)
  var normalized: Heading {
    let scale = 1 / (sine * sine + cosine * cosine).squareRoot()
    return Heading(sine: sine * scale, cosine: cosine * scale)
  }
}

/// A solved path between the points of an `InverseTask`, in the task's order and orientation.
struct InversePath {
  /// Metres.
  var distance: Double
  var start: Heading
  var end: Heading
}

/// The inverse problem in the canonical orientation of section 5: latitude 1 ≤ 0, |latitude 1| ≥ |latitude 2|, and the
/// longitude difference is in [0°, 180°].
///
/// The problem from point 1 to point 2 and the problem from point 2 to point 1 give the same task, so both have the
/// same distance.
struct InverseTask {
  /// The sine and cosine of the reduced latitudes β, and √(1 + e′² sin² β).
  var sine1, cosine1, stretch1: Double
  var sine2, cosine2, stretch2: Double
  /// The longitude difference λ₁₂ in radians, with its sine and cosine.
  var lambda, sineLambda, cosineLambda: Double
  /// Whether the two points were exchanged, which is undone in the resulting path.
  var swapped: Bool
  var eastSign, northSign: Double

  /// `nil` unless all arguments are finite and both latitudes lie in [−90, 90].
  @inline(__always)
  init?(_ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double) {
    guard latitude1.magnitude <= 90, latitude2.magnitude <= 90, longitude1.isFinite, longitude2.isFinite else {
      return nil
    }
    let swapped = latitude1.magnitude < latitude2.magnitude
    let larger = Trigonometry.settled(swapped ? latitude2 : latitude1)
    let smaller = Trigonometry.settled(swapped ? latitude1 : latitude2)
    let reverse = larger >= 0
    let point1 = InverseTask.reducedLatitude(reverse ? 0 - larger : larger)
    var point2 = InverseTask.reducedLatitude(reverse ? 0 - smaller : smaller)
    // Both points are on the same parallel if the more sensitive of sine and cosine has the same magnitude at both. If
    // both points are on the same parallel, make the magnitudes of the other function equal as well.
    if point1.cosine < -point1.sine {
      if point2.cosine == point1.cosine { point2.sine = point2.sine < 0 ? point1.sine : -point1.sine }
    } else if point2.sine.magnitude == -point1.sine {
      point2.cosine = point1.cosine
    }
    sine1 = point1.sine
    cosine1 = point1.cosine
    sine2 = point2.sine
    cosine2 = point2.cosine
    stretch1 = (1 + Ellipsoid.secondEccentricitySquared * (sine1 * sine1)).squareRoot()
    stretch2 = (1 + Ellipsoid.secondEccentricitySquared * (sine2 * sine2)).squareRoot()

    let difference = InverseTask.longitudeDifference(from: longitude1, to: longitude2)
    let west = difference.degrees < 0
    let degrees = west ? 0 - difference.degrees : difference.degrees
    let tail = west ? 0 - difference.tail : difference.tail
    (sineLambda, cosineLambda) = Trigonometry.sincosDegrees(degrees, tail: tail)
    lambda = Trigonometry.settled(degrees + tail) * Trigonometry.radiansPerDegree
    self.swapped = swapped
    // Reversing the path turns both headings by 180°, which undoes the change of sign of the longitude difference.
    eastSign = west ? -1 : 1
    northSign = swapped == reverse ? 1 : -1
  }

  /// The sine and cosine of the reduced latitude β, where tan β = (1 − f) tan φ (equation 6); the cosine is never zero.
  @inline(__always)
  static func reducedLatitude(_ degrees: Double) -> (sine: Double, cosine: Double) {
    let (sine, cosine) = Trigonometry.sincosDegrees(degrees)
    let y = Ellipsoid.axisRatio * sine
    let scale = 1 / (y * y + cosine * cosine).squareRoot()
    return (y * scale, max(cosine * scale, Heading.tiny))
  }

  /// The difference `to` − `from` in degrees, reduced to [−180, 180], as the rounded value and the exact rounding
  /// error.
  ///
  /// The sum of two doubles and its error are exact (Knuth, "The art of computer programming", volume 2, section 4.2.2,
  /// theorem B); reductions by 360° cause no rounding error. Exchanging the arguments changes only the sign of the
  /// result.
  @inline(__always)
  static func longitudeDifference(from: Double, to: Double) -> (degrees: Double, tail: Double) {
    let a = from.magnitude <= 180 ? -from : (-from).remainder(dividingBy: 360)
    let b = to.magnitude <= 180 ? to : to.remainder(dividingBy: 360)
    let (sum, error) = exactSum(a, b)
    let wrapped = sum > 180 ? sum - 360 : (sum < -180 ? sum + 360 : sum)
    let (degrees, tail) = exactSum(wrapped, error)
    if degrees == 180 && tail > 0 { return (-180, tail) }
    if degrees == -180 && tail < 0 { return (180, tail) }
    return (degrees, tail)
  }

  @inline(__always)
  static func exactSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
    let sum = a + b
    let bPart = sum - a
    let aPart = sum - bPart
    return (sum, (a - aPart) + (b - bPart))
  }

  /// The shortest path: along a meridian or the equator if this is known in advance; otherwise the path that `search`
  /// finds.
  @inline(__always)
  func path(azimuths: Bool) -> InversePath {
    if sineLambda == 0 || cosine1 == Heading.tiny { return meridian() }
    if sine1 == 0 && lambda <= Double.pi * Ellipsoid.axisRatio {
      let east = Heading(sine: 1, cosine: 0)
      return InversePath(distance: Ellipsoid.equatorialRadius * lambda, start: east, end: east)
    }
    return search(azimuths: azimuths)
  }

  /// The path along the meridian (over the pole if λ₁₂ = 180°); on an oblate ellipsoid this path is always the
  /// shortest.
  ///
  /// If point 1 is a pole, the path follows the meridian of point 2.
  func meridian() -> InversePath {
    let start = Heading(sine: sineLambda, cosine: cosineLambda)
    let cosineSigma1 = start.cosine * cosine1
    let sineSigma = max(0, cosineSigma1 * sine2 - sine1 * cosine2)
    let sigma = Trigonometry.atan2(sineSigma, cosineSigma1 * cosine2 + sine1 * sine2)
    let epsilon = Ellipsoid.thirdFlattening
    let waves = Harmonics(sine: sine2, cosine: cosine2) - Harmonics(sine: sine1, cosine: cosineSigma1)
    let sum = sigma + GeodesicSeries.distanceCoefficients(epsilon).sum(waves)
    let length = (1 + GeodesicSeries.distanceScaleMinusOne(epsilon)) * sum
    // The distance between equal points is exactly 0, and so is the distance between two longitudes at the same pole.
    let distance = sigma < 3 * Heading.tiny ? 0 : Ellipsoid.polarRadius * length
    return InversePath(distance: distance, start: start, end: Heading(sine: 0, cosine: 1))
  }
}
