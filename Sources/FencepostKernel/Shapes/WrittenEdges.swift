/// The planar edges of a ring or line that are not determined by its reduced longitudes: those that span 180 degrees of
/// longitude or more, and those that follow a meridian from pole to pole. The engine inserts vertices to divide the
/// edges that the reduced longitudes do not determine. The shorter edges are ordinary edges, whose meaning stays the
/// same when the definition is read again.
struct WrittenEdges {
  /// A vertex to add.
  struct Added {
    /// The number of the definition's vertex at which the edge starts.
    var edge: Int
    var vertex: ShapeVertices.Vertex
  }

  /// The vertices to add, in the order of the edges.
  private(set) var added: [Added] = []
  /// Whether the area that a ring encloses on the map is to the left of the ring; `nil` for a ring that spans less than
  /// 180 degrees of longitude, which encloses at most half of the Earth.
  private(set) var isDrawnLeft: Bool?

  /// The largest longitude difference between added vertices, in degrees: it is below 180, so the reduced longitudes of
  /// the added vertices determine the edge between them.
  private static var widest: Double { 120 }

  init() {}

  init(_ given: some Collection<ShapeVertices.Vertex>, isRing: Bool) {
    guard let first = given.first, given.allSatisfy({ $0.isPosition }) else { return }
    var (west, east, doubledArea) = (first.longitude, first.longitude, 0.0)
    var last = first
    for (number, vertex) in given.dropFirst().enumerated() {
      look(at: number, from: last, to: vertex)
      (west, east) = (min(west, vertex.longitude), max(east, vertex.longitude))
      doubledArea += WrittenEdges.doubledArea(last, vertex)
      last = vertex
    }
    guard isRing else { return }
    look(at: given.count - 1, from: last, to: first)
    doubledArea += WrittenEdges.doubledArea(last, first)
    if east - west >= 180, doubledArea != 0 { isDrawnLeft = doubledArea > 0 }
  }

  /// Whether an edge as written spans 180 degrees of longitude or more, so that its reduced longitudes do not determine
  /// the edge.
  static func isWide(from start: ShapeVertices.Vertex, to end: ShapeVertices.Vertex) -> Bool {
    // Invalid positions are refused elsewhere, so they are not compared here: a coordinate may be NaN.
    start.isPosition && end.isPosition && (end.longitude - start.longitude).magnitude >= 180
  }

  /// The number of pieces into which added vertices divide an edge between two valid positions.
  static func pieces(from start: ShapeVertices.Vertex, to end: ShapeVertices.Vertex) -> Int {
    let (turn, rise) = (end.longitude - start.longitude, end.latitude - start.latitude)
    if isWide(from: start, to: end) {
      // At a pole all longitudes denote the same place.
      let isAtPole = rise == 0 && start.latitude.magnitude == 90
      return isAtPole ? 1 : Int((turn.magnitude / widest).roundedUp)
    }
    return turn == 0 && rise.magnitude == 180 ? 2 : 1
  }

  private mutating func look(
    at number: Int, from start: ShapeVertices.Vertex, to end: ShapeVertices.Vertex
  ) {
    let (turn, rise) = (end.longitude - start.longitude, end.latitude - start.latitude)
    let pieces = WrittenEdges.pieces(from: start, to: end)
    guard pieces > 1 else { return }
    for piece in 1..<pieces {
      let part = Double(piece) / Double(pieces)
      let vertex = ShapeVertices.Vertex(
        latitude: start.latitude + rise * part, longitude: start.longitude + turn * part)
      added.append(Added(edge: number, vertex: vertex))
    }
  }

  /// Twice the signed area of the triangle on the map that an edge and the origin form, in square degrees.
  private static func doubledArea(_ start: ShapeVertices.Vertex, _ end: ShapeVertices.Vertex) -> Double {
    start.longitude * end.latitude - end.longitude * start.latitude
  }
}

extension ShapeDefinition {
  /// Whether a planar edge, with its longitudes as written, spans 180 degrees of longitude or more.
  public var hasWideEdges: Bool {
    edges == .planar
      && vertices.ringEnds.indices.contains { ring in
        let corners = vertices.vertices(ofRing: ring)
        guard let first = corners.first, var last = corners.last else { return false }
        if !isPolygon { last = first }
        return corners.contains { corner in
          defer { last = corner }
          return WrittenEdges.isWide(from: last, to: corner)
        }
      }
  }

  /// The definition that callers receive: the longitudes of planar edges continue beyond [−180, 180), so that each edge
  /// is the one that was originally written. A ring around a pole starts and ends at its vertex at the pole, with
  /// longitudes that differ by 360 degrees. A ring is returned as it is stored if it goes around a pole without a
  /// vertex at the pole. A ring or line is also returned as it is stored if its continuous longitudes would leave
  /// [−360, 360].
  public var written: ShapeDefinition {
    guard hasWideEdges else { return self }
    var result = self
    result.vertices = ShapeVertices()
    result.vertices.reserve(vertices: vertices.vertices.count)
    for part in vertices.partEnds.indices {
      result.vertices.beginPart()
      for ring in vertices.rings(ofPart: part) {
        let corners = vertices.vertices(ofRing: ring)
        result.vertices.beginRing()
        for corner in WrittenEdges.written(corners, isRing: isPolygon) ?? Array(corners) {
          result.vertices.append(latitude: corner.latitude, longitude: corner.longitude)
        }
      }
    }
    result.vertices.compact()
    return result
  }
}

extension WrittenEdges {
  /// Returns the vertices of a ring or line with longitudes that continue beyond [−180, 180) instead of jumping.
  fileprivate static func written(
    _ kept: some Collection<ShapeVertices.Vertex>, isRing: Bool
  ) -> [ShapeVertices.Vertex]? {
    var corners = Array(kept)
    guard let first = corners.first, let last = corners.last else { return corners }
    var turns = isRing ? turn(from: last.longitude, to: first.longitude) : 0
    for index in corners.indices.dropFirst() {
      turns += turn(from: corners[index - 1].longitude, to: corners[index].longitude)
    }
    if isRing, turns != 0 {
      guard let pole = corners.firstIndex(where: { $0.latitude.magnitude == 90 }) else { return nil }
      corners = Array(corners[pole...] + corners[..<pole]) + [corners[pole]]
    }
    var (least, most) = (corners[0].longitude, corners[0].longitude)
    turns = 0
    var before = corners[0].longitude
    for index in corners.indices {
      let longitude = corners[index].longitude
      turns += turn(from: before, to: longitude)
      before = longitude
      corners[index].longitude += turns
      (least, most) = (min(least, corners[index].longitude), max(most, corners[index].longitude))
    }
    for shift in [0.0, 360, -360] where least + shift >= -360 && most + shift <= 360 {
      for index in corners.indices { corners[index].longitude += shift }
      return corners
    }
    return nil
  }

  /// The number of degrees (360, −360 or 0) to add to the second of two reduced longitudes, so that it differs from the
  /// first one by at most 180 degrees.
  private static func turn(from longitude: Double, to next: Double) -> Double {
    let change = next - longitude
    return change > 180 ? -360 : change < -180 ? 360 : 0
  }
}
