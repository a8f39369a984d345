/// The outline of a corridor, or of the buffer of a polygon: the union of the discs around the vertices and of the strips
/// beside the edges, in the conformal plane.
///
/// Each disc and each side of a strip is bounded by one circle of the conformal plane. The parts of these circles that no
/// other disc or strip covers are the outline. A part ends where a condition `F ≥ 0` of a `ConformalLine` begins or ceases
/// to hold; along an arc, each such F is a quadratic polynomial.
struct Outline {
  /// An edge and the area beside it.
  private struct Strip {
    /// F ≥ 0 to the left of the right side, to the right of the left side, ahead of the start and behind the end.
    var right, left, start, end: ConformalLine
    /// The directions of the edge at its ends, as unit vectors (east, north, up) of the sphere.
    var leaving, arriving: (flat: SIMD2<Double>, up: Double)
    /// The numbers of the discs at its ends; −1 if the edge was cut there.
    var startDisc, endDisc: Int
  }

  private struct Disc {
    var vertex: EarthVector
    var place: SIMD2<Double>
    var line: ConformalLine
    /// Strips that start and strips that end here.
    var strips: ContiguousArray<Int> = []
  }

  /// An interval of the parameter w of an arc.
  private struct Interval {
    var from, to: Double
  }

  private let plane: ErrorPlane
  private let width: Double
  private var strips: ContiguousArray<Strip> = []
  private var discs: ContiguousArray<Disc> = []
  private var covered: ContiguousArray<Interval> = []

  /// The greatest number of edges and vertices that are held against one another.
  private static let most = 600

  /// The probability of a corridor or of a polygon with a buffer, modulo 1; `nil` if the shape is too large for the
  /// conformal plane, or has too many edges near the position.
  static func share(_ shape: GeodesicShape, _ plane: ErrorPlane) -> Double? {
    let width = shape.offset.magnitude
    guard plane.isFaithful(width + plane.error.reach), width < 0.3 * plane.radius else { return nil }
    var outline = Outline(plane, width)
    guard outline.addEdges(shape) else { return nil }
    return outline.share(shape)
  }

  private init(_ plane: ErrorPlane, _ width: Double) {
    self.plane = plane
    self.width = width
  }

  // MARK: - Strips and discs

  private mutating func addEdges(_ shape: GeodesicShape) -> Bool {
    let reach = width + plane.error.reach
    let edges = LineSearch.edges(of: shape.line, at: plane.place.vector, limit: reach)
    guard edges.count <= Outline.most else { return false }
    for edge in edges.arranged() {
      let segment = shape.line.segment(edge)
      let (start, end) = (segment.start, segment.end)
      guard start.vector != end.vector else {
        guard disc(start, reach) != nil else { return false }
        continue
      }
      var part = (from: start, to: end, isCut: (false, false))
      if segment.length > 4 * plane.error.reach + 2 * min(plane.seriesLimit, 50_000) {
        part = plane.part(segment, reach: plane.error.reach)
      }
      let (a, b) = (plane.conformal(plane.flat(part.from)), plane.conformal(plane.flat(part.to)))
      var (startDisc, endDisc) = (-1, -1)
      if !part.isCut.0 {
        guard let number = disc(start, reach) else { return false }
        startDisc = number
      }
      if !part.isCut.1 {
        guard let number = disc(end, reach) else { return false }
        endDisc = number
      }
      let strip = strip(a, b, startDisc, endDisc)
      if startDisc >= 0 { discs[startDisc].strips.append(strips.count) }
      if endDisc >= 0 { discs[endDisc].strips.append(strips.count) }
      strips.append(strip)
    }
    return true
  }

  /// The number of the disc around a vertex; `nil` if it is too large.
  private mutating func disc(_ vertex: SurfacePoint, _ reach: Double) -> Int? {
    for number in discs.indices.reversed() where discs[number].vertex == vertex.vector { return number }
    let flat = plane.flat(vertex)
    let length = ErrorPlane.dot(flat, flat).squareRoot()
    let direction = length > 0 ? flat / length : SIMD2(0, 1)
    let isNear = length <= reach
    // A disc that does not reach into the window matters only as an end.
    guard let line = ConformalLine(circleAt: length, direction, radius: width, plane) else {
      return isNear ? nil : -1
    }
    discs.append(Disc(vertex: vertex.vector, place: plane.conformal(flat), line: line))
    return discs.count - 1
  }

  private func strip(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ startDisc: Int, _ endDisc: Int) -> Strip {
    let pole = plane.pole(a, b)
    let (sine, _) = Trigonometry.sincos(width / plane.radius)
    let minus = (flat: pole.flat * -1, up: -pole.up)
    let (leaving, arriving) = (direction(pole, at: a), direction(pole, at: b))
    return Strip(
      right: ConformalLine(pole.flat, up: pole.up, sine: -sine, level: pole.up + sine, plane),
      left: ConformalLine(minus.flat, up: minus.up, sine: -sine, level: minus.up + sine, plane),
      start: ConformalLine(leaving.flat, up: leaving.up, sine: 0, level: leaving.up, plane),
      end: ConformalLine(arriving.flat * -1, up: -arriving.up, sine: 0, level: -arriving.up, plane),
      leaving: leaving, arriving: arriving, startDisc: startDisc, endDisc: endDisc)
  }

