import FencepostKernel

/// How a monitor reads the vertices of a polygon or corridor.
public struct ShapeReading: Sendable, Hashable {
  /// Where the two interpretations of the edges are farthest apart.
  public struct Departure: Sendable, Hashable {
    /// How far, metres.
    public var metres: Double
    /// Numbers of the part and of the ring or path, from 0; the outer ring is 0.
    public var part: Int
    public var ring: Int
    /// Number of the vertex at which the edge starts, from 0.
    public var edge: Int
  }

  /// How deep inside a position can be, metres: what margins and accuracy are compared with, as with a circle's radius.
  public var depth: Double
  /// How far geodesic and planar edges are apart where they differ by more than 1 m; `nil` when they differ less. Then it
  /// matters which of the two the vertices were made for.
  public var departure: Departure?
  /// How many rings are left out, because they have no vertices or are narrower than a micrometre.
  public var leftOutRings: Int

  init(_ shape: GeodesicShape) {
    depth = shape.depth
    leftOutRings = shape.leftOutRings
    departure = shape.definition.planarDeparture.map {
      Departure(metres: $0.metres, part: $0.place.part, ring: $0.place.ring, edge: $0.place.edge)
    }
  }
}
