/// Circles that touch a line from the left at one point and grow until another part of the line stops them.
///
/// Let q be the place of contact, n the unit tangent towards the centre, and R the Earth's radius. The
/// circle of radius r through q also goes through p if R tan(r/R) = |p − q|² / (2n·(p − q)); it touches the
/// great circle whose left normal is m and which contains a if R tan(r/R) = m·(q − a) / (1 − m·n). On a
/// sphere, both formulas are exact for chords: they follow from c·p = cos r/R and m·c = sin r/R for the centre c = q
/// cos r/R + n sin r/R. On the ellipsoid, the relative errors of both formulas are only a few thousandths. The
/// tolerance of `DeepestPlace` allows for this error, and `DeepestPlace` measures its result exactly.
struct InscribedCircle {
  /// The place where the circle touches the line, and the direction from that place to the centre.
  struct Contact {
    var place: EarthVector
    var inwards: EarthVector
    /// The edge that the circle touches; this edge does not stop the circle.
    var edge: Int
    /// If the contact is a vertex, the other edge at this vertex; otherwise −1.
    var other = -1

    @inline(__always)
    func isOn(_ edge: Int) -> Bool { edge == self.edge || edge == other }
  }

  static var earthRadius: Double { 6_367_000 }
  /// For a line with more vertices than this, the search also uses `descend` and the last hint. The search of a smaller
  /// line takes only milliseconds, and without `descend` and the last hint its result is the same, bit for bit, as in
  /// earlier versions.
  static var largeLine: Int { 1_000 }

  var contact: Contact
  /// R tan(r/R), metres.
  private(set) var tangent: Double
  /// The edge that stops the circle; −1 if no edge does.
  private(set) var blocker = -1
  /// The number of tree nodes that were opened to find the edge that stops the circle.
  private(set) var opened = 0

  init(_ contact: Contact, tangent: Double) {
    self.contact = contact
    self.tangent = tangent
  }

  /// The radius, metres.
  static func radius(ofTangent tangent: Double) -> Double {
    guard tangent < 1e9 else { return DeepestPlace.largest }
    let part = tangent / earthRadius
    return part < 1e-3 ? tangent * (1 - part * part / 3) : earthRadius * Trigonometry.atan2(part, 1)
  }

  /// The largest circle at a contact that no edge stops earlier. If the radius falls below `enough`, the search ends at
  /// once and returns the circle that it has found so far, which some edge stops.
  ///
  /// - Parameter hints: Edges that may stop the circle early; −1 means no hint. The third hint is used only if the line
  ///   has more than `largeLine` vertices.
  static func largest(
    at contact: Contact, in line: ShapeLine, from tangent: Double, enough: Double, hints: (Int, Int, Int)
  ) -> InscribedCircle {
    var circle = InscribedCircle(contact, tangent: tangent)
    let isLarge = line.vertices.count > largeLine
    for hint in [hints.0, hints.1, isLarge ? hints.2 : -1] where hint >= 0 && !contact.isOn(hint) {
      let stop = InscribedCircle.tangent(at: contact, stoppedBy: hint, of: line)
      if stop < circle.tangent { (circle.tangent, circle.blocker) = (stop, hint) }
    }
    if isLarge, circle.tangent > enough { circle.descend(line, enough) }
    if circle.tangent > enough { circle.grow(line, line.levels.count - 2, 0, enough) }
    return circle
  }

  /// Descends the tree to an edge that stops the circle early, and looks at only one vertex of each child.
  ///
  /// `grow` opens the nearest edges first. On a smooth line, the nearest edges are almost tangent to the circle and
  /// stop it last. Without `descend`, the search at each contact of an almost circular outline would open a large part
  /// of the tree.
  private mutating func descend(_ line: ShapeLine, _ enough: Double) {
    let fan = ShapeLine.fanOut
    var (level, index) = (line.levels.count - 2, 0)
    var edgesBelow = 1
    for _ in 0..<level { edgesBelow *= fan }
    while level > 0 {
      opened += 1
      let first = index * fan
      let count = min(fan, line.levels[level] - line.levels[level - 1] - first)
      var (least, best, vertex) = (Double.infinity, -1, -1)
      for child in first..<first + count {
        let candidate = min(child * edgesBelow + edgesBelow / 2, line.vertices.count - 1)
        let apart = line.vertices[candidate] - contact.place
        let ahead = apart.dot(contact.inwards)
        guard ahead > 0 else { continue }
        let stop = apart.dot(apart) / (2 * ahead)
        if stop < least { (least, best, vertex) = (stop, child, candidate) }
      }
      guard best >= 0 else { return }
      for edge in [vertex, vertex - 1] where edge >= 0 && line.isEdge(edge) && !contact.isOn(edge) {
        let stop = InscribedCircle.tangent(at: contact, stoppedBy: edge, of: line)
        if stop < tangent { (tangent, blocker) = (stop, edge) }
      }
      if tangent <= enough { return }
      (level, index, edgesBelow) = (level - 1, best, edgesBelow / fan)
    }
  }

