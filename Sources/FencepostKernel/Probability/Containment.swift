/// The probability that the true position is inside a shape: its signed boundary distance D is at most 0.
enum Containment {
  /// Modulo 1 and within the error of the sum, a probability nearer than this to 0 may also be one near 1: the side of
  /// the position decides.
  private static let doubt = 2e-5
  /// If |D| exceeds this multiple of the major semi-axis, the probability of the disc with the radius |D|, which lies
  /// on one side of the boundary, exceeds `doubt`.
  private static let clearance = 0.0064

  /// The probability if the distance alone decides it; `nil` if the boundary has to be integrated.
  ///
  /// The probability is by definition 0 or 1 if |D| is at least 6.5 times the major semi-axis.
  @inline(__always)
  static func bySide(_ error: ErrorEllipse, least: Double, most: Double) -> Double? {
    let reach = error.reach
    if least > 0, least >= reach { return 0 }
    if most <= -reach { return 1 }
    return nil
  }

  /// The greatest product of distance and radius, in squared standard deviations, for
  /// ``share(ofCircleAt:radius:)``.
  fileprivate static var mostTurning: Double { 25 }
  /// The greatest product of standard deviation and radius, in square metres, for which a circle counts as one of the
  /// plane: this changes the probability by at most 0.04 times the product / R², which is 1e-8.
  fileprivate static var mostFlat: Double { 1e7 }

  /// The probability of a circle in the plane, both numbers in standard deviations.
  ///
  /// This is the integral of `LineMass` around the circle, by the rule of equal steps. The terms of the integrand's Fourier
  /// series decrease like e^(−n² / 2z) with z = distance × radius, so the error of 32 steps is below 1e-8 for z ≤ 25.
  @inline(never)
  fileprivate static func share(ofCircleAt distance: Double, radius: Double) -> Double {
    let z = SIMD2(repeating: distance * radius)
    let square = SIMD2(repeating: radius * radius)
    let half = SIMD2(repeating: 0.5 * (distance * distance + radius * radius))
    var sum = SIMD2<Double>()
    for index in 0..<8 {
      let cosine = cosines[unchecked: index]
      let turned = z * SIMD2(cosine, -cosine)
      sum += (square + turned) * Exponential.meanDecay(half + turned)
    }
    return min((sum.x + sum.y) * (1 / 32.0), 1)
  }

  /// The cosines of (index + 1/2) π / 16.
  private static let cosines: InlineArray<8, Double> = [
    0.9951847266721969, 0.9569403357322088, 0.881921264348355, 0.773010453362737, 0.6343932841636455,
    0.4713967368259978, 0.29028467725446233, 0.09801714032956077,
  ]

  /// The probability that a sum modulo 1 stands for.
  ///
  /// Near 0 and 1, the side of the position decides if the boundary is not too near; otherwise the majority of eight
  /// positions at one standard deviation decides.
  ///
  /// - Parameter distance: The signed boundary distance of a point.
  @inline(never)
  static func resolve(_ share: Double, _ plane: ErrorPlane, _ distance: (SurfacePoint) -> Double) -> Double {
    if share > doubt && share < 1 - doubt { return share }
    let own = distance(plane.place)
    var isMost = own <= 0
    if own.magnitude <= clearance * plane.error.major {
      var votes = 0
      for turn in 0..<8 {
        let (sine, cosine) = Trigonometry.sincosDegrees(10 + 45 * Double(turn))
        votes += distance(plane.point(whitened: SIMD2(cosine, sine))) <= 0 ? 1 : -1
      }
      isMost = votes > 0 || (votes == 0 && isMost)
    }
    if isMost { return share > 0.5 ? share : 1 }
    return share < 0.5 ? share : 0
  }
}

