import FencepostKernel

/// How a monitor interprets the vertices of a polygon or corridor.
public struct ShapeReading: Sendable, Hashable {
  /// The edge on which the two interpretations of the edges are farthest apart.
  public struct Departure: Sendable, Hashable {
    /// The distance between the two interpretations, in metres.
    public var metres: Double
    /// The indices of the part and of its ring or path, from 0; the outer ring is 0.
    public var part: Int
    public var ring: Int
    /// The index of the vertex at which the edge starts, from 0.
    public var edge: Int
  }

  /// How deep inside the shape a position can be, in metres. Margins and the accuracy are limited by it, as by the
  /// radius of a circle.
  public var depth: Double
  /// The greatest distance between geodesic and planar edges if it is more than 1 m; otherwise `nil`. If it is not
  /// `nil`, the interpretation for which the vertices were made matters.
  public var departure: Departure?
  /// The number of rings that are left out because they have no vertices or are narrower than a micrometre.
  public var leftOutRings: Int

  init(_ shape: GeodesicShape) {
    depth = shape.depth
    leftOutRings = shape.leftOutRings
    departure = shape.definition.planarDeparture.map {
      Departure(metres: $0.metres, part: $0.place.part, ring: $0.place.ring, edge: $0.place.edge)
    }
  }
}
