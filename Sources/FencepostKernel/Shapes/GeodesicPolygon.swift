/// The area within rings of geodesic edges, with holes and in parts: whether a point is in it, and how far from its line.
public struct GeodesicPolygon: Sendable {
  /// A part as it is given: rings of latitudes and longitudes in degrees, the outer one first.
  public typealias Part = [[(latitude: Double, longitude: Double)]]

  /// Computed distances below this count as 0, metres: whoever is on the line is in.
  public static var onTheLine: Double { 20e-9 }

  /// What is left of the rings' edges when seams are gone; the polygon is to its left.
  public let line: ShapeLine
  /// Metres by which the line is moved outwards.
  public let buffer: Double

  /// - Parameters:
  ///   - parts: each an outer ring and its holes.
  ///   - reading: what the edges between vertices are.
  ///   - isOriented: whether the polygon is to the left of every ring as listed; otherwise each ring encloses the smaller
  ///     of the two areas that it bounds.
  ///   - buffer: metres, finite.
  public init(
    _ parts: [Part], reading: EdgeReading = .geodesic, isOriented: Bool = false, buffer: Double = 0
  ) throws(ShapeDefect) {
    guard buffer.isFinite else { throw ShapeDefect(.buffer) }
    guard !parts.isEmpty else { throw ShapeDefect(.empty) }
    self.buffer = buffer
    var room = GivenRing.most
    var rings: [GivenRing] = []
    for (part, given) in parts.enumerated() {
      if given.isEmpty { throw ShapeDefect(.empty, ShapeDefect.Place(part: part, ring: 0, edge: 0)) }
      for (number, vertices) in given.enumerated() {
        var ring = try GivenRing(vertices, part: part, ring: number, isRing: true, reading: reading, room: &room)
        if !isOriented {
          // The polygon is to the left of outer rings and of holes alike: within the one, around the other.
          if try GeodesicPolygon.isSmallerLeft(ring) != (number == 0) { ring.reverse() }
        }
        rings.append(ring)
      }
    }
    let chains = SeamCancelling(rings).chains
    guard !chains.isEmpty else { throw ShapeDefect(.noLine, at: rings[0].points[0]) }
    line = ShapeLine(chains: chains.map { chain in chain.map(\.start) + [chain[chain.count - 1].end] })
    // Numbered as in the line, where the last vertex of a chain starts no edge.
    var places = ContiguousArray<ShapeDefect.Place>()
    for chain in chains { places += chain.map(\.place) + [chain[chain.count - 1].place] }
    try CrossingCheck.run(line, places)
    try RingNesting.check(rings)
  }

  /// A ring whose loops take each other's area away has none because it crosses itself: that is said instead.
  private static func isSmallerLeft(_ ring: GivenRing) throws(ShapeDefect) -> Bool {
    do {
      return try PolygonOrientation.isSmallerLeft(ring)
    } catch {
      guard error.reason == .noArea else { throw error }
      let line = ShapeLine(chains: [ring.points + [ring.points[0]]])
      let edges = ring.edges + [ring.edges[0]]
      do throws(ShapeDefect) {
        try CrossingCheck.run(line, ContiguousArray(edges.map(ring.place)))
      } catch let found where found.reason == .crossing {
        throw found
      } catch {}
      throw error
    }
  }

  /// The signed boundary distance D: metres from the line, negative within, 0 on it; less by the buffer.
  public func boundaryDistance(of point: SurfacePoint) -> Double {
    let foot = line.nearest(to: point)
    let distance = (foot.side > 0 ? -foot.distance : foot.distance) - buffer
    return distance.magnitude < GeodesicPolygon.onTheLine ? 0 : distance
  }

  /// Whether a point is within, the line included.
  public func contains(_ point: SurfacePoint) -> Bool { boundaryDistance(of: point) <= 0 }
}
