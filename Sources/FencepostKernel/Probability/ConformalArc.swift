/// An arc of a circle, or a straight piece, in the conformal plane of an `ErrorPlane`.
///
/// The point at the signed length t from the origin is origin + T sin(κt)/κ + N (1 − cos κt)/κ, with the unit tangent T,
/// the normal N to its left and the curvature κ.
struct ConformalArc {
  let origin: SIMD2<Double>
  let tangent: SIMD2<Double>
  /// The curvature per metre: positive if the arc bends to the left.
  let curvature: Double

  init(origin: SIMD2<Double>, tangent: SIMD2<Double>, curvature: Double) {
    self.origin = origin
    self.tangent = tangent
    self.curvature = curvature
  }

  var normal: SIMD2<Double> { SIMD2(-tangent.y, tangent.x) }

  /// sin(κt)/κ and (1 − cos κt)/κ.
  @inline(__always)
  private func way(_ t: Double) -> (along: Double, left: Double) {
    let angle = curvature * t
    let square = angle * angle
    if square < 4e-4 {
      return (
        t * (1 - square * ((1 / 6.0) - square * (1 / 120.0))),
        0.5 * t * angle * (1 - square * ((1 / 12.0) - square * (1 / 360.0)))
      )
    }
    let (sine, cosine) = Trigonometry.sincos(angle)
    return (sine / curvature, (1 - cosine) / curvature)
  }

  func point(_ t: Double) -> SIMD2<Double> {
    let way = way(t)
    return origin + tangent * way.along + normal * way.left
  }

  /// The arc, with the point at the length t as its origin.
  private func moved(_ t: Double) -> ConformalArc {
    let way = way(t)
    let turned = SIMD2(1 - curvature * way.left, curvature * way.along)
    return ConformalArc(
      origin: origin + tangent * way.along + normal * way.left, tangent: tangent * turned.x + normal * turned.y,
      curvature: curvature)
  }

  /// Adds the part between two lengths, without its pieces outside of the window.
  func add(from start: Double, to stop: Double, in plane: ErrorPlane, to mass: inout LineMass) {
    guard start < stop else { return }
    let (a, b) = (white(point(start), plane), white(point(stop), plane))
    add(start, a, stop, b, 0, plane, &mass)
  }

  @inline(__always)
  private func white(_ conformal: SIMD2<Double>, _ plane: ErrorPlane) -> SIMD2<Double> {
    plane.whitened(conformal * plane.shortening(conformal))
  }

  private func add(
    _ start: Double, _ a: SIMD2<Double>, _ stop: Double, _ b: SIMD2<Double>, _ depth: Int, _ plane: ErrorPlane,
    _ mass: inout LineMass
  ) {
    let middle = start + 0.5 * (stop - start)
    let between = moved(middle)
    let m = white(between.origin, plane)
    let (before, behind) = (m - a, b - m)
    let longest = max(ErrorPlane.dot(before, before), ErrorPlane.dot(behind, behind)).squareRoot()
    let isFlat = curvature.magnitude * (stop - start) <= 0.8
    // No point of a flat arc is farther from its middle than 1.3 times the longer half.
    if isFlat, ErrorPlane.dot(m, m).squareRoot() > ErrorEllipse.farthest + 1.3 * longest { return }
    guard !isFlat || longest > 1, depth < 60 else {
      mass.add(from: a, to: b, sum: between.quadrature(stop - start, longest > 0.3, plane))
      return
    }
    add(start, a, middle, m, depth + 1, plane, &mass)
    add(middle, m, stop, b, depth + 1, plane, &mass)
  }

  /// ∫ g c along the arc of a length with the origin in its middle, by the Gauss–Legendre rule with 4 or 8 nodes.
  ///
  /// The arc is w ↦ origin + (T w + N κw²/2) / (1 + κ²w²/4) with w = 2 tan(κt/2) / κ.
  private func quadrature(_ length: Double, _ isLong: Bool, _ plane: ErrorPlane) -> Double {
    let angle = 0.25 * curvature * length
    let square = angle * angle
    let half = 0.5 * length * (1 + square * ((1 / 3.0) + square * ((2 / 15.0) + square * (17 / 315.0))))
    var sum = 0.0
    for index in isLong ? 2..<6 : 0..<2 {
      sum += Rule.weights[index] * pair(Rule.nodes[index] * half, plane)
    }
    return sum * half * plane.density
  }

  /// The sum of g c at w and at −w.
  @inline(never)
  private func pair(_ w: Double, _ plane: ErrorPlane) -> Double {
    let bend = 0.5 * curvature * w
    let scale = 1 / (1 + bend * bend)
    let (along, left) = (tangent * (w * scale), normal * (w * bend * scale))
    let (ahead, behind) = (origin + left + along, origin + left - along)
    // The derivative by w is T (1 − κ²w²/4) + N κw, divided by (1 + κ²w²/4)².
    let (forth, aside) = (tangent * ((1 - bend * bend) * scale * scale), normal * (2 * bend * scale * scale))
    let (fa, fb) = (plane.shortening(ahead), plane.shortening(behind))
    let (za, zb) = (plane.whitened(ahead * fa), plane.whitened(behind * fb))
    let g = Exponential.meanDecay(SIMD2(ErrorPlane.dot(za, za), ErrorPlane.dot(zb, zb)) * 0.5)
    return g.x * (fa * fa) * ErrorPlane.cross(ahead, forth + aside)
      + g.y * (fb * fb) * ErrorPlane.cross(behind, forth - aside)
  }
}

/// The positive nodes of the Gauss–Legendre rules with 4 and with 8 nodes, and their weights.
private enum Rule {
  static let nodes: InlineArray<6, Double> = [
    0.3399810435848563, 0.8611363115940526, 0.1834346424956498, 0.525532409916329, 0.7966664774136267,
    0.9602898564975363,
  ]
  static let weights: InlineArray<6, Double> = [
    0.6521451548625461, 0.34785484513745385, 0.362683783378362, 0.3137066458778873, 0.2223810344533745,
    0.1012285362903763,
  ]
}
