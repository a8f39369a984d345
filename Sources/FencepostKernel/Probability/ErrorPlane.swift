/// The azimuthal equidistant plane around a measured position, and the whitened plane in which the error of the position
/// has the standard deviation 1 in every direction.
///
/// Points of the azimuthal equidistant plane are (east, north) in metres. Circles and geodesics are computed in a third
/// plane, the *conformal* plane: the stereographic projection of the sphere that has the Gaussian curvature of the
/// ellipsoid at the position. There, circles, geodesics and the lines beside geodesics are arcs of circles. Distances
/// and directions from the position are exact in all planes. Between other points, the sphere differs from the ellipsoid
/// by about 0.01 K d h² (d / R), where d is the distance to the circle's centre and h the distance from the direct line.
struct ErrorPlane {
  let place: SurfacePoint
  let error: ErrorEllipse
  /// The columns of the matrix that maps a vector in space to its parts to the east and to the north.
  private let columnX, columnY, columnZ: SIMD2<Double>
  /// The curvatures of the normal sections to the east and to the north, per metre.
  private let curvature: SIMD2<Double>
  /// The radius of the sphere, in metres, and 1 / (4 radius²).
  let radius, quarter: Double
  /// The columns of the matrix that whitens points of the azimuthal equidistant plane.
  private let first, second: SIMD2<Double>
  /// The determinant of this matrix.
  let density: Double
  /// The series for the position in the plane holds up to this distance in metres: its error, about
  /// 2e-3 s⁴ / (4 R³), is then below 1e-7 of the minor semi-axis.
  let seriesLimit: Double

  init(_ place: SurfacePoint, _ error: ErrorEllipse) {
    self.place = place
    self.error = error
    let (sineLatitude, cosineLatitude) = Trigonometry.sincosDegrees(place.latitude)
    let (sineLongitude, cosineLongitude) = Trigonometry.sincosDegrees(place.longitude)
    columnX = SIMD2(-sineLongitude, -sineLatitude * cosineLongitude)
    columnY = SIMD2(cosineLongitude, -sineLatitude * sineLongitude)
    columnZ = SIMD2(0, cosineLatitude)
    let rest = 1 - Ellipsoid.eccentricitySquared * (sineLatitude * sineLatitude)
    let primeVertical = Ellipsoid.equatorialRadius / rest.squareRoot()
    let meridional = primeVertical * Ellipsoid.axisRatioSquared / rest
    curvature = SIMD2(1 / primeVertical, 1 / meridional)
    let square = primeVertical * meridional
    radius = square.squareRoot()
    quarter = 1 / (4 * square)
    first = SIMD2(error.axis.x / error.major, -error.axis.y / error.minor)
    second = SIMD2(error.axis.y / error.major, error.axis.x / error.minor)
    density = 1 / (error.major * error.minor)
    seriesLimit = 3_400 * (error.minor / ErrorEllipse.leastAxis).squareRoot().squareRoot()
  }

