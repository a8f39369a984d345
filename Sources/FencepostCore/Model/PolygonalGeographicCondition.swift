package import FencepostKernel

/// How the edges between the vertices of a shape are meant. The numbers are those of snapshots and the C interface.
@frozen
public enum EdgeInterpretation: UInt8, Sendable, Hashable, CaseIterable {
  /// The shortest geodesics on the WGS84 ellipsoid.
  case geodesic = 0
  /// Straight lines on the map of degrees, as GeoJSON declares them (RFC 7946, section 3.1.1), within 0.1 m.
  case planar = 1
}

/// An area on the Earth within a ring of edges, without its holes: satisfied inside and on the boundary.
///
/// Vertices are degrees, latitude −90 … 90, longitude −360 … 360; a ring may repeat its first vertex at its end. An edge is
/// at most 19 900 km long, and goes the short way: poles and the antimeridian are places like any other.
public struct PolygonalGeographicCondition: Condition {
  /// The outer ring.
  public var exterior: [Coordinate]
  /// Rings within it that do not belong to it.
  public var holes: [[Coordinate]]
  public var edges: EdgeInterpretation
  /// `true`: the polygon lies left of every ring as listed, the outer one counterclockwise, holes clockwise. `false`: each
  /// ring encloses the smaller of the two areas that it bounds, however it is wound.
  public var isOriented: Bool
  /// Metres by which the line is moved outwards, negative inwards; finite.
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

/// Several areas that are one condition: satisfied in any of them.
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
  /// Metres by which the line is moved outwards, negative inwards; finite.
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
  /// The same as a condition of one part.
  package var multiple: MultiPolygonalGeographicCondition {
    MultiPolygonalGeographicCondition(
      parts: [.init(exterior: exterior, holes: holes)], edges: edges, isOriented: isOriented, buffer: buffer)
  }

  /// Whether a coordinate lies in the area, the line included; `false` when the coordinate or the area is not valid.
  ///
  /// - Complexity: Each call examines the whole area as ``Monitor/add(_:identifier:assuming:policy:tag:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool { multiple.contains(coordinate) }

  /// The probability that the true position is inside. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the area, the point or the error is not valid.
  /// - Complexity: Each call examines the whole area, as ``Monitor/add(_:identifier:assuming:policy:tag:)`` does.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    try multiple.probability(at: point, error: error)
  }

  /// How the monitor reads the area: see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, as when the area is added.
  public func reading() throws(MonitorError) -> ShapeReading { try multiple.reading() }
}

extension MultiPolygonalGeographicCondition {
  /// Whether a coordinate lies in one of the areas, the line included; `false` when the coordinate or an area is not valid.
  ///
  /// - Complexity: Each call examines the areas as ``Monitor/add(_:identifier:assuming:policy:tag:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool {
    GeodesicShape.contains(coordinate, in: definition)
  }

  /// The probability that the true position is inside. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the areas, the point or the error is not valid.
  /// - Complexity: Each call examines the whole areas, as ``Monitor/add(_:identifier:assuming:policy:tag:)`` does.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    try GeodesicShape.probability(at: point, error, in: definition)
  }

  /// How the monitor reads the areas: see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, as when they are added.
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
