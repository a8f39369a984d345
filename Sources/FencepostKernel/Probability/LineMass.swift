/// The sum over the pieces of a closed line, in the whitened plane, that gives the probability of the area to its left.
///
/// By Green's theorem, a piece contributes ∫ (1 − e^(−ρ²/2)) dθ / 2π, where ρ and θ are polar coordinates around the
/// measured position (DiDonato and Hageman, "The integral of the bivariate Gaussian distribution over a polygon",
/// SIAM Journal on Scientific and Statistical Computing 3, 1982, 434–446). With c = x dy − y dx, this is
/// ∫ g(ρ²/2) c / 4π with g(u) = (1 − e⁻ᵘ) / u, which has no singularity.
///
/// Only pieces with ρ ≤ 6.5 are integrated. On the others e^(−ρ²/2) counts as 0, so their contribution is an angle. The
/// angles of all pieces of closed lines sum to a whole number of turns; the sum is therefore formed modulo 1, from the
/// angles of the integrated pieces.
struct LineMass {
  /// The square of the radius that is integrated.
  private static let window = ErrorEllipse.farthest * ErrorEllipse.farthest

  /// The square of the length of a short edge.
  private static let shortSquare = 0.09

  /// The sum of ∫ g c over all pieces.
  private var sum = 0.0
  /// A complex number whose argument is minus the sum of the angles of all pieces.
  private var turn = SIMD2<Double>(1, 0)
  /// The end of the piece before, if it ends at a vertex.
  private var open = SIMD2<Double>()
  private var openVertex = -1
  /// Whether a piece was integrated.
  private(set) var isTouched = false

  /// The probability, modulo 1 and in [0, 1).
  mutating func share() -> Double {
    close()
    let value = sum * (1 / 12.566370614359172) + Trigonometry.atan2(turn.y, turn.x) * (1 / 6.283185307179586)
    // Each line adds less than a million turns.
    let share = value - Double(Int64(value))
    return share < 0 ? share + 1 : share
  }

  /// Adds a straight piece between two vertices. A vertex is −1 if no other piece starts or ends there.
  mutating func add(from a: SIMD2<Double>, _ vertexA: Int, to b: SIMD2<Double>, _ vertexB: Int) {
    let way = b - a
    let square = ErrorPlane.dot(way, way)
    let area = ErrorPlane.cross(a, b)
    let (squareA, squareB) = (ErrorPlane.dot(a, a), ErrorPlane.dot(b, b))
    if max(squareA, squareB) <= Self.window {
      begin(a, vertexA)
      sum += area * LineMass.many(a, way, square)
      end(b, vertexB)
      return
    }
    guard square > 0, area * area < Self.window * square else { return }
    // The clipped piece: |a + t way|² ≤ window.
    let half = ErrorPlane.dot(a, way)
    let root = (square * Self.window - area * area).squareRoot()
    let enter = (-half - root) / square
    let leave = (root - half) / square
    guard enter < 1, leave > 0 else { return }
    let start = enter > 0 ? a + way * enter : a
    let stop = leave < 1 ? a + way * leave : b
    begin(start, enter > 0 ? -1 : vertexA)
    let part = stop - start
    sum += ErrorPlane.cross(start, part) * LineMass.many(start, part, ErrorPlane.dot(part, part))
    end(stop, leave < 1 ? -1 : vertexB)
  }

  /// Adds the edges of a chain of near vertices, the first of them with the number `first`; two edges at once.
  ///
  /// Along a short edge, the integral of g is that of the polynomial of degree 5 with the same values, slopes and
  /// curvatures at both ends: (f₀ + f₁)/2 + (f₀′ − f₁′)/10 + (f₀″ + f₁″)/120. An edge needs no node of its own. The error is
  /// the sixth derivative / 100 800, which is below 3e-8 for a length of 0.3.
  mutating func add(chain: UnsafeBufferPointer<EarthVector>, first: Int, _ plane: ErrorPlane) {
    guard chain.count > 1 else { return }
    var before = Corners(plane.near(chain[0], chain[0]), plane)
    var sum = SIMD2<Double>()
    // Whether the edge before ended at a vertex within the window.
    var isOpen = false
    var index = 1
    while index < chain.count {
      // The last of an odd number of edges is followed by an edge without a length.
      let last = min(index &+ 1, chain.count &- 1)
      let b = Corners(plane.near(chain[index], chain[last]), plane)
      let a = Corners(behind: before, b)
      let dot = a.x * b.x + a.y * b.y
      let (slopeA, slopeB) = (dot - a.square, b.square - dot)
      let square = slopeB - slopeA
      let longest = a.square.orLarger(b.square).orLarger(square * SIMD2(repeating: Self.window / Self.shortSquare))
      if longest.x < Self.window, longest.y < Self.window {
        if !isOpen { begin(SIMD2(a.x.x, a.y.x), first &+ index &- 1) }
        isOpen = true
        let slopes: SIMD2<Double> = b.first * slopeB - a.first * slopeA
        let bends: SIMD2<Double> = a.second * slopeA * slopeA + b.second * slopeB * slopeB
        let curved: SIMD2<Double> = bends - (a.first + b.first) * square
        let rest: SIMD2<Double> = slopes * SIMD2(repeating: 12.0) + curved
        let mean: SIMD2<Double> = (a.value + b.value) + rest * SIMD2(repeating: 1 / 60.0)
        let area: SIMD2<Double> = a.x * b.y - a.y * b.x
        sum += area * mean
      } else {
        let (start, middle, stop) = (SIMD2(a.x.x, a.y.x), SIMD2(b.x.x, b.y.x), SIMD2(b.x.y, b.y.y))
        if isOpen { end(start, first &+ index &- 1) }
        isOpen = false
        add(from: start, first &+ index &- 1, to: middle, first &+ index)
        add(from: middle, first &+ index, to: stop, first &+ last)
      }
      before = b
      index &+= 2
    }
    if isOpen { end(SIMD2(before.x.y, before.y.y), first &+ chain.count &- 1) }
    self.sum += 0.5 * (sum.x + sum.y)
  }

