/// The definition of a polygon, a corridor or a line: its vertices, and how they are read.
public struct ShapeDefinition: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// The area within the rings.
    ///
    /// - `buffer`: The distance in metres by which the line is moved outwards.
    /// - `isOriented`: Whether the polygon is to the left of every ring in the listed order of its vertices; otherwise
    ///   each ring encloses the smaller of the two areas that it bounds.
    case polygon(buffer: Double, isOriented: Bool)
    /// The area within `radius` metres of the lines.
    case corridor(radius: Double)
    /// Lines without width, whose crossings are reported.
    case line
  }

  public var kind: Kind
  public var vertices: ShapeVertices
  public var edges: EdgeReading

  public init(_ kind: Kind, _ vertices: ShapeVertices, edges: EdgeReading = .geodesic) {
    self.kind = kind
    self.vertices = vertices
    self.edges = edges
  }

  public var isPolygon: Bool {
    if case .polygon = kind { true } else { false }
  }

  /// Whether two definitions mean the same condition: they have the same structure, each coordinate differs by at most
  /// 1e-7°, and radius and buffer differ by at most 0.5 m.
  public func isNearlyEqual(to other: ShapeDefinition) -> Bool {
    switch (kind, other.kind) {
    case (.polygon(let buffer, let isOriented), .polygon(let otherBuffer, let otherIsOriented)):
      guard isOriented == otherIsOriented, (buffer - otherBuffer).magnitude <= 0.5 else { return false }
    case (.corridor(let radius), .corridor(let otherRadius)):
      guard (radius - otherRadius).magnitude <= 0.5 else { return false }
    case (.line, .line): break
    default: return false
    }
    guard edges == other.edges, vertices.partEnds == other.vertices.partEnds,
      vertices.ringEnds == other.vertices.ringEnds
    else { return false }
    for (a, b) in zip(vertices.vertices, other.vertices.vertices) {
      let turn = (a.longitude - b.longitude).magnitude
      // Longitudes on both sides of the antimeridian are adjacent.
      guard (a.latitude - b.latitude).magnitude <= 1e-7, min(turn, (360 - turn).magnitude) <= 1e-7 else { return false }
    }
    return true
  }
}
