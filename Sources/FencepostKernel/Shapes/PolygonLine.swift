/// Creates the line of a polygon from its rings, or reports why this is impossible.
struct PolygonLine {
  /// The edges of the rings, without seams; the polygon is to their left.
  let line: ShapeLine
  /// The given vertices except those of rings that were left out, with reduced longitudes and without repeated
  /// vertices.
  let vertices: ShapeVertices
  /// The number of rings that were left out because they have no vertices or enclose no area.
  private(set) var leftOutRings = 0

  /// A ring without vertices, or narrower than a micrometre, is left out if the polygon has other rings. An outer ring
  /// is left out together with its holes. Leaving out empty and narrow rings does not change the enclosed area.
  init(_ given: ShapeVertices, _ reading: EdgeReading, isOriented: Bool, isGiven: Bool) throws(ShapeDefect) {
    guard !given.partEnds.isEmpty else { throw ShapeDefect(.empty) }
    var room = ShapeVertices.most
    var rings: [GivenRing] = []
    var vertices = ShapeVertices()
    vertices.reserve(vertices: given.vertices.count)
    var leftOut: ShapeDefect?
    for part in given.partEnds.indices {
      let numbers = given.rings(ofPart: part)
      if numbers.isEmpty {
        leftOut = leftOut ?? ShapeDefect(.empty, ShapeDefect.Place(part: part, ring: 0, edge: 0))
        continue
      }
      for number in numbers {
        var ring: GivenRing
        // The polygon is to the left of outer rings and of holes alike: it is inside an outer ring and outside a hole.
        let isLeft: Bool
        do throws(ShapeDefect) {
          ring = try GivenRing(
            given.vertices(ofRing: number), part: part, ring: number - numbers.lowerBound, isRing: true,
            reading: reading, isGiven: isGiven, room: &room)
          isLeft = try PolygonLine.isSmallerLeft(ring, isOriented: isOriented)
        } catch {
          guard error.reason == .noArea || error.reason == .empty else { throw error }
          leftOut = leftOut ?? error
          leftOutRings += number == numbers.lowerBound ? numbers.count : 1
          if number == numbers.lowerBound { break }
          continue
        }
        if number == numbers.lowerBound { vertices.beginPart() }
        vertices.append(ring: ring)
        if !isOriented, let isDrawnLeft = ring.isDrawnLeft, isDrawnLeft != isLeft {
          throw ShapeDefect(.whichSide, ring.place(ring.edges[0]), at: ring.points[0])
        }
        if !isOriented, isLeft != (number == numbers.lowerBound) { ring.reverse() }
        rings.append(ring)
      }
    }
    if rings.isEmpty, let leftOut { throw leftOut }
    let made = try PolygonLine.line(&rings, reading, &room)
    self.vertices = vertices
    line = ShapeLine(made.line, touchesItself: made.check.touchesItself)
    let edges = made.line.vertices.count - made.line.starts.count
    let isWhole = edges == rings.reduce(0) { $0 + $1.points.count }
    try RingNesting.check(rings, byPairs: isOriented || !isWhole)
    if let suspect = made.check.suspect { throw suspect }
  }

  /// The maximum number of passes in which planar edges are divided into shorter pieces.
  private static var mostDivisions: Int { 40 }

  /// Returns the line made from the rings, and the result of checking this line for crossings. If planar edges do not
  /// cross but their geodesics do, the edges are divided until the geodesics do not cross either.
  private static func line(
    _ rings: inout [GivenRing], _ reading: EdgeReading, _ room: inout Int
  ) throws(ShapeDefect) -> (line: ShapeLine, check: CrossingCheck) {
    var defect: ShapeDefect?
    for division in 0...mostDivisions {
      let chains = SeamCancelling(rings).chains
      guard !chains.isEmpty else { throw ShapeDefect(.noLine, at: rings[0].points[0]) }
      let made = ShapeLine(chains: chains.map { chain in chain.map { $0.start } + [chain[chain.count - 1].end] })
      // `places` has one element for each vertex of the line, including the last vertex of a chain, which does not
      // start an edge.
      var places = ContiguousArray<ShapeDefect.Place>()
      places.reserveCapacity(made.vertices.count)
      for chain in chains {
        for edge in chain { places.append(edge.place) }
        places.append(chain[chain.count - 1].place)
      }
      do {
        // If the geodesics do not cross, which is usual, the planar edges need not be checked.
        if division == 0 {
          let check = try CrossingCheck.run(made, places)
          if reading == .geodesic || check.suspect == nil { return (made, check) }
          defect = check.suspect
        }
      } catch {
        guard reading == .planar, error.reason == .crossing else { throw error }
        defect = error
      }
      let drawn = DrawnEdges(chains)
      let check = try CrossingCheck.run(made, places, drawn: drawn)
      if check.divisible.isEmpty { return (made, check) }
      guard EdgeDivision(drawn, check.divisible).apply(to: &rings, room: &room) else { break }
      if room < 0 { throw ShapeDefect(.tooManyVertices, check.suspect?.place ?? defect?.place) }
    }
    throw defect ?? ShapeDefect(.crossing)
  }

  /// If the areas of a ring's loops cancel each other, the ring has no area because it crosses itself. For such a ring,
  /// the reported error is the crossing, not the missing area.
  private static func isSmallerLeft(_ ring: GivenRing, isOriented: Bool) throws(ShapeDefect) -> Bool {
    do {
      return try PolygonOrientation.isSmallerLeft(ring, isOriented: isOriented)
    } catch {
      guard error.reason == .noArea else { throw error }
      let line = ShapeLine(chains: [ring.points + [ring.points[0]]])
      let edges = ring.edges + [ring.edges[0]]
      do throws(ShapeDefect) {
        let check = try CrossingCheck.run(line, ContiguousArray(edges.map(ring.place)))
        if let suspect = check.suspect { throw suspect }
      } catch let found where found.reason == .crossing {
        throw found
      } catch {}
      throw error
    }
  }
}

/// Creates the line of a corridor or of a gate.
struct CorridorLine {
  let line: ShapeLine
  let vertices: ShapeVertices

  /// - Parameter takesPoints: Whether a line may consist of a single vertex.
  init(_ given: ShapeVertices, _ reading: EdgeReading, takesPoints: Bool = true, isGiven: Bool) throws(ShapeDefect) {
    guard !given.ringEnds.isEmpty else { throw ShapeDefect(.empty) }
    var room = ShapeVertices.most
    var vertices = ShapeVertices()
    vertices.reserve(vertices: given.vertices.count)
    var chains: [[SurfacePoint]] = []
    // All lines are assigned to part 0, even if the definition groups them into several parts.
    for number in given.ringEnds.indices {
      if given.vertices(ofRing: number).isEmpty, !given.vertices.isEmpty { continue }
      let line = try GivenRing(
        given.vertices(ofRing: number), part: 0, ring: number, isRing: false, reading: reading, isGiven: isGiven,
        room: &room)
      guard takesPoints || line.points.count > 1 else {
        throw ShapeDefect(.tooFewVertices, line.place(0), at: line.points[0])
      }
      vertices.append(ring: line)
      chains.append(line.points.count == 1 ? [line.points[0], line.points[0]] : line.points)
    }
    line = ShapeLine(chains: chains)
    self.vertices = vertices
  }
}

extension ShapeVertices {
  /// Adds a ring or line that has already been prepared.
  mutating func append(ring: GivenRing) {
    beginRing()
    for vertex in ring.vertices { append(latitude: vertex.latitude, longitude: vertex.longitude) }
  }
}
