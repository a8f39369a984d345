/// The point on a line that is nearest to a given point.
public struct LineFoot: Sendable {
  /// The number of the edge on which the nearest point lies; −1 if the line is empty.
  public var edge = -1
  /// The geodesic distance to the point, in metres; infinite if there is no edge.
  public var distance = Double.infinity
  /// The nearest point as a vector.
  public var at = EarthVector(x: 0, y: 0, z: 0)
  /// If the nearest point is a vertex, the number of this vertex; −1 if the point lies between the ends of the edge.
  public var vertex = -1
  /// Positive if the point is to the left of the line, negative if it is to the right, and 0 if it is on the line. If
  /// the nearest chain of the line is open, the sign has no meaning.
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
  /// Whether the nearest point lies between the ends of its edge.
  public var isInner: Bool { vertex < 0 }

  /// Whether this point of the line comes before `other`: it is nearer to the given point, or equally near and on an
  /// edge with a lower number.
  @inline(__always)
  func precedes(_ other: LineFoot) -> Bool {
    distance < other.distance || (distance == other.distance && edge < other.edge)
  }
}