  /// Doubles the line: adds its mirror image at an axis through the measured position.
  mutating func mirror() {
    close()
    sum *= 2
    turn = SIMD2(turn.x * turn.x - turn.y * turn.y, 2 * turn.x * turn.y)
  }

  /// Adds a piece of a curve with the given quadrature sum.
  mutating func add(from a: SIMD2<Double>, to b: SIMD2<Double>, sum: Double) {
    begin(a, -1)
    self.sum += sum
    end(b, -1)
  }

  @inline(__always)
  private mutating func begin(_ a: SIMD2<Double>, _ vertex: Int) {
    isTouched = true
    if vertex >= 0 && vertex == openVertex { return }
    close()
    multiply(a)
  }

  @inline(__always)
  private mutating func end(_ b: SIMD2<Double>, _ vertex: Int) {
    openVertex = vertex
    if vertex >= 0 { open = b } else { multiply(SIMD2(b.x, -b.y)) }
  }

  private mutating func close() {
    if openVertex >= 0 { multiply(SIMD2(open.x, -open.y)) }
    openVertex = -1
  }

  /// Turns by the argument of a complex number. A point at the measured position has none: it counts as a point beside
  /// it, in both of the pieces that meet there.
  private mutating func multiply(_ factor: SIMD2<Double>) {
    let size = factor.x.magnitude + factor.y.magnitude
    guard size > 1e-14 else { return }
    let unit = factor / size
    turn = SIMD2(turn.x * unit.x - turn.y * unit.y, turn.x * unit.y + turn.y * unit.x)
    if turn.x.magnitude + turn.y.magnitude < 1e-60 { turn *= 1e60 }
  }

  /// The mean of g along a piece, which is divided into parts of at most 1.25; each by the Gauss–Legendre rule with 4
  /// nodes.
  @inline(never)
  private static func many(_ a: SIMD2<Double>, _ way: SIMD2<Double>, _ square: Double) -> Double {
    let pieces = max(Double((square.squareRoot() * 0.8).roundedUp), 1)
    let part = way / pieces
    var start = a
    var sum = 0.0
    for _ in 0..<Int(pieces) {
      let inner = SIMD2(0.33000947820757187, 0.6699905217924281)
      let outer = SIMD2(0.06943184420297371, 0.9305681557970263)
      let (x, y) = (start.x + inner * part.x, start.y + inner * part.y)
      let (u, v) = (start.x + outer * part.x, start.y + outer * part.y)
      let g = Exponential.nearMeanDecay((x * x + y * y) * 0.5)
      let h = Exponential.nearMeanDecay((u * u + v * v) * 0.5)
      sum += 0.3260725774312731 * (g.x + g.y) + 0.17392742256872692 * (h.x + h.y)
      start += part
    }
    return sum / pieces
  }
}

/// Two vertices in the whitened plane, with u = ρ²/2.
private struct Corners {
  let x, y: SIMD2<Double>
  /// ρ².
  let square: SIMD2<Double>
  /// g(u), −g′(u) and g″(u).
  let value, first, second: SIMD2<Double>

  @inline(__always)
  init(_ flat: (east: SIMD2<Double>, north: SIMD2<Double>), _ plane: ErrorPlane) {
    (x, y) = plane.whitened(flat.east, flat.north)
    square = x * x + y * y
    (value, first, second) = Exponential.meanDecays(square * SIMD2(repeating: 0.5))
  }

  /// The vertices before two others: the second of two earlier ones, and the first of them.
  @inline(__always)
  init(behind before: Corners, _ corners: Corners) {
    x = SIMD2(before.x.y, corners.x.x)
    y = SIMD2(before.y.y, corners.y.x)
    square = SIMD2(before.square.y, corners.square.x)
    value = SIMD2(before.value.y, corners.value.x)
    first = SIMD2(before.first.y, corners.first.x)
    second = SIMD2(before.second.y, corners.second.x)
  }
}

extension SIMD2 where Scalar == Double {
  @inline(__always)
  fileprivate func orLarger(_ other: SIMD2) -> SIMD2 { replacing(with: other, where: self .< other) }
}