  /// Its centre.
  var centre: EarthVector {
    let part = tangent / InscribedCircle.earthRadius
    let stretch = 1 / (1 + part * part).squareRoot()
    let place = contact.place
    let up = place.scaled / place.scaled.length
    // On a sphere of radius R, a point at the distance r from the contact lies R sin(r/R) ahead of the contact, and R
    // (1 − cos(r/R)) below it.
    return
      (place + contact.inwards * (tangent * stretch)
      - up * (InscribedCircle.earthRadius * (1 - stretch))).onSurface
  }

  private mutating func grow(_ line: ShapeLine, _ level: Int, _ index: Int, _ enough: Double) {
    let fan = ShapeLine.fanOut
    let first = index &* fan
    opened &+= 1
    if level == 0 {
      // First compares lower bounds in single precision, which excludes nearly all edges.
      let leasts = line.group(first).leastTangents(contact, line)
      guard any(leasts .< Float(tangent).nextUp) else { return }
      var bits = Int(line.edgeBits(first / fan))
      while bits != 0 {
        let lane = bits.trailingZeroBitCount
        bits &= bits &- 1
        guard Double(leasts[lane]) < tangent, !contact.isOn(first &+ lane) else { continue }
        let stop = InscribedCircle.tangent(at: contact, stoppedBy: first &+ lane, of: line)
        if stop < tangent { (tangent, blocker) = (stop, first &+ lane) }
      }
      return
    }
    let start = line.levels[level &- 1]
    let count = min(fan, line.levels[level] &- start &- first)
    let apart = contact.place - line.origin
    let place = SIMD4(Float(apart.x), Float(apart.y), Float(apart.z), 0)
    let inwards = SIMD4(Float(contact.inwards.x), Float(contact.inwards.y), Float(contact.inwards.z), 0)
    let rounding = (line.balls[line.balls.count &- 1].reach + 1) * 0x1p-19
    var gaps = SIMD8<Float>(repeating: .infinity)
    for child in 0..<count {
      // Let d be the distance from the contact to the ball, and let a be the largest distance by which the ball lies
      // ahead of the contact. If a point of the ball stops the circle, the circle's tangent R tan(r/R) is then at least
      // d² / (2 a).
      let ball = line.balls[start &+ first &+ child]
      let products = (SIMD4(ball.x, ball.y, ball.z, 0) - place) * inwards
      let ahead = products[0] + products[1] + products[2] + ball.reach + rounding
      let least = max(ball.distance(to: place) - ball.reach - rounding, 0)
      if ahead > 0 { gaps[child] = least * least / (2 * max(ahead, 1e-9)) }
    }
    let nearest = gaps.leastIndex
    if Double(gaps[nearest]) < tangent { grow(line, level &- 1, first &+ nearest, enough) }
    for child in 0..<count where child != nearest && tangent > enough && Double(gaps[child]) < tangent {
      grow(line, level &- 1, first &+ child, enough)
    }
  }

