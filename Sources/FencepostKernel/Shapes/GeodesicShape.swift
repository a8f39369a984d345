/// A polygon, a corridor or a line on the ellipsoid; computes how far a point is from its boundary, and on which side
/// the point is.
///
/// A line is a corridor of radius 0.
///
/// The signed boundary distance D is in metres and is negative inside. If a point moves, D changes by at most the
/// distance moved.
public final class GeodesicShape: Sendable {
  /// Computed distances below this value, in metres, count as 0, so that a position on the line is inside.
  static var onTheLine: Double { 20e-9 }
  /// The largest depth that is computed for a polygon, in metres.
  static var greatestDepth: Double { 100_000 }
  /// A cap that contains every point of the Earth.
  static var wholeEarth: (centre: EarthVector, reach: Double) {
    (EarthVector(x: 0, y: 0, z: 0), Ellipsoid.largestRadiusOfCurvature)
  }

  /// The definition of the shape. The longitudes of the definition are in [−180, 180); repeated vertices and the
  /// vertices that close a ring are left out.
  public let definition: ShapeDefinition
  /// The order of the members is chosen so that `isPolygon` takes no additional space.
  let isPolygon: Bool
  /// The greatest −D, in metres: for a corridor, the radius; for a line, 0; for a polygon, the radius of the largest
  /// inscribed circle, which is limited to 100 km and may be up to 1 % too small. For a polygon whose search ended
  /// because of `DeepestPlace.budget`, the error may be larger.
  public let depth: Double
  /// A place where D equals −`depth`; if the depth is limited to 100 km, D may be less than −`depth` there. For a
  /// corridor, the place lies on its line.
  public var deepest: SurfacePoint { SurfacePoint(latitude: deepestLatitude, longitude: deepestLongitude) }
  private let deepestLatitude, deepestLongitude: Double
  /// The number of rings left out of the definition because they have no vertices or enclose no area.
  public let leftOutRings: Int
  /// A cap in space that contains the shape: the straight distance from the centre of the cap to any point with D ≤ 0
  /// is at most `reach` metres.
  public let boundingCap: (centre: EarthVector, reach: Double)

  let line: ShapeLine
  /// The signed distance in metres from `line` to the boundary: positive if the boundary lies outside the line,
  /// negative if it lies inside (a negative buffer), and 0 if the line itself is the boundary.
  let offset: Double

  /// - Parameters:
  ///   - definition: The shape's definition, with vertices in degrees.
  ///   - depth: For a stored definition, the depth stored with it, which is used unchanged; `nil` to compute the depth.
  ///     Planar edges of a stored definition go the short way around the Earth; those of a caller's definition follow
  ///     their longitudes as written.
  ///
  /// This is a function because Embedded Swift does not free the memory of an object whose initializer throws.
  public static func reading(
    _ definition: ShapeDefinition, depth known: Double? = nil
  ) throws(ShapeDefect) -> GeodesicShape {
    var definition = definition
    let line: ShapeLine
    let isPolygon: Bool
    let offset: Double
    let leftOutRings: Int
    switch definition.kind {
    case .polygon(let buffer, let isOriented):
      let made = try PolygonLine(definition.vertices, definition.edges, isOriented: isOriented, isGiven: known == nil)
      guard buffer.isFinite else { throw ShapeDefect(.buffer) }
      definition.vertices = made.vertices
      (line, isPolygon, offset, leftOutRings) = (made.line, true, buffer, made.leftOutRings)
    case .corridor(let radius):
      let made = try CorridorLine(definition.vertices, definition.edges, isGiven: known == nil)
      guard radius.isFinite, radius > 0 else { throw ShapeDefect(.radius) }
      definition.vertices = made.vertices
      (line, isPolygon, offset, leftOutRings) = (made.line, false, radius, 0)
    case .line:
      let made = try CorridorLine(definition.vertices, definition.edges, takesPoints: false, isGiven: known == nil)
      definition.vertices = made.vertices
      (line, isPolygon, offset, leftOutRings) = (made.line, false, 0, 0)
    }
    definition.vertices.compact()
    let depth: Double
    let deepest: (latitude: Double, longitude: Double)
    if !isPolygon {
      (depth, deepest) = (known ?? offset, line.vertices[(line.vertices.count - 1) / 2].position)
    } else if let found = DeepestPlace.find(line, buffer: offset, known: known) {
      (depth, deepest) = (known ?? min(found.depth, greatestDepth), (found.place.latitude, found.place.longitude))
    } else if let known {
      // An earlier version accepted this polygon, a needle: no place inside it can be distinguished from its line.
      (depth, deepest) = (known, line.vertices[0].position)
    } else {
      throw ShapeDefect(.buffer)
    }
    return GeodesicShape(definition, line, isPolygon, offset, leftOutRings, depth, deepest)
  }

