/// The probability of a circle under an error ellipse, as the integral over the minor axis of the probabilities of the
/// chords along the major axis.
///
/// In standard deviations w of the minor axis, the integrand is the density of the normal distribution times a smooth
/// function, so the rule of equal steps converges very fast (Trefethen and Weideman, "The exponentially convergent
/// trapezoidal rule", SIAM Review 56, 2014, 385–458).
enum CircleShare {
  /// The length of a step, and the number of steps on each side of the measured position.
  private static let step = 0.75
  private static let steps = 9
  /// More standard deviations of the minor axis than the steps reach.
  private static let reach = 7.0

  /// The step times the density of the normal distribution after 0, 1, … 9 steps.
  private static let weights: InlineArray<10, Double> = [
    0.29920671030107454, 0.2258530741161033, 0.09713819674941881, 0.023804738876750563,
    0.0033238863089535054, 0.00026444676177558407, 1.1987805830179107e-05, 3.096353241472499e-07,
    4.556912137367465e-09, 3.8212034691327636e-11,
  ]

  /// The distribution function and the density of the normal distribution at 0, at 1/2, … and at 13/2.
  private static let table: InlineArray<28, Double> = [
    0.5, 0.3989422804014327, 0.6914624612740131, 0.3520653267642995,
    0.8413447460685429, 0.24197072451914337, 0.9331927987311419, 0.12951759566589174,
    0.9772498680518208, 0.05399096651318806, 0.9937903346742238, 0.01752830049356854,
    0.9986501019683699, 0.0044318484119380075, 0.9997673709209645, 0.0008726826950457602,
    0.9999683287581669, 0.00013383022576488537, 0.9999966023268753, 1.5983741106905478e-05,
    0.9999997133484281, 1.4867195147342979e-06, 0.9999999810104375, 1.0769760042543276e-07,
    0.9999999990134123, 6.075882849823286e-09, 0.99999999995984, 2.669556614762852e-10,
  ]

  /// The probability of a circle of the plane, within 1e-9; `nil` if the rule may be less exact.
  ///
  /// The rule needs chords whose ends, in standard deviations of the major axis, move less than w does.
  ///
  /// - Parameters:
  ///   - along: The distance of the centre from the measured position along the major axis, in metres.
  ///   - across: The same along the minor axis.
  @inline(never)
  static func share(along: Double, across: Double, radius: Double, _ error: ErrorEllipse) -> Double? {
    let (major, minor) = (error.major, error.minor)
    if across.magnitude - radius > reach * minor { return 0 }
    let farthest = across.magnitude + reach * minor
    guard farthest < radius else { return nil }
    let square = radius * radius
    guard minor * minor * (farthest * farthest) <= major * major * (square - farthest * farthest) else { return nil }
    var sum = 0.0
    for index in -steps...steps {
      let apart = step * Double(index) * minor - across
      let half = (square - apart * apart).squareRoot()
      let sides = distribution(SIMD2(half + along, half - along) / major)
      sum += weights[unchecked: Int(index.magnitude)] * (sides.x + sides.y - 1)
    }
    return max(0, min(sum, 1))
  }

  /// The distribution function of the normal distribution, within 5e-10.
  ///
  /// From the nearest number x of the table, the Taylor series is Φ(x − d) = Φ(x) − φ(x) d (t₀ + t₁/2 + t₂/3 + …), where
  /// tₙ is dⁿ Heₙ(x) / n! with the Hermite polynomials Heₙ; by their recurrence, tₙ is d (x tₙ₋₁ − d tₙ₋₂) / n.
  @inline(__always)
  private static func distribution(_ value: SIMD2<Double>) -> SIMD2<Double> {
    let (least, most) = (SIMD2(repeating: 0.0), SIMD2(repeating: 6.5))
    var size = value.replacing(with: least - value, where: value .< least)
    size = size.replacing(with: most, where: most .< size)
    let (first, second) = (Int(2 * size.x + 0.5), Int(2 * size.y + 0.5))
    let x = SIMD2(Double(first), Double(second)) * SIMD2(repeating: 0.5)
    let d = x - size
    let (pace, square) = (x * d, d * d)
    var (before, term) = (SIMD2(repeating: 1.0), pace)
    var sum = before + term * SIMD2(repeating: 1 / 2.0)
    func add(_ inverse: Double, _ inverseOfNext: Double) {
      let next = (pace * term - square * before) * SIMD2(repeating: inverse)
      (before, term) = (term, next)
      sum += next * SIMD2(repeating: inverseOfNext)
    }
    add(1 / 2.0, 1 / 3.0)
    add(1 / 3.0, 1 / 4.0)
    add(1 / 4.0, 1 / 5.0)
    add(1 / 5.0, 1 / 6.0)
    add(1 / 6.0, 1 / 7.0)
    add(1 / 7.0, 1 / 8.0)
    let shares = SIMD2(table[unchecked: 2 &* first], table[unchecked: 2 &* second])
    let densities = SIMD2(table[unchecked: 2 &* first &+ 1], table[unchecked: 2 &* second &+ 1])
    let above = shares - densities * d * sum
    return above.replacing(with: SIMD2(repeating: 1.0) - above, where: value .< least)
  }
}
