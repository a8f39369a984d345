package import FencepostKernel

/// A corridor around a path; satisfied within ``radius`` of the path, including the boundary. Ends and bends are round.
///
/// Vertices are in degrees, latitude −90 … 90, longitude −360 … 360. A path of one vertex is a circle around this
/// vertex.
public struct CorridorGeographicCondition: Condition {
  /// One or more paths, each a sequence of vertices; they may cross.
  public var paths: [[Coordinate]]
  /// Half the width: metres along the WGS84 geodesic, finite, > 0.
  public var radius: Double
  public var edges: EdgeInterpretation

  public init(path: [Coordinate], radius: Double, edges: EdgeInterpretation = .geodesic) {
    self.init(paths: [path], radius: radius, edges: edges)
  }

  public init(paths: [[Coordinate]], radius: Double, edges: EdgeInterpretation = .geodesic) {
    self.paths = paths
    self.radius = radius
    self.edges = edges
  }

  /// Whether a coordinate lies in the corridor or on its line; `false` if the coordinate or the corridor is invalid.
  ///
  /// - Complexity: Each call examines the whole corridor, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool {
    GeodesicShape.contains(coordinate, in: definition)
  }

  /// The probability that the true position is inside. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the corridor, the point or the error is not valid.
  /// - Complexity: Each call examines the whole corridor, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    try GeodesicShape.probability(at: point, error, in: definition)
  }

  /// How the monitor interprets the corridor; see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the corridor is invalid.
  public func reading() throws(MonitorError) -> ShapeReading { ShapeReading(try .validated(definition)) }

  package var definition: ShapeDefinition {
    var vertices = ShapeVertices()
    if !paths.isEmpty { vertices.beginPart() }
    for path in paths { vertices.append(ring: path) }
    return ShapeDefinition(.corridor(radius: radius), vertices, edges: EdgeReading(edges))
  }
}