extension ErrorEllipse {
  /// The probability that the true position is in a circle.
  ///
  /// The circle in the conformal plane is integrated; this is the method of Gilliland ("Integral of the bivariate normal
  /// distribution over an offset circle", Journal of the American Statistical Association 57, 1962, 758–768) for the
  /// line instead of the area.
  ///
  /// - Parameters:
  ///   - place: The measured position.
  ///   - radius: Metres, at least 0.
  /// - Returns: NaN if the boundary may be within reach and the major semi-axis is longer than `greatestAxis`.
  public func probability(at place: SurfacePoint, inCircleAround centre: SurfacePoint, radius: Double) -> Double {
    if radius >= DistanceBounds.largestDistance { return 1 }
    let square = place.vector.squaredChord(to: centre.vector)
    // A chord is a lower bound of the distance.
    if square.squareRoot() - radius > reach { return 0 }
    let isShort = square <= ShortDistance.limit * ShortDistance.limit
    let length: Double
    var direction = SIMD2<Double>(0, 1)
    let plane = ErrorPlane(place, self)
    if isShort {
      length = ShortDistance.distance(from: place.vector, to: centre.vector)
    } else {
      let path = place.path(to: centre)
      length = path.distance
      let (sine, cosine) = Trigonometry.sincosDegrees(path.azimuth1)
      direction = SIMD2(sine, cosine)
    }
    let distance = length - radius
    if let side = Containment.bySide(self, least: distance, most: distance) { return side }
    guard major <= ErrorEllipse.greatestAxis else { return .nan }
    if major == minor, length * radius <= Containment.mostTurning * (major * major),
      major * radius <= Containment.mostFlat
    {
      return Containment.share(ofCircleAt: length / major, radius: radius / major)
    }
    if isShort {
      let flat = plane.near(centre.vector)
      let size = ErrorPlane.dot(flat, flat).squareRoot()
      if size > 0 { direction = flat / size }
    }
    // The boundary of a flat circle moves by less than 1e-8 of the minor semi-axis.
    if major * major * radius <= Containment.mostFlat * minor {
      // With equal axes, the centre is on the major one.
      let axis = major == minor ? direction : axis
      let (along, across) = (ErrorPlane.dot(direction, axis), ErrorPlane.cross(direction, axis))
      if let share = CircleShare.share(along: length * along, across: length * across, radius: radius, self) {
        return share
      }
    }
    guard let line = ConformalLine(circleAt: length, direction, radius: radius, plane) else {
      return Containment.byLines(plane) { $0.path(to: centre).distance - radius }
    }
    var mass = LineMass()
    if let half = line.half(within: reach, plane) {
      let isEven = major == minor
      line.arc.add(from: isEven ? 0 : -half, to: half, in: plane, to: &mass)
      if isEven { mass.mirror() }
    }
    let isDistant = !mass.isTouched
    return Containment.resolve(isDistant ? 0 : mass.share(), plane) { $0.path(to: centre).distance - radius }
  }
}

extension GeodesicShape {
  /// The probability that the true position is inside the shape.
  ///
  /// - Parameter place: The measured position.
  /// - Returns: NaN if the boundary may be within reach and the major semi-axis is longer than
  ///   `ErrorEllipse.greatestAxis`.
  public func probability(at place: SurfacePoint, _ error: ErrorEllipse) -> Double {
    let beyond = boundingCap.centre.squaredChord(to: place.vector).squareRoot() - boundingCap.reach
    if beyond > error.reach { return 0 }
    if !isPolygon || offset != 0 || error.major > ErrorEllipse.greatestAxis {
      let (least, most) = bounds(at: place.vector)
      if let side = Containment.bySide(error, least: least, most: most) { return side }
      let distance = boundaryDistance(of: place)
      if let side = Containment.bySide(error, least: distance, most: distance) { return side }
      if error.major > ErrorEllipse.greatestAxis { return .nan }
    }
    let plane = ErrorPlane(place, error)
    if !isPolygon || offset != 0 {
      guard let share = Outline.share(self, plane) else { return Containment.byLines(plane, boundaryDistance(of:)) }
      return Containment.resolve(share, plane, boundaryDistance(of:))
    }
    var mass = LineMass()
    addEdges(plane, to: &mass)
    guard mass.isTouched else {
      let (least, most) = bounds(at: place.vector)
      return most < 0 || (least <= 0 && boundaryDistance(of: place) <= 0) ? 1 : 0
    }
    return Containment.resolve(mass.share(), plane, boundaryDistance(of:))
  }

  /// Lines with at most this many vertices are not searched: all of their edges are looked at.
  private static var fewVertices: Int { 256 }

