package import FencepostKernel

/// A gate: a line without a width that counts who crosses it, and in which direction.
///
/// It has no state. Each time the path of the device comes to the other side there is one event of cause
/// ``Event/Cause/crossing`` with a ``Event/direction``, as seen along the line from its first vertex to its last; accuracy
/// plays no part. It needs a monitor with ``MonitorOptions/Path/geodesic(maxGapMicroseconds:maxSpeed:)`` and delivery
/// ``MonitorOptions/Delivery/every``, and takes no policy and no assumed state.
///
/// A position on the line counts as left of it. Vertices are degrees, latitude −90 … 90, longitude −360 … 360.
public struct LineGeographicCondition: Condition {
  /// One or more lines, each from vertex to vertex, of at least two different ones; they may cross.
  public var paths: [[Coordinate]]
  public var edges: EdgeInterpretation

  public init(path: [Coordinate], edges: EdgeInterpretation = .geodesic) {
    self.init(paths: [path], edges: edges)
  }

  public init(paths: [[Coordinate]], edges: EdgeInterpretation = .geodesic) {
    self.paths = paths
    self.edges = edges
  }

  /// Whether a coordinate lies on the line; `false` when the coordinate or the line is not valid.
  ///
  /// - Complexity: Each call examines the whole line as ``Monitor/add(_:identifier:assuming:policy:tag:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool {
    GeodesicShape.contains(coordinate, in: definition)
  }

  /// How the monitor reads the line: see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, as when the line is added.
  public func reading() throws(MonitorError) -> ShapeReading { ShapeReading(try .validated(definition)) }

  package var definition: ShapeDefinition {
    var vertices = ShapeVertices()
    if !paths.isEmpty { vertices.beginPart() }
    for path in paths { vertices.append(ring: path) }
    return ShapeDefinition(.line, vertices, edges: EdgeReading(edges))
  }
}