  /// The direction of a geodesic with a given pole at one of its points: the cross product of the pole and the point.
  private func direction(_ pole: (flat: SIMD2<Double>, up: Double), at point: SIMD2<Double>) -> (
    flat: SIMD2<Double>, up: Double
  ) {
    // The unit vector of the point is (X / R, 1 − |X|²/4R²) / (1 + |X|²/4R²).
    let square = ErrorPlane.dot(point, point) * plane.quarter
    let flat = point / (plane.radius * (1 + square))
    let up = (1 - square) / (1 + square)
    let across = SIMD2(pole.flat.y * up - pole.up * flat.y, pole.up * flat.x - pole.flat.x * up)
    let rise = ErrorPlane.cross(pole.flat, flat)
    let size = (ErrorPlane.dot(across, across) + rise * rise).squareRoot()
    return (across / size, rise / size)
  }

  // MARK: - Parts of the outline

  private mutating func share(_ shape: GeodesicShape) -> Double {
    var mass = LineMass()
    // The outline of a larger polygon lies outside of its line. The outline of a smaller one lies inside, and is walked
    // backwards.
    let isSmaller = shape.isPolygon && shape.offset < 0
    for number in strips.indices {
      if !isSmaller { add(strips[number].right, ofStrip: number, &mass) }
      if !shape.isPolygon || isSmaller { add(strips[number].left, ofStrip: number, &mass) }
    }
    for number in discs.indices { add(disc: number, shape, isSmaller, &mass) }
    let share = mass.isTouched ? mass.share() : 0
    return isSmaller && share > 0 ? 1 - share : share
  }

  /// Adds the free parts of one side of a strip.
  private mutating func add(_ line: ConformalLine, ofStrip number: Int, _ mass: inout LineMass) {
    let strip = strips[number]
    guard let window = window(line) else { return }
    covered.removeAll(keepingCapacity: true)
    cover(where: strip.start, holds: false, line, window)
    cover(where: strip.end, holds: false, line, window)
    for other in strips.indices where other != number { cover(other, line, window, isFirst: other < number) }
    for other in discs.indices where other != strip.startDisc && other != strip.endDisc {
      cover(disc: other, line, window, isFirst: false)
    }
    for part in free(window) {
      line.arc.add(
        from: line.length(ofHalfTangent: part.from), to: line.length(ofHalfTangent: part.to), in: plane, to: &mass)
    }
  }

  /// Adds the free parts of a circle around a vertex: those beyond the ends of all edges that meet there.
  private mutating func add(disc number: Int, _ shape: GeodesicShape, _ isSmaller: Bool, _ mass: inout LineMass) {
    let line = discs[number].line
    guard let window = window(line) else { return }
    covered.removeAll(keepingCapacity: true)
    for strip in discs[number].strips {
      // Both ends of an edge may be the same vertex only if the edge has no length.
      let end = strips[strip].startDisc == number ? strips[strip].start : strips[strip].end
      cover(where: end, holds: true, line, window)
    }
    let own = discs[number].strips
    for other in strips.indices where !own.contains(other) { cover(other, line, window, isFirst: true) }
    for other in discs.indices where other != number { cover(disc: other, line, window, isFirst: other < number) }
    for part in free(window) {
      let (from, to) = (line.length(ofHalfTangent: part.from), line.length(ofHalfTangent: part.to))
      if shape.isPolygon, isInside(line.arc.point(from + 0.5 * (to - from)), shape) != isSmaller { continue }
      line.arc.add(from: from, to: to, in: plane, to: &mass)
    }
  }

  /// Whether a point of the conformal plane is inside the line of a polygon.
  private func isInside(_ conformal: SIMD2<Double>, _ shape: GeodesicShape) -> Bool {
    let point = plane.point(flat: conformal * plane.shortening(conformal))
    return shape.line.nearest(to: point).side > 0
  }

  /// The largest |w| of an arc in the window.
  private func window(_ line: ConformalLine) -> Double? {
    guard let half = line.half(within: plane.error.reach, plane) else { return nil }
    return line.halfTangent(ofLength: half)
  }

  // MARK: - Intervals

  /// Covers the parts of the line at which a condition holds, or does not hold.
  @inline(never)
  private mutating func cover(where condition: ConformalLine, holds: Bool, _ line: ConformalLine, _ window: Double) {
    let quadratic = Quadratic(condition, on: line)
    let roots = quadratic.roots
    var from = -window
    let ends: InlineArray<3, Double> = [roots.low, roots.high, window]
    for index in 0..<3 {
      let to = min(max(ends[index], -window), window)
      if to > from {
        if quadratic.isPositive(between: from, to) == holds { covered.append(Interval(from: from, to: to)) }
        from = to
      }
    }
  }