  /// Adds the edges of a polygon.
  private func addEdges(_ plane: ErrorPlane, to mass: inout LineMass) {
    let position = plane.place.vector
    let limit = min(plane.seriesLimit, ErrorPlane.longestStraight)
    let ball = line.bounds
    if line.vertices.count <= Self.fewVertices,
      ball.centre.squaredChord(to: position).squareRoot() + ball.reach < limit
    {
      return addAll(plane, to: &mass)
    }
    // Edges that follow one another, from one vertex to another.
    var (first, last) = (0, 0)
    line.vertices.withUnsafeBufferPointer { vertices in
      for edge in LineSearch.edges(of: line, at: position, limit: plane.error.reach) {
        let (start, end) = (vertices[edge], vertices[edge &+ 1])
        let isNear = start.squaredChord(to: position) < limit * limit && end.squaredChord(to: position) < limit * limit
        if !isNear || edge != last {
          mass.add(chain: UnsafeBufferPointer(rebasing: vertices[first...last]), first: first, plane)
          (first, last) = (edge, edge)
        }
        if isNear {
          last = edge &+ 1
        } else {
          let arc = plane.arc(self.line.segment(edge))
          arc.line.add(from: -arc.half, to: arc.half, in: plane, to: &mass)
        }
      }
      mass.add(chain: UnsafeBufferPointer(rebasing: vertices[first...last]), first: first, plane)
    }
  }

  /// Adds all edges of a polygon with few vertices, all of them near.
  private func addAll(_ plane: ErrorPlane, to mass: inout LineMass) {
    let count = line.vertices.count
    line.vertices.withUnsafeBufferPointer { vertices in
      var first = 0
      for chain in 1...line.starts.count {
        let end = chain < line.starts.count ? line.starts[chain] : count
        mass.add(chain: UnsafeBufferPointer(rebasing: vertices[first..<end]), first: first, plane)
        first = end
      }
    }
  }
}

extension ErrorPlane {
  /// An edge within this distance is straight in the azimuthal equidistant plane, in metres: an edge of the length 2l
  /// changes the probability by at most 0.24 (l / R)² / 3, which is 2e-8.
  static var longestStraight: Double { 3_000 }

  /// The part of an edge that matters: its ends are the ends of the edge, or farther from the position than any piece
  /// that is integrated.
  func part(_ segment: GeodesicSegment, reach: Double) -> (from: SurfacePoint, to: SurfacePoint, isCut: (Bool, Bool)) {
    let foot = segment.foot(of: place)
    let half = 2 * reach + min(seriesLimit, 50_000)
    let (from, to) = (foot.along - half, foot.along + half)
    return (
      from > 0 ? segment.point(from).place : segment.start, to < segment.length ? segment.point(to).place : segment.end,
      (from > 0, to < segment.length)
    )
  }

  /// An edge as an arc of the conformal plane, from −half to half.
  func arc(_ segment: GeodesicSegment) -> (line: ConformalArc, half: Double) {
    let part = part(segment, reach: error.reach)
    return arc(conformal(flat(part.from)), conformal(flat(part.to)))
  }

  /// The geodesic of the sphere between two points of the conformal plane.
  func arc(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> (line: ConformalArc, half: Double) {
    let chord = b - a
    let length = ErrorPlane.dot(chord, chord).squareRoot()
    guard length > 0 else { return (ConformalArc(origin: a, tangent: SIMD2(1, 0), curvature: 0), 0) }
    let pole = pole(a, b)
    let tangent = chord / length
    let curvature = pole.up / (2 * radius)
    // With the angle 2y of the arc, sin y is half the chord times the curvature, and the arc is longer than its chord by
    // y / sin y.
    let sine = 0.5 * curvature * length
    let cosine = max(1 - sine * sine, 0).squareRoot()
    let half =
      sine.magnitude < 1e-2
      ? 0.5 * length * (1 + sine * sine * ((1 / 6.0) + sine * sine * (3 / 40.0)))
      : Trigonometry.atan2(sine, cosine) / curvature
    // The height of the arc above its chord is half the chord times tan(y / 2).
    let height = 0.5 * length * sine / (1 + cosine)
    let normal = SIMD2(-tangent.y, tangent.x)
    return (
      ConformalArc(origin: (a + b) * 0.5 - normal * height, tangent: tangent, curvature: curvature), half
    )
  }

  /// The unit vector on the sphere at the left of a geodesic: its horizontal part (east, north) and its upward part.
  func pole(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> (flat: SIMD2<Double>, up: Double) {
    let (squareA, squareB) = (ErrorPlane.dot(a, a) * quarter, ErrorPlane.dot(b, b) * quarter)
    let flat = SIMD2((a.y - b.y) - (a.y * squareB - squareA * b.y), (b.x - a.x) - (squareA * b.x - a.x * squareB))
    let up = ErrorPlane.cross(a, b) / radius
    let size = (ErrorPlane.dot(flat, flat) + up * up).squareRoot()
    return (flat / size, up / size)
  }
}