  /// R tan(r/R), where r is the radius at which the edge stops the circle; infinite if the edge is behind the contact.
  static func tangent(at contact: Contact, stoppedBy edge: Int, of line: ShapeLine) -> Double {
    let (start, end) = (line.vertices[edge], line.vertices[edge &+ 1])
    let (toStart, toEnd) = (start - contact.place, end - contact.place)
    let (first, last) = (toStart.dot(contact.inwards), toEnd.dot(contact.inwards))
    if first <= 0 && last <= 0 { return .infinity }
    let (near, far) = (toStart.dot(toStart), toEnd.dot(toEnd))
    // An edge that starts at the contact and leads inwards leaves no room for a circle.
    if near == 0 || far == 0 { return 0 }
    // Divisors are kept away from 0, because a compiler may compute both branches of a conditional expression.
    var least = first > 0 ? near / (2 * max(first, 1e-30)) : .infinity
    if last > 0 { least = min(least, far / (2 * max(last, 1e-30))) }
    let along = toEnd - toStart
    var normal = (toStart + toEnd + contact.place * 2).scaled.cross(along)
    normal = normal / normal.length
    var height = -normal.dot(toStart)
    if height < 0 { (height, normal) = (-height, normal * -1) }
    // When the centre moves, its distance from the great circle decreases by the length of the movement times the
    // cosine of the angle between the movement and the shortest path to the great circle.
    let room = 1 + normal.dot(contact.inwards) * -1
    let touching = height / max(room, 1e-30)
    guard touching < least else { return least }
    // The edge's point nearest to the centre is where the circle would touch the edge.
    let part = touching / earthRadius
    let ahead = touching / (1 + part * part).squareRoot()
    let fraction = (contact.inwards * ahead - toStart).dot(along) / along.dot(along)
    return fraction >= 0 && fraction <= 1 ? touching : least
  }
}

extension ShapeLine {
  /// Eight edges that are processed together. The coordinates of the edges are in single precision, relative to the
  /// middle of the line.
  struct Group {
    var x, y, z: SIMD8<Float>
    var dx, dy, dz: SIMD8<Float>

    /// The lengths of the chords, in metres.
    @inline(__always)
    var lengths: SIMD8<Float> { (dx * dx + dy * dy + dz * dz).squareRoot() }
  }

  @inline(__always)
  func group(_ first: Int) -> Group {
    corners.withUnsafeBytes { bytes in
      func row(_ axis: Int, _ first: Int) -> SIMD8<Float> {
        bytes.loadUnaligned(fromByteOffset: 4 &* (axis &* stride &+ first), as: SIMD8<Float>.self)
      }
      let (x, y, z) = (row(0, first), row(1, first), row(2, first))
      return Group(
        x: x, y: y, z: z, dx: row(0, first &+ 1) - x, dy: row(1, first &+ 1) - y, dz: row(2, first &+ 1) - z)
    }
  }

  /// A mask of eight lanes: true in each lane whose number belongs to an edge.
  @inline(__always)
  func edges(ofGroup first: Int) -> SIMDMask<SIMD8<Int32>> {
    let bits = SIMD8<Int32>(repeating: Int32(edgeBits(first / ShapeLine.fanOut)))
    return bits & SIMD8(1, 2, 4, 8, 16, 32, 64, 128) .!= 0
  }
}

extension ShapeLine.Group {
  /// For each edge, a lower bound, in metres, of R tan(r/R), where r is the radius at which the edge stops the circle.
  ///
  /// The bound is c² / 2h, where c is the distance from the contact to the edge's chord, and h is how far the chord
  /// reaches inwards from the contact. Rounding errors in c and in h can only lower the bound.
  @inline(__always)
  func leastTangents(_ contact: InscribedCircle.Contact, _ line: ShapeLine) -> SIMD8<Float> {
    let apart = contact.place - line.origin
    let (px, py, pz) = (Float(apart.x) - x, Float(apart.y) - y, Float(apart.z) - z)
    let square = dx * dx + dy * dy + dz * dz
    let part = ((px * dx + py * dy + pz * dz) / square.atLeast(1e-20)).atLeast(0).atMost(1)
    let (qx, qy, qz) = (px - part * dx, py - part * dy, pz - part * dz)
    let rounding = (Float(line.balls[line.balls.count &- 1].reach) + 1) * 0x1p-19
    // The sagitta is computed as in `ShapeLine.sagitta`, but rounded up.
    let sagitta = square * Float(2.5 / (8 * Ellipsoid.smallestRadiusOfCurvature))
    let chord = ((qx * qx + qy * qy + qz * qz).squareRoot() - rounding - sagitta).atLeast(0)
    let (nx, ny, nz) = (Float(contact.inwards.x), Float(contact.inwards.y), Float(contact.inwards.z))
    let start = (px * nx + py * ny + pz * nz) * -1
    let end = start + (dx * nx + dy * ny + dz * nz)
    let ahead = start.orLarger(end) + rounding + sagitta
    let least = chord * chord / (2 * ahead).atLeast(1e-9)
    return least.replacing(with: .infinity, where: ahead .<= 0)
  }
}
