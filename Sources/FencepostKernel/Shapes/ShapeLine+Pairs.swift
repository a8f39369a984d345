extension ShapeLine {
  /// Calls `body` with each pair of edges that may come within a tolerance of each other; the edge with the lower
  /// number comes first.
  ///
  /// - Returns: The number of pairs of groups of eight edges that were compared, as a measure of the work.
  @discardableResult
  func forEachNearPair(
    within tolerance: Double, _ body: (Int, Int) throws(ShapeDefect) -> Void
  ) throws(ShapeDefect) -> Int {
    isEmpty ? 0 : try join(levels.count - 2, 0, 0, LineBoxes(self), tolerance, body)
  }

  /// The pairs of edges that may come within a tolerance of each other, for lines with many long edges. The chord of a
  /// long edge runs far below the Earth's surface, so a test of chords would report almost all pairs; this function
  /// tests the edges in pieces.
  ///
  /// - Returns: Each pair once, in ascending order; `nil` if there are few long edges.
  func nearPairsByPieces(within tolerance: Double) throws(ShapeDefect) -> [(Int, Int)]? {
    let lengths = vertices.indices.dropLast().map { isEdge($0) ? vertices[$0].squaredChord(to: vertices[$0 + 1]) : 0 }
    let long = Pieces.long * Pieces.long
    guard lengths.reduce(0, { $1 > long ? $0 + 1 : $0 }) > Pieces.few else { return nil }
    let length = max(Pieces.length, lengths.reduce(0) { $0 + $1.squareRoot() } / Pieces.most)
    var chains: [[SurfacePoint]] = []
    // For each piece, the number of its edge; the last vertex of a chain also has an entry, although no edge starts
    // there.
    var owners: [Int] = []
    for edge in vertices.indices {
      if edge == 0 || !isEdge(edge - 1) { chains.append([place(edge)]) }
      owners.append(edge)
      guard isEdge(edge) else { continue }
      let chain = chains.count - 1
      if lengths[edge] > length * length {
        let segment = segment(edge)
        let pieces = Int((segment.length / length).roundedUp)
        for piece in 1..<max(pieces, 1) {
          chains[chain].append(segment.point(segment.length * Double(piece) / Double(pieces)).place)
          owners.append(edge)
        }
      }
      chains[chain].append(place(edge + 1))
    }
    var found = Set<Pieces.Pair>()
    try ShapeLine(chains: chains).forEachNearPair(within: tolerance) { (one, other) throws(ShapeDefect) in
      let pair = Pieces.Pair(first: owners[one], second: owners[other])
      if pair.first != pair.second { found.insert(pair) }
    }
    return found.map { ($0.first, $0.second) }.arranged { $0 < $1 }
  }

  private enum Pieces {
    /// Edges longer than `long`, in metres, are tested in pieces if there are more than `few` of them.
    static var long: Double { 900_000 }
    static var few: Int { 64 }
    /// The length of a piece is `length`, in metres, unless this would give more than `most` pieces.
    static var length: Double { 100_000 }
    static var most: Double { 500_000 }

    struct Pair: Hashable {
      var first, second: Int
    }
  }

  private func join(
    _ level: Int, _ one: Int, _ other: Int, _ boxes: LineBoxes?, _ tolerance: Double,
    _ body: (Int, Int) throws(ShapeDefect) -> Void
  ) throws(ShapeDefect) -> Int {
    let fan = ShapeLine.fanOut
    if level == 0 {
      for (first, second) in nearPairs(one * fan, other * fan, tolerance) { try body(first, second) }
      return 1
    }
    var compared = 0
    let limit = levels[level] - levels[level - 1]
    for first in one * fan..<min(one * fan + fan, limit) {
      for second in max(other * fan, one == other ? first : 0)..<min(other * fan + fan, limit)
      where first == second || mayMeet(level - 1, first, second, boxes, tolerance) {
        compared += try join(level - 1, first, second, boxes, tolerance, body)
      }
    }
    return compared
  }

  private func mayMeet(_ level: Int, _ one: Int, _ other: Int, _ boxes: LineBoxes?, _ tolerance: Double) -> Bool {
    let (first, second) = (levels[level] + one, levels[level] + other)
    let (a, b) = (balls[first], balls[second])
    let reach = (Double(a.reach) + Double(b.reach)) * (1 + 0x1p-22) + tolerance
    guard (a.centre - b.centre).length <= reach else { return false }
    return boxes.map { !$0.boxes[first].isApart(from: $0.boxes[second], by: tolerance) } ?? true
  }

  /// Compares each edge in one group with the eight edges in another group. A first comparison, in single precision,
  /// uses the balls around the edges.
  private func nearPairs(_ one: Int, _ other: Int, _ tolerance: Double) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    let (group, others) = (group(one), group(other))
    // Half of the chord, plus a margin for the height of the arc above it and for rounding errors.
    let rounding = (balls[balls.count - 1].reach + 1) * 0x1p-19 + Float(tolerance)
    let bend = Float(2.5 / (8 * Ellipsoid.smallestRadiusOfCurvature))
    let (lengths, otherLengths) = (group.lengths, others.lengths)
    let (bends, otherBends) = (lengths * lengths * bend + rounding, otherLengths * otherLengths * bend + rounding)
    let (reaches, otherReaches) = (lengths * 0.5 + bends, otherLengths * 0.5 + otherBends)
    let (mx, my, mz) = (others.x + others.dx * 0.5, others.y + others.dy * 0.5, others.z + others.dz * 0.5)
    let edges = edges(ofGroup: other)
    for lane in 0..<ShapeLine.fanOut where isEdge(one + lane) {
      let x = mx - (group.x[lane] + group.dx[lane] * 0.5)
      let y = my - (group.y[lane] + group.dy[lane] * 0.5)
      let z = mz - (group.z[lane] + group.dz[lane] * 0.5)
      let reach = otherReaches + reaches[lane]
      let square = x * x + y * y + z * z
      // If a plane between the middles of the two edges reaches neither edge, the plane separates the edges.
      let own = group.dx[lane] * x + group.dy[lane] * y + group.dz[lane] * z
      let its = others.dx * x + others.dy * y + others.dz * z
      let slack = otherBends + bends[lane]
      let between = square - (own.magnitudes + its.magnitudes) * 0.5
      let near = (square .<= reach * reach) .& (between .<= slack * square.squareRoot()) .& edges
      guard any(near) else { continue }
      for otherLane in one == other ? lane + 1..<ShapeLine.fanOut : 0..<ShapeLine.fanOut where near[otherLane] {
        let (first, second) = (one + lane, other + otherLane)
        if second == first + 1 {
          // The two edges have a vertex in common.
          pairs.append((first, second))
          continue
        }
        let apart = chord(first).distance(to: chord(second))
        guard apart <= sagitta(first) + sagitta(second) + tolerance else { continue }
        if isBeside(second, first, tolerance) || isBeside(first, second, tolerance) { continue }
        pairs.append((first, second))
      }
    }
    return pairs
  }
}