  @inline(__always)
  static func cross(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { a.x * b.y - a.y * b.x }
  @inline(__always)
  static func dot(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { a.x * b.x + a.y * b.y }

  /// The position of a near point in the azimuthal equidistant plane.
  ///
  /// Let h be the horizontal part of the chord and S the shape operator. A geodesic with the initial direction f has the
  /// horizontal part s f − s³/6 (f·Sf) Sf + … (do Carmo, "Differential geometry of curves and surfaces", 1976, section
  /// 4.4); this function reverts the series, with the next term of the sphere.
  @inline(__always)
  func near(_ point: EarthVector) -> SIMD2<Double> {
    let chord = point - place.vector
    let flat = columnX * chord.x + columnY * chord.y + columnZ * chord.z
    let square = curvature * flat * flat
    let bend = curvature * (square.x + square.y)
    return flat + flat * (bend * (SIMD2(repeating: 1 / 6.0) + bend * SIMD2(repeating: 3 / 40.0)))
  }

  /// The positions of two points within `longestStraight`; the next term of the series counts less than 1e-10 m there.
  @inline(__always)
  func near(_ one: EarthVector, _ other: EarthVector) -> (east: SIMD2<Double>, north: SIMD2<Double>) {
    let x = SIMD2(one.x, other.x) - SIMD2(repeating: place.vector.x)
    let y = SIMD2(one.y, other.y) - SIMD2(repeating: place.vector.y)
    let z = SIMD2(one.z, other.z) - SIMD2(repeating: place.vector.z)
    let east = SIMD2(repeating: columnX.x) * x + SIMD2(repeating: columnY.x) * y
    let north =
      SIMD2(repeating: columnX.y) * x + SIMD2(repeating: columnY.y) * y + SIMD2(repeating: columnZ.y) * z
    let (bendEast, bendNorth) = (SIMD2(repeating: curvature.x), SIMD2(repeating: curvature.y))
    let square = (bendEast * (east * east) + bendNorth * (north * north)) * SIMD2(repeating: 1 / 6.0)
    return (east + east * (bendEast * square), north + north * (bendNorth * square))
  }

  /// The position of any point in the azimuthal equidistant plane, with the exact distance.
  func flat(_ point: SurfacePoint) -> SIMD2<Double> {
    let square = place.vector.squaredChord(to: point.vector)
    if square <= ShortDistance.limit * ShortDistance.limit {
      let flat = near(point.vector)
      if square <= seriesLimit * seriesLimit { return flat }
      let length = ErrorPlane.dot(flat, flat).squareRoot()
      return flat * (ShortDistance.distance(from: place.vector, to: point.vector) / length)
    }
    let path = place.path(to: point)
    let (sine, cosine) = Trigonometry.sincosDegrees(path.azimuth1)
    return SIMD2(sine, cosine) * path.distance
  }

  /// The point of the conformal plane for a point of the azimuthal equidistant plane: 2R tan(s / 2R) instead of s.
  func conformal(_ flat: SIMD2<Double>) -> SIMD2<Double> {
    let square = ErrorPlane.dot(flat, flat) * quarter
    if square < 1e-4 { return flat * (1 + square * ((1 / 3.0) + square * ((2 / 15.0) + square * (17 / 315.0)))) }
    let half = square.squareRoot()
    let (sine, cosine) = Trigonometry.sincos(half)
    return flat * (sine / (cosine * half))
  }

  /// s / (2R tan(s / 2R)) for a point of the conformal plane.
  @inline(__always)
  func shortening(_ conformal: SIMD2<Double>) -> Double {
    let square = ErrorPlane.dot(conformal, conformal) * quarter
    if square < 1e-4 { return 1 - square * ((1 / 3.0) - square * ((1 / 5.0) - square * (1 / 7.0))) }
    let tangent = square.squareRoot()
    return Trigonometry.atan2(tangent, 1) / tangent
  }

  /// A point of the azimuthal equidistant plane in the whitened plane.
  @inline(__always)
  func whitened(_ flat: SIMD2<Double>) -> SIMD2<Double> {
    first * flat.x + second * flat.y
  }

  /// The same for two points.
  @inline(__always)
  func whitened(_ east: SIMD2<Double>, _ north: SIMD2<Double>) -> (x: SIMD2<Double>, y: SIMD2<Double>) {
    (
      SIMD2(repeating: first.x) * east + SIMD2(repeating: second.x) * north,
      SIMD2(repeating: first.y) * east + SIMD2(repeating: second.y) * north
    )
  }

  /// The point on the Earth for a point of the whitened plane.
  func point(whitened: SIMD2<Double>) -> SurfacePoint {
    let flat =
      error.axis * (whitened.x * error.major) + SIMD2(-error.axis.y, error.axis.x) * (whitened.y * error.minor)
    return point(flat: flat)
  }

  /// The point on the Earth for a point of the azimuthal equidistant plane.
  func point(flat: SIMD2<Double>) -> SurfacePoint {
    let end = GeodesicDirect.solve(
      latitude: place.latitude, longitude: place.longitude, azimuth: Trigonometry.atan2Degrees(flat.x, flat.y),
      distance: ErrorPlane.dot(flat, flat).squareRoot())
    return SurfacePoint(latitude: end.latitude, longitude: end.longitude)
  }
}
