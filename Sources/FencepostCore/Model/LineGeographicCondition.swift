package import FencepostKernel

/// A gate: a line without a width whose crossings are counted, with their direction.
///
/// A gate has no state. Each time the path of the device reaches the other side of the line, there is one event with
/// the cause ``Event/Cause/crossing`` and a ``Event/direction``, as seen along the line from its first vertex to its
/// last. The accuracy of the fixes has no effect. A gate needs a monitor with
/// ``MonitorOptions/Path/geodesic(maxGapMicroseconds:maxSpeed:)`` and delivery ``MonitorOptions/Delivery/every``, and
/// accepts no policy and no assumed state.
///
/// A position on the line counts as left of it. Vertices are in degrees, latitude −90 … 90, longitude −360 … 360.
public struct LineGeographicCondition: Condition {
  /// One or more lines, each a sequence of vertices, at least two of them different; they may cross.
  public var paths: [[Coordinate]]
  public var edges: EdgeInterpretation

  public init(path: [Coordinate], edges: EdgeInterpretation = .geodesic) {
    self.init(paths: [path], edges: edges)
  }

  public init(paths: [[Coordinate]], edges: EdgeInterpretation = .geodesic) {
    self.paths = paths
    self.edges = edges
  }

  /// Whether a coordinate lies on the line; `false` if the coordinate or the line is invalid.
  ///
  /// - Complexity: Each call examines the whole line, as ``Monitor/add(_:identifier:assuming:policy:tag:timing:band:)`` does.
  public func contains(_ coordinate: Coordinate) -> Bool {
    GeodesicShape.contains(coordinate, in: definition)
  }

  /// How the monitor interprets the line; see ``ShapeReading``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the line is invalid.
  public func reading() throws(MonitorError) -> ShapeReading { ShapeReading(try .validated(definition)) }

  package var definition: ShapeDefinition {
    var vertices = ShapeVertices()
    if !paths.isEmpty { vertices.beginPart() }
    for path in paths { vertices.append(ring: path) }
    return ShapeDefinition(.line, vertices, edges: EdgeReading(edges))
  }
}