  private init(
    _ definition: ShapeDefinition, _ line: ShapeLine, _ isPolygon: Bool, _ offset: Double, _ leftOutRings: Int,
    _ depth: Double, _ deepest: (latitude: Double, longitude: Double)
  ) {
    var mayBeLarge = false
    if case .polygon(_, isOriented: true) = definition.kind { mayBeLarge = true }
    self.definition = definition
    (self.line, self.isPolygon, self.offset, self.leftOutRings) = (line, isPolygon, offset, leftOutRings)
    self.depth = depth
    (deepestLatitude, deepestLongitude) = (deepest.latitude, deepest.longitude)
    boundingCap = GeodesicShape.cap(line, mayBeLarge: mayBeLarge, offset)
  }

  /// The signed boundary distance D of a point, in metres: negative inside, 0 on the boundary. Within 15 nm.
  public func boundaryDistance(of point: SurfacePoint) -> Double {
    var foot = line.nearest(to: point, isSided: isPolygon)
    // At the tip of a needle, the angle between two edges may be too small to find the side of a far point.
    if isPolygon, foot.side > 0 {
      let apart = boundingCap.centre.squaredChord(to: point.vector).squareRoot()
      if apart > boundingCap.reach + 1 { foot.side = -foot.distance }
    }
    return distance(foot)
  }

  /// Computes the signed boundary distance D. Only the edges that may be nearest are examined, if these are known; the
  /// result is bit for bit the same as with all edges.
  public func boundaryDistance(of point: SurfacePoint, near found: FoundNear) -> Double {
    if !found.exact.isNaN { return found.exact }
    guard let foot = line.nearest(to: point.vector, among: found.edges, found.count, isSided: isPolygon) else {
      return boundaryDistance(of: point)
    }
    return distance(foot)
  }

  /// Whether a point is inside or on the boundary.
  public func contains(_ point: SurfacePoint) -> Bool { boundaryDistance(of: point) <= 0 }

  /// The number of vertices of the definition.
  public var vertexCount: Int { definition.vertices.vertices.count }

  /// Bytes of memory.
  public var byteCount: Int {
    MemoryLayout<Int>.size * 40 + line.byteCount + definition.vertices.byteCount
  }

  func distance(_ foot: LineFoot) -> Double {
    let distance = (isPolygon && foot.side > 0 ? -foot.distance : foot.distance) - offset
    return distance.magnitude < GeodesicShape.onTheLine ? 0 : distance
  }

  /// - Parameter mayBeLarge: Whether the polygon may be the larger of the two areas that its rings bound.
  private static func cap(
    _ line: ShapeLine, mayBeLarge: Bool, _ offset: Double
  ) -> (centre: EarthVector, reach: Double) {
    let (centre, reach) = line.bounds
    let whole = GeodesicShape.wholeEarth
    // If the ball around the line covers less than half of the Earth, the area beyond the ball is connected and does
    // not contain any point of the line. Therefore, the area beyond the ball is wholly inside or wholly outside the
    // shape; it is outside unless a polygon may cover more than half of the Earth.
    guard centre.length > 1e6, reach < 6e6 else { return whole }
    if mayBeLarge, line.nearest(to: SurfacePoint((centre * -1).onSurface)).side > 0 { return whole }
    let wide = reach + max(offset, 0)
    return wide < 1.2e7 ? (centre, wide) : whole
  }
}

extension ShapeVertices {
  var byteCount: Int {
    vertices.capacity * MemoryLayout<Vertex>.stride
      + (ringEnds.count == 1 ? 0 : (ringEnds.capacity + partEnds.capacity) * MemoryLayout<Int>.stride + 2 * 32) + 32
  }
}

extension EarthVector {
  /// The point at which the ray from the Earth's centre along this vector meets the surface; undefined for the centre
  /// itself.
  var onSurface: EarthVector {
    let (u, v) = (x / Ellipsoid.equatorialRadius, y / Ellipsoid.equatorialRadius)
    let w = z / Ellipsoid.polarRadius
    return self / (u * u + v * v + w * w).squareRoot()
  }
}
