/// The meaning of the edges between a shape's vertices.
public enum EdgeReading: Sendable {
  /// The shortest geodesics.
  case geodesic
  /// Straight lines on the longitude–latitude plane (RFC 7946, section 3.1.1).
  case planar
}

/// A ring or line of the definition after preparation: longitudes are reduced, repeated vertices are dropped, and
/// planar edges are divided.
struct GivenRing {
  var part: Int
  var ring: Int
  /// Each point differs from the previous point; in a ring the first point also differs from the last point.
  var points: [SurfacePoint] = []
  /// Element i is the number of the given edge that contains the edge from point i. A given edge has the number of its
  /// first vertex.
  var edges: [Int] = []
  /// The vertices of the ring, without the points that divide planar edges.
  var vertices: [SurfacePoint] = []
  /// Whether the area that a planar ring encloses on the map is to the left of the ring; `nil` unless the ring spans at
  /// least 180 degrees of longitude as written.
  private(set) var isDrawnLeft: Bool?

  /// - Parameters:
  ///   - given: Latitudes and longitudes, in degrees; a ring may repeat its first vertex at its end.
  ///   - isRing: Whether the last vertex is joined to the first.
  ///   - isGiven: Whether planar edges follow the longitudes exactly as written. If false, the vertices come from a
  ///     stored definition, and each edge takes the shorter way around the Earth.
  ///   - room: The number of points that are still allowed; it is reduced by the number of points created.
  init(
    _ given: some Collection<ShapeVertices.Vertex>, part: Int, ring: Int, isRing: Bool, reading: EdgeReading,
    isGiven: Bool = true, room: inout Int
  ) throws(ShapeDefect) {
    self.part = part
    self.ring = ring
    var vertices: [Corner] = []
    vertices.reserveCapacity(min(given.count, ShapeVertices.most))
    var written = WrittenEdges()
    if reading == .planar, isGiven { written = WrittenEdges(given, isRing: isRing) }
    isDrawnLeft = written.isDrawnLeft
    var nextAdded = 0
    for (number, vertex) in given.enumerated() {
      try take(vertex, number, reading, &vertices, room: room)
      while nextAdded < written.added.count, written.added[nextAdded].edge == number {
        try take(written.added[nextAdded].vertex, number, reading, &vertices, room: room)
        nextAdded += 1
      }
    }
    if vertices.isEmpty { throw ShapeDefect(.empty, ShapeDefect.Place(part: part, ring: ring, edge: 0)) }
    if isRing {
      while vertices.count > 1, let last = vertices.last, vertices[0].point.isSamePlace(as: last.point) {
        vertices.removeLast()
        vertices[0].arriving = last.arriving
        if self.vertices[self.vertices.count - 1] == self.vertices[0] { self.vertices.removeLast() }
      }
    }
    // A line with a single vertex is allowed: with its buffer it is a circle.
    guard vertices.count >= 3 || !isRing else {
      throw ShapeDefect(.tooFewVertices, place(vertices[0].number), at: vertices[0].point)
    }
    points.reserveCapacity(vertices.count)
    edges.reserveCapacity(vertices.count)
    for index in vertices.indices {
      let here = vertices[index]
      guard isRing || index + 1 < vertices.count else {
        append(here.point, here.number, &room)
        break
      }
      let next = vertices[(index + 1) % vertices.count]
      append(here.point, here.number, &room)
      if reading == .planar { try cut(from: here.leaving, to: next.arriving, here.number, &room) }
      if room < 0 { throw ShapeDefect(.tooManyVertices, place(here.number)) }
    }
    if isRing {
      while points.count > 1, points[points.count - 1].isOne(with: points[0]) {
        points.removeLast()
        edges.removeLast()
      }
      if points.count < 3 { throw ShapeDefect(.noArea, place(edges[0]), at: points[0]) }
    }
    for (start, end) in pairs(isRing: isRing) {
      let (from, to) = (points[start], points[end])
      // The chord of a geodesic of 19 900 km is always longer than 12 247 km (squared, 1.5e14 m²).
      guard from.vector.squaredChord(to: to.vector) > 1.5e14 else { continue }
      if from.path(to: to).distance > GeodesicSegment.longest {
        throw ShapeDefect(.edgeTooLong, place(edges[start]), at: from)
      }
    }
  }

  /// A vertex during the preparation of the ring. At a pole, one planar edge may arrive on one meridian, and the next
  /// edge may leave on another meridian.
  private struct Corner {
    var point: SurfacePoint
    var number: Int
    var arriving: SurfacePoint
    var leaving: SurfacePoint
  }

