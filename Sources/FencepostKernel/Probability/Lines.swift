extension Containment {
  /// The probability from exact signed boundary distances only, for shapes that are too large for the conformal plane.
  ///
  /// Lines parallel to the minor axis are searched for the boundary: D changes by no more than the position moves, so
  /// steps of |D| miss none of it. Across the lines, the integral is adaptive, by the Gauss–Legendre rule with
  /// 8 nodes.
  ///
  /// - Complexity: Some ten thousand distances.
  static func byLines(_ plane: ErrorPlane, _ distance: (SurfacePoint) -> Double) -> Double {
    let end = ErrorEllipse.farthest
    var sum = 0.0
    for panel in 0..<80 {
      let width = end / 40
      sum += adaptive(from: Double(panel) * width - end, width, 0) { x in
        line(at: x, plane, distance)
      }
    }
    return min(max(sum, 0), 1)
  }

  /// - Parameter whole: The integral by the rule, if it is known.
  private static func adaptive(
    from start: Double, _ width: Double, _ depth: Int, whole: Double? = nil, _ value: (Double) -> Double
  ) -> Double {
    // The two parts differ in size: a step of the value in the middle of two equal parts would not be noticed.
    let part = 0.4 * width
    let rough = whole ?? rule(from: start, width, value)
    let (first, second) = (rule(from: start, part, value), rule(from: start + part, width - part, value))
    if (rough - (first + second)).magnitude < 1e-9 || depth == 24 { return first + second }
    return adaptive(from: start, part, depth + 1, whole: first, value)
      + adaptive(from: start + part, width - part, depth + 1, whole: second, value)
  }

  private static func rule(from start: Double, _ width: Double, _ value: (Double) -> Double) -> Double {
    let (middle, half) = (start + 0.5 * width, 0.5 * width)
    func pair(_ node: Double) -> Double { value(middle - half * node) + value(middle + half * node) }
    return half
      * (0.362683783378362 * pair(0.1834346424956498) + 0.3137066458778873 * pair(0.525532409916329)
        + 0.2223810344533745 * pair(0.7966664774136267) + 0.1012285362903763 * pair(0.9602898564975363))
  }

  /// The density of the line at x, times the probability that a point of the line is inside.
  private static func line(at x: Double, _ plane: ErrorPlane, _ distance: (SurfacePoint) -> Double) -> Double {
    let end = ErrorEllipse.farthest
    let minor = plane.error.minor
    func level(_ y: Double) -> Double { distance(plane.point(whitened: SIMD2(x, y))) }
    var y = -end
    var here = level(y)
    var inside = 0.0
    var since = y
    while y < end {
      let next = min(y + max(here.magnitude / minor, leastStep), end)
      let there = level(next)
      if (there <= 0) != (here <= 0) {
        let root = root(y, here, next, there, level)
        if here <= 0 { inside += normal(root) - normal(since) } else { since = root }
      }
      (y, here) = (next, there)
    }
    if here <= 0 { inside += normal(end) - normal(since) }
    return inside * 0.3989422804014327 * density(x)
  }

  /// The shortest step along a line, in standard deviations.
  private static let leastStep = 0.002

  private static func root(
    _ a: Double, _ levelA: Double, _ b: Double, _ levelB: Double, _ level: (Double) -> Double
  ) -> Double {
    var (a, b, levelA, levelB) = (a, b, levelA, levelB)
    // The method of Illinois (Dowell and Jarratt, BIT 11, 1971, 168–174).
    for _ in 0..<60 where b - a > 1e-9 {
      var middle = b - levelB * (b - a) / (levelB - levelA)
      if !(middle > a && middle < b) { middle = a + 0.5 * (b - a) }
      let value = level(middle)
      if (value <= 0) == (levelB <= 0) {
        (b, levelB, levelA) = (middle, value, levelA * 0.5)
      } else {
        (a, levelA, levelB) = (middle, value, levelB * 0.5)
      }
    }
    return a + 0.5 * (b - a)
  }

  /// e^(−x²/2).
  private static func density(_ x: Double) -> Double {
    let u = x * x * (1 / 128.0)
    var power = 1.0
    for n in 0..<12 { power = 1 - power * u / Double(12 - n) }
    for _ in 0..<6 { power *= power }
    return power
  }

  /// ∫ e^(−y²/2) dy / √(2π) from 0 to y, for |y| ≤ 6.5: the series y e^(−y²/2) Σ y²ᵏ / (2k + 1)‼.
  private static func normal(_ y: Double) -> Double {
    let square = y * y
    var (term, sum, odd) = (y, y, 1.0)
    while term.magnitude > 1e-17 * (1 + sum.magnitude) {
      odd += 2
      term *= square / odd
      sum += term
    }
    return sum * 0.3989422804014327 * density(y)
  }
}
