/// The shortest geodesic between two near points, as a power series of the length; this series needs no trigonometry
/// and no series of harmonics.
///
/// On the ellipsoid xᵀDx = 1, a geodesic with unit speed satisfies x″ = −μ Dx with μ = x′ᵀDx′ / xᵀD²x (do Carmo,
/// "Differential geometry of curves and surfaces", 1976, section 4.4: its acceleration is normal to the surface). Both
/// sides of the equation for x″ are expanded in powers of the length from the first point; each coefficient follows
/// from the previous ones. For lengths up to `limit`, the omitted terms are below 3e-12 m.
@frozen public struct ShortSegment: Sendable {
  /// The longest chord between the ends, in metres, for which the bounds of this type are valid.
  public static var limit: Double { 50_000 }
  /// Below this length, in metres, the powers from the fourth on add less than 0.2 nm.
  @inline(__always) static var shortLimit: Double { 1_000 }

  /// The first end.
  public var start: EarthVector
  /// The second end.
  public var end: EarthVector
  /// Length, metres.
  public private(set) var length: Double
  /// The coefficients of the powers 1 … 6 of the length; the first of them is the unit tangent at the start.
  @usableFromInline var terms: Terms

  /// - Parameters:
  ///   - start: A point of the surface.
  ///   - end: Another point of the surface, whose chord to the start is at most `limit`.
  public init(from start: EarthVector, to end: EarthVector) {
    self.start = start
    self.end = end
    let chord = end - start
    length = chord.length
    terms = Terms()
    guard length > 0 else { return }
    // The direction that leads to the other end is the chord's direction minus the effect of curvature, which depends
    // slightly on the direction. Each iteration reduces the error by a factor of about R / length. The first iteration
    // uses the curvature in the direction of the chord.
    let normal = start.scaled
    let lifted = chord + normal * (chord.dot(chord.scaled) / (2 * normal.dot(normal)))
    var tangent = lifted / lifted.length
    let isShort = length < ShortSegment.shortLimit
    for _ in 0..<12 {
      terms = Terms(at: start, tangent: tangent, isShort: isShort)
      let rest = chord - terms.bend(length)
      let next = rest.length
      let turned = rest / next
      let change = (turned - tangent).length * next + (next - length).magnitude
      length = next
      // If the change is below 1e-10, only the tangent is replaced.
      if change < 1e-10 {
        terms.first = turned
        break
      }
      tangent = turned
    }
  }

  /// The point at a given length from the start, in metres in 0 … `length`.
  public func point(_ along: Double) -> EarthVector {
    start + terms.displacement(along)
  }

  /// The unit tangent, towards the end, at a given length from the start.
  public func tangent(_ along: Double) -> EarthVector {
    let direction = terms.velocity(along)
    return direction / direction.length
  }

  /// The point on the segment that is nearest to a given point.
  ///
  /// - Parameter point: A point of the surface; the result is exact to 5 nm if the point is within
  ///   `ShortDistance.limit` of the segment. If the point is farther away than this limit, use the returned `along`
  ///   only as a starting value.
  public func foot(of point: EarthVector) -> (along: Double, at: EarthVector, isInner: Bool) {
    guard length > 0 else { return (0, start, false) }
    // At the foot that is computed here, the chord from the point meets the segment at a right angle. A geodesic would
    // meet the segment at a right angle at a slightly different foot: at 20 km the difference is 5e-9 radians, which
    // changes the distance by less than a picometre.
    var along = min(max((point - start).dot(terms.first), 0), length)
    for _ in 0..<12 {
      let here = self.point(along)
      let direction = tangent(along)
      let step = (point - here).dot(direction)
      if along == 0 && step <= 0 { return (0, start, false) }
      if along == length && step >= 0 { return (length, end, false) }
      if step.magnitude < 1e-6 {
        if along + step <= 0 { return (0, start, false) }
        if along + step >= length { return (length, end, false) }
        // Move the last micrometre along the tangent: over this length, the segment and its tangent do not measurably
        // differ.
        return (along + step, here + direction * step, true)
      }
      along = min(max(along + step, 0), length)
    }
    return (along, self.point(along), true)
  }

  /// The power series of a geodesic from a point.
  @usableFromInline struct Terms: Sendable {
    @usableFromInline var first = EarthVector(x: 0, y: 0, z: 0)
    var second = EarthVector(x: 0, y: 0, z: 0)
    var third = EarthVector(x: 0, y: 0, z: 0)
    var fourth = EarthVector(x: 0, y: 0, z: 0)
    var fifth = EarthVector(x: 0, y: 0, z: 0)
    var sixth = EarthVector(x: 0, y: 0, z: 0)

    init() {}

    /// Computes each coefficient from the previous ones. Let x = Σ xₖsᵏ and y = Dx (D is multiplied by a², which
    /// changes nothing), and let pₖ be the coefficients of x′ᵀDx′ and qₖ those of |y|². Then μ = p / q, and
    /// (k + 2)(k + 1) xₖ₊₂ = −Σ μᵢ yₖ₋ᵢ.
    init(at origin: EarthVector, tangent: EarthVector, isShort: Bool) {
      let y0 = origin.scaled
      first = tangent
      let y1 = first.scaled
      let q0 = y0.dot(y0)
      let m0 = first.dot(y1) / q0
      second = y0 * (-m0 / 2)
      let y2 = second.scaled
      let q1 = 2 * y0.dot(y1)
      let p1 = 4 * first.dot(y2)
      let m1 = (p1 - m0 * q1) / q0
      third = (y1 * m0 + y0 * m1) * (-1 / 6.0)
      if isShort { return }
      let y3 = third.scaled
      let q2 = 2 * y0.dot(y2) + y1.dot(y1)
      let p2 = 6 * first.dot(y3) + 4 * second.dot(y2)
      let m2 = (p2 - m0 * q2 - m1 * q1) / q0
      fourth = (y2 * m0 + y1 * m1 + y0 * m2) * (-1 / 12.0)
      let y4 = fourth.scaled
      let q3 = 2 * (y0.dot(y3) + y1.dot(y2))
      let p3 = 8 * first.dot(y4) + 12 * second.dot(y3)
      let m3 = (p3 - m0 * q3 - m1 * q2 - m2 * q1) / q0
      fifth = (y3 * m0 + y2 * m1 + y1 * m2 + y0 * m3) * (-1 / 20.0)
      let y5 = fifth.scaled
      let q4 = 2 * (y0.dot(y4) + y1.dot(y3)) + y2.dot(y2)
      let p4 = 10 * first.dot(y5) + 16 * second.dot(y4) + 9 * third.dot(y3)
      let m4 = (p4 - m0 * q4 - m1 * q3 - m2 * q2 - m3 * q1) / q0
      sixth = (y4 * m0 + y3 * m1 + y2 * m2 + y1 * m3 + y0 * m4) * (-1 / 30.0)
    }

    /// How far the geodesic deviates from its tangent after a given length.
    func bend(_ s: Double) -> EarthVector {
      (second + (third + (fourth + (fifth + sixth * s) * s) * s) * s) * (s * s)
    }

    func displacement(_ s: Double) -> EarthVector {
      first * s + bend(s)
    }

    func velocity(_ s: Double) -> EarthVector {
      first + (second * 2 + (third * 3 + (fourth * 4 + (fifth * 5 + sixth * (6 * s)) * s) * s) * s) * s
    }
  }
}