  /// - Parameter isFirst: Of two identical circles, the first is covered if this is true.
  private mutating func cover(disc other: Int, _ line: ConformalLine, _ window: Double, isFirst: Bool) {
    let circle = discs[other].line
    if Quadratic(circle, on: line).isZero(window) {
      if isFirst, circle.isSameSide(as: line) { covered.append(Interval(from: -window, to: window)) }
      return
    }
    cover(where: circle, holds: true, line, window)
  }

  private mutating func cover(_ other: Int, _ line: ConformalLine, _ window: Double, isFirst: Bool) {
    let strip = strips[other]
    // The parts that satisfy the conditions so far follow the intervals of the other discs and strips.
    let first = covered.count
    covered.append(Interval(from: -window, to: window))
    for side in 0..<4 {
      let condition = side == 0 ? strip.right : side == 1 ? strip.left : side == 2 ? strip.start : strip.end
      let quadratic = Quadratic(condition, on: line)
      if side < 2, quadratic.isZero(window), isFirst, condition.isSameSide(as: line) { continue }
      let isNothing = side < 2 && quadratic.isZero(window)
      let (before, roots) = (covered.count, quadratic.roots)
      for index in first..<before where !isNothing {
        let interval = covered[index]
        var from = interval.from
        let ends: InlineArray<3, Double> = [roots.low, roots.high, interval.to]
        for number in 0..<3 {
          let to = min(max(ends[number], interval.from), interval.to)
          if to > from {
            if quadratic.isPositive(between: from, to) { covered.append(Interval(from: from, to: to)) }
            from = to
          }
        }
      }
      // Remove the elements one by one: `removeSubrange` would add much code.
      for index in before..<covered.count { covered[first + index - before] = covered[index] }
      for _ in first..<before { covered.removeLast() }
      if covered.count == first { return }
    }
  }

  /// The parts of the window that nothing covers.
  private mutating func free(_ window: Double) -> ContiguousArray<Interval> {
    // The intervals are few; a sort of the standard library would add 4 kB of code.
    for index in covered.indices.dropFirst() {
      var place = index
      while place > 0, covered[place].from < covered[place - 1].from {
        covered.swapAt(place, place - 1)
        place -= 1
      }
    }
    var parts: ContiguousArray<Interval> = []
    var next = -window
    for interval in covered {
      if interval.from > next { parts.append(Interval(from: next, to: interval.from)) }
      next = max(next, interval.to)
    }
    if next < window { parts.append(Interval(from: next, to: window)) }
    return parts
  }
}

/// The values F of a `ConformalLine` along the arc of another one, times 1 + κ²w²/4: c₀ + c₁ w + c₂ w².
private struct Quadratic {
  let c0, c1, c2: Double

  init(_ other: ConformalLine, on line: ConformalLine) {
    let arc = line.arc
    let (normal, curvature) = (arc.normal, arc.curvature)
    // The origin is −m N.
    let m = -ErrorPlane.dot(arc.origin, normal)
    let along = other.slope * ErrorPlane.dot(other.direction, normal)
    c0 = other.bend * (m * m) - along * m + other.level
    c1 = other.slope * ErrorPlane.dot(other.direction, arc.tangent)
    c2 = 0.25 * curvature * curvature * c0 + other.bend * (1 - m * curvature) + 0.5 * along * curvature
  }

  /// Whether the two lines are the same one, within a nanometre.
  func isZero(_ window: Double) -> Bool {
    let bound = 1e-9 * max(1, window)
    return c0.magnitude < 1e-9 && (c1 * window).magnitude < bound && (c2 * window * window).magnitude < bound
  }

  /// The places between which the sign differs from the sign beyond them; infinite if the sign does not change.
  var roots: (low: Double, high: Double) {
    let square = c1 * c1 - 4 * c2 * c0
    guard square > 0 else { return (-.infinity, .infinity) }
    let q = -0.5 * (c1 + (c1 < 0 ? -square.squareRoot() : square.squareRoot()))
    let first = c2 != 0 ? q / c2 : .infinity
    let second = q != 0 ? c0 / q : .infinity
    let (low, high) = (min(first, second), max(first, second))
    return low == .infinity ? (-.infinity, .infinity) : (low, high)
  }

  /// The sign between two places without a root between them.
  func isPositive(between from: Double, _ to: Double) -> Bool {
    let w = from + 0.5 * (to - from)
    return c0 + w * (c1 + w * c2) > 0
  }
}

extension ConformalLine {
  /// w = 2 tan(κt/2) / κ for a length t along the arc.
  func halfTangent(ofLength t: Double) -> Double {
    let half = 0.5 * arc.curvature * t
    let square = half * half
    if square < 1e-4 { return t * (1 + square * ((1 / 3.0) + square * ((2 / 15.0) + square * (17 / 315.0)))) }
    let (sine, cosine) = Trigonometry.sincos(half)
    // Half of a circle: the opposite point.
    return min(sine.magnitude / max(cosine.magnitude, 1e-9), 1e9) * 2 / arc.curvature.magnitude
  }

  /// For two lines with the same points: whether they bound the same side.
  func isSameSide(as other: ConformalLine) -> Bool {
    let normal = other.arc.normal
    let gradient = direction * slope + other.arc.origin * (2 * bend)
    return ErrorPlane.dot(gradient, normal) > 0
  }
}
