/// The point on a line that is nearest to a given point.
public struct LineFoot: Sendable {
  /// The number of the edge that the place is on; −1 if the line is empty.
  public var edge = -1
  /// The geodesic distance to the point, in metres; infinite if there is no edge.
  public var distance = Double.infinity
  /// The place as a vector.
  public var at = EarthVector(x: 0, y: 0, z: 0)
  /// The number of the vertex at this place; −1 if the place is between the ends of the edge.
  public var vertex = -1
  /// Positive if the point is to the left of the line, negative if it is to the right, and 0 if it is on the line;
  /// meaningless if the point is beside an open chain.
  public var side = 0.0

  init() {}

  init(edge: Int, distance: Double, at: EarthVector, vertex: Int, side: Double) {
    self.edge = edge
    self.distance = distance
    self.at = at
    self.vertex = vertex
    self.side = side
  }

  /// Where it is.
  public var place: SurfacePoint { SurfacePoint(at) }
  /// Whether the place is between the ends of the edge.
  public var isInner: Bool { vertex < 0 }

  /// Whether this place is nearer to the point than `other` is. If both are equally near, the place on the edge with
  /// the lower number comes first.
  @inline(__always)
  func precedes(_ other: LineFoot) -> Bool {
    distance < other.distance || (distance == other.distance && edge < other.edge)
  }
}
