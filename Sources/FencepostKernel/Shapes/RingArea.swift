/// The area to the left of a closed line of geodesics.
enum RingArea {
  /// The area of the ellipsoid's surface, in square metres: 2πa² + πb²/e · ln((1 + e) / (1 − e)) (Snyder,
  /// "Map projections: a working manual", 1987, section 3, from the authalic radius of equation 3-13).
  static var earth: Double { 510_065_621_724_088.44 }
  /// The eccentricity e, for the series of q.
  private static var e2: Double { Ellipsoid.eccentricitySquared }

  /// The sine of the authalic latitude (Snyder, equations 3-11 and 3-12): the area between the equator and a parallel
  /// is this fraction of half the Earth's area.
  static func authalicSine(_ sine: Double) -> Double {
    series(sine) / series(1)
  }

  /// q/2 = (1 − e²) · (sin φ / (1 − e² sin² φ) + artanh(e sin φ) / e) / 2, as a power series that is equally accurate
  /// everywhere.
  private static func series(_ s: Double) -> Double {
    // With s = sin φ and x = e² s²: ½ (Σ xᵏ + Σ xᵏ / (2k + 1)) s = Σ (k + 1)/(2k + 1) xᵏ s; the ninth term is below
    // 1e-18.
    let x = e2 * s * s
    var sum = 0.0
    for k in Swift.stride(from: 8, through: 0, by: -1) { sum = sum * x + Double(k + 1) / Double(2 * k + 1) }
    return sum * s
  }

  /// The greatest error of the area, in square metres, for each vertex and each ``stretch`` of the line: 15 nm of an edge's
  /// length, times the distance to the pole.
  static var error: Double { 0.2 }
  /// An edge is integrated in stretches up to this length, in metres.
  static var stretch: Double { 200_000 }

  /// The nodes and weights of the Gauss–Legendre quadrature with six points on [0, 1].
  private static let nodes: [(Double, Double)] = [
    (0.033_765_242_898_423_99, 0.085_662_246_189_585_17), (0.169_395_306_766_867_75, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_55, 0.233_956_967_286_345_52), (0.619_309_593_041_598_5, 0.233_956_967_286_345_52),
    (0.830_604_693_233_132_2, 0.180_380_786_524_069_3), (0.966_234_757_101_576, 0.085_662_246_189_585_17),
  ]

  /// - Parameter ring: Closed: the first point is repeated at the end.
  /// - Returns: The area in square metres, in 0 … `earth`.
  static func left(of ring: some RandomAccessCollection<SurfacePoint>) -> Double {
    let area = smaller(of: ring)
    return area < 0 ? earth + area : area
  }

  /// The smaller of the two areas that a ring bounds, with an error that grows with the number of edges; see ``error``.
  ///
  /// - Parameter ring: The closed ring: its first point is repeated at the end.
  /// - Returns: The area in square metres; negative if it lies to the right.
  static func smaller(of ring: some RandomAccessCollection<SurfacePoint>) -> Double {
    // ∮ −sin ξ dλ. Each edge is integrated from the pole of its own hemisphere, so that no precision is lost near a
    // pole:
    // −sin ξ = ∓1 ± (1 ∓ sin ξ).
    var solid = 0.0
    var turns = 0.0
    var first: Double?
    var last = 0.0
    func turn(from: Double, to: Double, _ half: Double) {
      let change = InverseTask.longitudeDifference(from: from, to: to)
      let degrees = change.degrees + change.tail
      turns += degrees
      solid -= half * degrees * Trigonometry.radiansPerDegree
    }
    for (start, end) in zip(ring, ring.dropFirst()) {
      let half: Double = start.latitude + end.latitude >= 0 ? 1 : -1
      // An edge that ends at a pole follows the meridian of its other end. At the pole, the line turns to the meridian
      // of the next edge.
      let startsAt = start.latitude.magnitude == 90 ? end.longitude : start.longitude
      let endsAt = end.latitude.magnitude == 90 ? start.longitude : end.longitude
      if first == nil { first = startsAt } else if last != startsAt { turn(from: last, to: startsAt, half) }
      turn(from: startsAt, to: endsAt, half)
      if startsAt != endsAt { solid += half * strip(start, end, half) }
      last = endsAt
    }
    if let first, last != first { turn(from: last, to: first, ring.first!.latitude >= 0 ? 1 : -1) }
    // If the ring goes once around a pole, the sum is wrong by 2π, half of the whole solid angle.
    let whole = 4 * Double.pi
    if turns.remainder(dividingBy: 720).magnitude > 180 { solid += whole / 2 }
    return solid.remainder(dividingBy: whole) / whole * earth
  }

  /// The integral ∫ (1 ∓ sin ξ) dλ along an edge.
  private static func strip(_ start: SurfacePoint, _ end: SurfacePoint, _ half: Double) -> Double {
    var sum = 0.0
    integrate(over: GeodesicSegment(from: start, to: end)) { place, azimuth, weight in
      let (sine, cosine) = Trigonometry.sincosDegrees(place.latitude)
      let normal = Ellipsoid.equatorialRadius / (1 - e2 * sine * sine).squareRoot()
      let eastward = Trigonometry.sincosDegrees(azimuth).sine / (normal * max(cosine, 1e-300))
      sum += weight * eastward * (1 - half * authalicSine(sine))
    }
    return sum
  }

  /// Calls `body` with the places of a quadrature over the length of an edge, with the azimuth of the edge there and the
  /// weight of the place, in metres.
  static func integrate(
    over segment: GeodesicSegment, _ body: (_ place: SurfacePoint, _ azimuth: Double, _ weight: Double) -> Void
  ) {
    let stretches = max(1, Int((segment.length / stretch).roundedUp))
    let length = segment.length / Double(stretches)
    for stretch in 0..<stretches {
      for (node, weight) in nodes {
        let (place, azimuth) = segment.point((Double(stretch) + node) * length)
        body(place, azimuth, weight * length)
      }
    }
  }
}
