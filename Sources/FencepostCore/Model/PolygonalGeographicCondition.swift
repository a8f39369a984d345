package import FencepostKernel

/// The interpretation of the edges between the vertices of a shape. Snapshots and the C interface use the same numbers.
@frozen
public enum EdgeInterpretation: UInt8, Sendable, Hashable, CaseIterable {
  /// Shortest geodesics on the WGS84 ellipsoid.
  case geodesic = 0
  /// Straight lines in a map of degrees, as GeoJSON defines them (RFC 7946, section 3.1.1), to 0.1 m.
  case planar = 1
}

/// An area on the Earth inside a ring of edges, without its holes; satisfied inside and on the boundary.
///
/// Vertices are in degrees, latitude −90 … 90, longitude −360 … 360; a ring may repeat its first vertex at its end. An
/// edge is at most 19 900 km long and takes the shorter way, so shapes may contain poles and cross the antimeridian.
public struct PolygonalGeographicCondition: Condition {
  /// The outer ring.
  public var exterior: [Coordinate]
  /// Rings inside the outer ring whose areas are excluded.
  public var holes: [[Coordinate]]
  public var edges: EdgeInterpretation
  /// If `true`, the polygon lies to the left of each ring as listed: the outer ring is counterclockwise, holes are
  /// clockwise. If `false`, each ring encloses the smaller of the two areas that it bounds, whatever its direction.
  public var isOriented: Bool
  /// The distance in metres by which the line is moved outwards, finite; negative values move it inwards.
  public var buffer: Double

  public init(
    exterior: [Coordinate], holes: [[Coordinate]] = [], edges: EdgeInterpretation = .geodesic,
    isOriented: Bool = false, buffer: Double = 0
  ) {
    self.exterior = exterior
    self.holes = holes
    self.edges = edges
    self.isOriented = isOriented
    self.buffer = buffer
  }
}

/// Several areas that form one condition; satisfied in any of them.
///
/// Parts may touch and share edges, but not overlap. A shared edge is not part of the boundary.
public struct MultiPolygonalGeographicCondition: Condition {
  /// An outer ring with its holes.
  public struct Part: Sendable, Hashable {
    public var exterior: [Coordinate]
    public var holes: [[Coordinate]]

    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
      self.exterior = exterior
      self.holes = holes
    }
  }

  public var parts: [Part]
  public var edges: EdgeInterpretation
  /// See ``PolygonalGeographicCondition/isOriented``.
  public var isOriented: Bool
  /// The distance in metres by which the line is moved outwards, finite; negative values move it inwards.
  public var buffer: Double

  public init(
    parts: [Part], edges: EdgeInterpretation = .geodesic, isOriented: Bool = false, buffer: Double = 0
  ) {
    self.parts = parts
    self.edges = edges
    self.isOriented = isOriented
    self.buffer = buffer
  }
}

extension PolygonalGeographicCondition {
  /// The same area as a condition with one part.
  package var multiple: MultiPolygonalGeographicCondition {
    MultiPolygonalGeographicCondition(
      parts: [.init(exterior: exterior, holes: holes)], edges: edges, isOriented: isOriented, buffer: buffer)
  }

  /// Whether a coordinate lies in the area or on its line; `false` if the coordinate or the area is invalid.
  ///
  /// - Complexity: Each call examines the whole area, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool { multiple.contains(coordinate) }

  /// The probability that the true position is inside. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the area, the point or the error is not valid.
  /// - Complexity: Each call examines the whole area, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    try multiple.probability(at: point, error: error)
  }

  /// How the monitor interprets the area; see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the area is invalid.
  public func reading() throws(MonitorError) -> ShapeReading { try multiple.reading() }
}

extension MultiPolygonalGeographicCondition {
  /// Whether a coordinate lies in one of the areas or on their line; `false` if the coordinate or an area is invalid.
  ///
  /// - Complexity: Each call examines the whole areas, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool {
    GeodesicShape.contains(coordinate, in: definition)
  }

  /// The probability that the true position is inside. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the areas, the point or the error is not valid.
  /// - Complexity: Each call examines the whole areas, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    try GeodesicShape.probability(at: point, error, in: definition)
  }

  /// How the monitor interprets the areas; see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if an area is invalid.
  public func reading() throws(MonitorError) -> ShapeReading { ShapeReading(try .validated(definition)) }

  package var definition: ShapeDefinition {
    var vertices = ShapeVertices()
    for part in parts {
      vertices.beginPart()
      for ring in CollectionOfOne(part.exterior) + part.holes { vertices.append(ring: ring) }
    }
    return ShapeDefinition(.polygon(buffer: buffer, isOriented: isOriented), vertices, edges: EdgeReading(edges))
  }
}
