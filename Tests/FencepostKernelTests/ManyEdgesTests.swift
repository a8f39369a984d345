import Foundation
import Testing

@testable import FencepostKernel

/// Tests that the work for a polygon grows in proportion to its number of edges, and that the results equal those of a
/// slow method.
@Suite struct ManyEdgesTests {
  /// Polygons with difficult outlines: the tree's balls do not separate their edges, or their rings touch, enclose each
  /// other or are listed in any order.
  enum Kind: String, CaseIterable {
    case comb, spiral, star, fan, tips, scattered, nested, diagonal
  }

  /// Makes a polygon of about `count` vertices that fits into one degree; polygons with long edges fit into ten
  /// degrees.
  private func parts(_ kind: Kind, _ count: Int) -> [[[Corner]]] {
    switch kind {
    case .comb:
      let width = 4 / Double(count)
      let teeth = (0..<count / 4).reversed().flatMap { tooth in
        [(0.9, 0.9), (0.9, 0.5), (0.1, 0.4), (0.1, 0.1)].map { ($0.0, (Double(tooth) + $0.1) * width) }
      }
      return [[[(0, 1), (0.2, 1)] + teeth + [(0, 0)]]]
    case .spiral:
      let turns = Double(count) / 100
      let arm = (0..<count / 2).map { index -> (turn: Double, angle: Double) in
        let turn = turns * (0.02 + 1.96 * Double(index) / Double(count))
        return (turn, turn * 2 * .pi)
      }
      func corner(_ place: (turn: Double, angle: Double), _ width: Double) -> Corner {
        let radius = 0.5 * (place.turn + width) / turns
        return (radius * sin(place.angle), radius * cos(place.angle))
      }
      return [[arm.map { corner($0, 0.5) } + arm.reversed().map { corner($0, 0) }]]
    case .star:
      return [
        [
          (0..<count).map { index in
            let (angle, radius) = (2 * Double.pi * Double(index) / Double(count), index % 2 == 0 ? 0.1 : 0.5)
            return (radius * sin(angle), radius * cos(angle))
          }
        ]
      ]
    case .fan:
      // The triangles are 1000 km long and meet at a corner of the square.
      let width = Double.pi / 2 / Double(count / 3)
      let triangles = (0..<count / 3).map { hole -> [Corner] in
        let (from, to) = ((Double(hole) + 0.1) * width, (Double(hole) + 0.8) * width)
        return [(0, 0), (9 * sin(from), 9 * cos(from)), (9 * sin(to), 9 * cos(to))]
      }
      return [[square(0, 0, 10)] + triangles]
    case .tips:
      // The tall diamonds form a row, tip to tip.
      let width = 9 / Double(count / 4)
      let diamonds = (0..<count / 4).map { hole -> [Corner] in
        let west = 0.5 + Double(hole) * width
        return [(5, west), (9, west + width / 2), (5, 0.5 + Double(hole + 1) * width), (1, west + width / 2)]
      }
      return [[square(0, 0, 10)] + diamonds]
    case .scattered:
      var random = SeededGenerator("scattered holes")
      let side = Int(Double(count / 4).squareRoot())
      let width = 1 / Double(side)
      let cells = (0..<side * side).shuffled(using: &random)
      return [
        [square(0, 0, 1)]
          + cells.map { cell in
            let (south, west) = (Double(cell / side) * width, Double(cell % side) * width)
            return square(south + 0.2 * width, west + 0.2 * width, 0.6 * width)
          }
      ]
    case .nested:
      // Frames within frames.
      let width = 0.5 / Double(count / 8)
      return (0..<count / 8).map { frame in
        let (outer, inner) = (Double(frame) * width, (Double(frame) + 0.4) * width)
        return [square(outer, outer, 1 - 2 * outer), square(inner, inner, 1 - 2 * inner)]
      }
    case .diagonal:
      // The strips are diagonal, and the middle one is the longest: its bounding rectangle contains almost all of the
      // other strips.
      let width = 1 / Double(count / 4)
      return (0..<count / 4).map { strip in
        let at = Double(strip) * width
        let long = 0.5 + width - (at - 0.5).magnitude
        return [
          [
            (at + long, at - long), (at + 0.5 * width + long, at + 0.5 * width - long),
            (at + 0.5 * width - long, at + 0.5 * width + long), (at - long, at + long),
          ]
        ]
      }
    }
  }

