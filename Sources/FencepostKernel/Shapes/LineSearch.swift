/// A walk over the edges of a line that may be near a point: those whose chords come within `limit`.
///
/// Chords bound distances from below, so the walk errs towards looking at an edge too many.
struct LineSearch {
  let line: ShapeLine
  let point: EarthVector
  private let relative: SIMD4<Float>
  /// More than single precision can be wrong by, metres.
  private let rounding: Float
  /// Metres of chord; `look` makes it smaller as it finds what is nearer.
  var limit = Double.infinity

  init(_ line: ShapeLine, at point: EarthVector) {
    self.line = line
    self.point = point
    let apart = point - line.origin
    relative = SIMD4(Float(apart.x), Float(apart.y), Float(apart.z), 0)
    let size = apart.x.magnitude + apart.y.magnitude + apart.z.magnitude + line.bounds.reach
    rounding = Float(size * 0x1p-21)
  }

  /// Calls with the number of each edge, the distance to its chord and its sagitta: nearer balls first.
  @inline(__always)
  mutating func forEach(_ look: (_ edge: Int, _ chord: Double, _ sagitta: Double, _ limit: inout Double) -> Void) {
    let top = line.levels.count - 2
    if top >= 0 && !line.vertices.isEmpty { visit(top, 0, look) }
  }

  private mutating func visit(
    _ level: Int, _ index: Int, _ look: (Int, Double, Double, inout Double) -> Void
  ) {
    let first = index &* ShapeLine.fanOut
    if level == 0 {
      for edge in first..<min(first &+ ShapeLine.fanOut, line.vertices.count &- 1) where line.isEdge(edge) {
        let chord = line.chord(edge)
        let sagitta = ShapeLine.sagitta(squaredChord: chord.along.dot(chord.along))
        let distance = chord.distance(to: point)
        if distance - sagitta <= limit { look(edge, distance, sagitta, &limit) }
      }
      return
    }
    let start = line.levels[level &- 1]
    let count = min(ShapeLine.fanOut, line.levels[level] &- start &- first)
    var distances = SIMD8<Float>(repeating: .infinity)
    for child in 0..<count {
      distances[child] = line.balls[start &+ first &+ child].distance(to: relative) - rounding
    }
    while true {
      let least = distances.min()
      guard Double(least) <= limit, least < .infinity else { return }
      var child = 0
      while distances[child] != least { child &+= 1 }
      distances[child] = .infinity
      visit(level &- 1, first &+ child, look)
    }
  }
}