  private mutating func take(
    _ vertex: ShapeVertices.Vertex, _ number: Int, _ reading: EdgeReading, _ corners: inout [Corner], room: Int
  ) throws(ShapeDefect) {
    guard vertex.isPosition else { throw ShapeDefect(.coordinate, place(number)) }
    let point = SurfacePoint(latitude: vertex.latitude + 0, longitude: GivenRing.reduced(vertex.longitude))
    if let last = corners.last, last.point.isSamePlace(as: point) {
      // A pole that is listed several times in a row counts as one corner; a planar edge that starts at this corner
      // follows the meridian of the last listed longitude.
      if reading == .planar, last.leaving != point {
        corners[corners.count - 1].leaving = point
        vertices.append(point)
      }
      return
    }
    corners.append(Corner(point: point, number: number, arriving: point, leaving: point))
    vertices.append(point)
    guard corners.count <= room + 1 else { throw ShapeDefect(.tooManyVertices, place(number)) }
  }

  private mutating func append(_ point: SurfacePoint, _ number: Int, _ room: inout Int) {
    if let last = points.last, last.isOne(with: point) { return }
    points.append(point)
    edges.append(number)
    room -= 1
  }

  /// Adds points along the edges of a ring.
  ///
  /// - Parameter between: Receives the ends of an edge and returns the points to add, in order from the edge's start.
  mutating func insert(_ room: inout Int, _ between: (SurfacePoint, SurfacePoint) -> [SurfacePoint]) {
    var (points, edges): ([SurfacePoint], [Int]) = ([], [])
    for (start, end) in pairs(isRing: true) {
      points.append(self.points[start])
      edges.append(self.edges[start])
      for point in between(self.points[start], self.points[end]) {
        points.append(point)
        edges.append(self.edges[start])
        room -= 1
      }
    }
    (self.points, self.edges) = (points, edges)
  }

  /// Reverses the ring.
  mutating func reverse() {
    points.reverse()
    // Edge number i must again start at point number i, so the reversed edges are rotated by one.
    edges.reverse()
    edges.append(edges.removeFirst())
  }

  func place(_ edge: Int) -> ShapeDefect.Place { ShapeDefect.Place(part: part, ring: ring, edge: edge) }

  /// The numbers of the two points that each edge joins.
  func pairs(isRing: Bool) -> [(Int, Int)] {
    points.indices.dropLast(isRing ? 0 : 1).map { ($0, ($0 + 1) % points.count) }
  }

  /// A longitude in [−180, 180), computed exactly, and never −0.
  static func reduced(_ longitude: Double) -> Double {
    longitude >= 180 ? longitude - 360 : (longitude < -180 ? longitude + 360 : longitude + 0)
  }

  /// Replaces a planar edge with geodesics between enough of its points that the drawn line is within 0.1 m of the
  /// geodesics.
  private mutating func cut(
    from start: SurfacePoint, to end: SurfacePoint, _ number: Int, _ room: inout Int
  ) throws(ShapeDefect) {
    let isForward =
      start.latitude < end.latitude
      || (start.latitude == end.latitude && start.longitude <= end.longitude)
    let (lesser, greater) = isForward ? (start, end) : (end, start)
    let change = InverseTask.longitudeDifference(from: lesser.longitude, to: greater.longitude)
    let span = change.degrees + change.tail
    if span.magnitude == 180 { throw ShapeDefect(.edgeTooLong, place(number), at: start) }
    let count = PlanarEdge.pieces(lesser.latitude, greater.latitude, span: span)
    guard count <= Double(room) + 1 else { throw ShapeDefect(.tooManyVertices, place(number)) }
    let steps = max(Int(count.roundedUp), 1)
    guard steps > 1 else { return }
    for step in 1..<steps {
      let part = Double(isForward ? step : steps - step) / Double(steps)
      let latitude = lesser.latitude + (greater.latitude - lesser.latitude) * part
      let longitude = GivenRing.reduced(lesser.longitude + span * part)
      append(SurfacePoint(latitude: latitude, longitude: longitude), number, &room)
    }
  }
}

extension SurfacePoint {
  /// Whether two points are so close together (within 5 nm) that an edge between them would have no direction.
  func isOne(with other: SurfacePoint) -> Bool { vector.squaredChord(to: other.vector) < 2.5e-17 }

  /// Whether two points are at the same place. At a pole, points with different longitudes are at the same place.
  func isSamePlace(as other: SurfacePoint) -> Bool {
    latitude == other.latitude && (longitude == other.longitude || latitude.magnitude == 90)
  }
}