  /// The number of operations must grow at most in proportion to the number of vertices. Operations are comparisons of
  /// edge groups, examinations of edge pairs, determinations of ring sides, and nodes opened in the search for the
  /// deepest place.
  @Test(arguments: Kind.allCases) func theWorkGrowsWithTheEdges(_ kind: Kind) throws {
    for count in [400, 1_600] {
      let parts = parts(kind, count)
      let shape = try GeodesicShape.reading(polygon: parts)
      let vertices = shape.line.vertices.count
      var pairs = 0
      let groups = try shape.line.forEachNearPair(within: 2e-6) { (_, _) throws(ShapeDefect) in pairs += 1 }
      // All edges of the fan meet at one vertex.
      if kind != .fan {
        #expect(pairs < 4 * vertices, "\(pairs) pairs of \(vertices)")
        if kind != .scattered && kind != .nested { #expect(groups < 8 * vertices, "\(groups) groups of \(vertices)") }
      }
      let sides = try Self.sides(parts)
      #expect(sides <= 4 * vertices, "\(sides) sides of rings with \(vertices)")
      let found = try #require(DeepestPlace.find(shape.line, buffer: 0))
      #expect(found.depth == shape.depth || shape.depth == GeodesicShape.greatestDepth)
      #expect(found.opened <= DeepestPlace.budget(vertices: vertices) + 300 * vertices)
    }
  }

  private static func rings(_ parts: [[[Corner]]]) throws -> [GivenRing] {
    var rings: [GivenRing] = []
    var room = ShapeVertices.most
    for (part, corners) in parts.enumerated() {
      for (number, ring) in corners.enumerated() {
        var made = try GivenRing(
          ring.map { ShapeVertices.Vertex(latitude: $0.latitude, longitude: $0.longitude) }, part: part, ring: number,
          isRing: true, reading: .geodesic, room: &room)
        if try PolygonOrientation.isSmallerLeft(made, isOriented: false) != (number == 0) { made.reverse() }
        rings.append(made)
      }
    }
    return rings
  }

  private static func sides(_ parts: [[[Corner]]]) throws -> Int {
    try RingNesting.check(rings(parts))?.sides ?? 0
  }

  /// The test uses random squares inside squares as outer rings, holes and islands. The polygon is refused if and only
  /// if a hole is not within its outer ring, a hole is within another hole, or a part overlaps another part. The
  /// expected answer is computed from rectangles with integer coordinates.
  @Test(arguments: 0..<4) func nestingIsThatOfRectangles(_ number: Int) throws {
    var random = SeededGenerator("nesting", salt: UInt64(number))
    var (valid, refused) = (0, 0)
    for _ in 0..<60 {
      let centre = random.place()
      var squares: [(south: Int, west: Int, size: Int)] = []
      Self.divide(0, 0, 6_561, &squares, &random)
      // Most squares are nested correctly: a square inside an odd number of other squares is a hole.
      var parts: [[Int]] = []
      for index in squares.indices {
        let around = squares.indices.filter { Self.contains(squares[$0], squares[index]) }
        let parent = around.max { squares[$0].size > squares[$1].size }
        let isHole = around.count % 2 == 1
        if isHole != random.chance(0.01), let parent, let part = parts.firstIndex(where: { $0[0] == parent }) {
          parts[part].append(index)
        } else {
          parts.append([index])
        }
      }
      let scale = random.logarithmic(1e-6, 1e-3)
      let corners = parts.map { part in
        part.map { index -> [Corner] in
          let square = squares[index]
          let (south, west) = (Double(square.south) * scale, Double(square.west) * scale)
          let size = Double(square.size) * scale
          return [(south, west), (south, west + size), (south + size, west + size), (south + size, west)].map {
            (max(-89, min(82, centre.latitude)) + $0.0, centre.longitude * 0.9 + $0.1)
          }
        }
      }
      let isValid = Self.isNested(parts.map { $0.map { squares[$0] } })
      let rings = try Self.rings(corners)
      for byPairs in [false, true] {
        do throws(ShapeDefect) {
          try RingNesting.check(rings, byPairs: byPairs)
          #expect(isValid, "seed \(number): \(corners)")
        } catch {
          #expect(!isValid, "seed \(number): \(error.reason) \(corners)")
        }
      }
      if isValid { valid += 1 } else { refused += 1 }
    }
    #expect(valid > 5 && refused > 5, "\(valid) \(refused)")
  }

  /// Divides a square into a 3 × 3 grid of fields, each with a smaller square in its middle, and then divides the
  /// smaller squares in the same way.
  private static func divide(
    _ south: Int, _ west: Int, _ size: Int, _ squares: inout [(south: Int, west: Int, size: Int)],
    _ random: inout SeededGenerator
  ) {
    squares.append((south, west, size))
    guard size > 27, squares.count < 300 else { return }
    let field = size / 3
    for place in 0..<9 where random.chance(size > 2_000 ? 0.9 : 0.4) {
      divide(
        south + (place / 3) * field + field / 9, west + (place % 3) * field + field / 9, field / 3 * 2, &squares,
        &random)
    }
  }

  private static func contains(
    _ outer: (south: Int, west: Int, size: Int), _ inner: (south: Int, west: Int, size: Int)
  ) -> Bool {
    outer.size > inner.size && outer.south <= inner.south && outer.west <= inner.west
      && inner.south + inner.size <= outer.south + outer.size && inner.west + inner.size <= outer.west + outer.size
  }

  private static func isNested(_ parts: [[(south: Int, west: Int, size: Int)]]) -> Bool {
    for (number, part) in parts.enumerated() {
      for hole in part.dropFirst() {
        if !contains(part[0], hole) { return false }
        if part.dropFirst().contains(where: { contains($0, hole) }) { return false }
      }
      for (other, land) in parts.enumerated() where other != number {
        if contains(land[0], part[0]), !land.dropFirst().contains(where: { contains($0, part[0]) }) { return false }
      }
    }
    return true
  }

  /// A search that exhausts its budget reports the depth of the place that it finds; that depth is at most the depth of
  /// the deepest place. A search to which a depth is passed may exceed its budget until it reaches this depth, because
  /// a store may contain a depth that an earlier version found.
  @Test(arguments: Kind.allCases) func aBudgetBoundsTheSearch(_ kind: Kind) throws {
    let shape = try GeodesicShape.reading(polygon: parts(kind, 800))
    let whole = try #require(DeepestPlace.find(shape.line, buffer: 0))
    #expect(!whole.isCutShort)
    for budget in [0, 1_000, 5_000] where budget < whole.opened / 2 {
      let found = try #require(DeepestPlace.find(shape.line, buffer: 0, budget: budget))
      #expect(found.isCutShort)
      #expect(found.depth > 0 && found.depth <= whole.depth * 1.01, "\(budget): \(found.depth) \(whole.depth)")
      #expect((shape.boundaryDistance(of: found.place) + found.depth).magnitude < 1e-6)
      let known = min(whole.depth, GeodesicShape.greatestDepth)
      let again = try #require(DeepestPlace.find(shape.line, buffer: 0, known: known, budget: budget))
      #expect(again.depth >= known)
    }
    // A shape that is read back, for example from a store, has the same depth, at the same place.
    let stored = try GeodesicShape.reading(shape.definition, depth: shape.depth)
    #expect(stored.deepest == shape.deepest && stored.depth == shape.depth)
  }

  /// Tests that each pair of edges that meet is reported, for edges of any length and direction.
  @Test(arguments: 0..<2) func whatIsPassedOverIsApart(_ number: Int) throws {
    var random = SeededGenerator("edges in boxes", salt: UInt64(number))
    for size in [1e-2, 100, 1e4, 1e5, 9e5] {
      let centre = random.place()
      var chains: [[SurfacePoint]] = []
      for _ in 0..<90 {
        var chain: [SurfacePoint] = []
        var place = centre.moved(azimuth: random.uniform(0...360), distance: size * random.uniform(0...3))
        var azimuth = random.uniform(0...360)
        chain.append(SurfacePoint(latitude: place.latitude, longitude: place.longitude))
        for _ in 0..<random.integer(1...3) {
          // At some vertices the chain continues almost straight ahead, so that some neighbouring edges lie nearly on
          // one line.
          azimuth += random.chance(0.3) ? random.uniform(-1e-6...1e-6) : random.uniform(0...360)
          place = place.moved(azimuth: azimuth, distance: size * random.logarithmic(1e-3, 1))
          chain.append(SurfacePoint(latitude: place.latitude, longitude: place.longitude))
        }
        chains.append(chain)
      }
      // Some chains start on an edge of another chain.
      for index in stride(from: 0, to: 84, by: 3) {
        let segment = GeodesicSegment(from: chains[index][0], to: chains[index][1])
        chains[index + 1][0] = segment.point(segment.length * random.uniform(0...1)).place
      }
      let line = ShapeLine(chains: chains)
      #expect(LineBoxes(line) != nil)
      var near: Set<[Int]> = []
      try line.forEachNearPair(within: 2e-6) { (one, other) throws(ShapeDefect) in
        #expect(one < other)
        #expect(near.insert([one, other]).inserted)
      }
      var meeting = 0
      for one in 0..<line.vertices.count - 1 where line.isEdge(one) {
        for other in one + 1..<line.vertices.count - 1 where line.isEdge(other) {
          let apart = line.chord(one).distance(to: line.chord(other))
          if apart > line.sagitta(one) + line.sagitta(other) + 1e-3 { continue }
          if Self.distance(line.segment(one), line.segment(other)) > 2e-6 { continue }
          meeting += 1
          #expect(near.contains([one, other]), "\(number) \(size): \(one) \(other)")
        }
      }
      #expect(meeting > 60 && near.count < 6_000, "\(meeting) of \(near.count)")
    }
  }

  /// Returns the distance between two segments with an error of less than a micrometre. The search repeatedly shortens
  /// the part of one segment that contains the point nearest to the other segment.
  private static func distance(_ one: GeodesicSegment, _ other: GeodesicSegment) -> Double {
    func apart(_ part: Double) -> Double { other.foot(of: one.point(one.length * part).place).distance }
    let best = (0...32).min { apart(Double($0) / 32) < apart(Double($1) / 32) } ?? 0
    var (low, high) = (max(Double(best - 1) / 32, 0), min(Double(best + 1) / 32, 1))
    for _ in 0..<60 {
      let (first, second) = (low + (high - low) * 0.382, low + (high - low) * 0.618)
      if apart(first) < apart(second) { high = second } else { low = first }
    }
    return min(apart((low + high) / 2), min(apart(0), apart(1)))
  }
}
