/// Why a shape is refused, and where.
public struct ShapeDefect: Error, Sendable, Equatable {
  public enum Reason: String, Sendable, CaseIterable {
    case coordinate
    case empty
    case tooFewVertices = "too_few_vertices"
    case tooManyVertices = "too_many_vertices"
    case edgeTooLong = "edge_too_long"
    case noArea = "no_area"
    case whichSide = "which_side"
    case crossing
    case overlap
    case holeOutside = "hole_outside"
    case holesOverlap = "holes_overlap"
    case partsOverlap = "parts_overlap"
    case noLine = "no_line"
    case radius
    case buffer
  }

  /// An edge by the numbers of its part, its ring (0 is the outer one) and the vertex that it starts at, all counted from 0
  /// in what was given.
  public struct Place: Sendable, Equatable {
    public var part: Int
    public var ring: Int
    public var edge: Int

    public init(part: Int, ring: Int, edge: Int) {
      self.part = part
      self.ring = ring
      self.edge = edge
    }
  }

  public var reason: Reason
  public var place: Place?
  /// The edge that the first one meets.
  public var other: Place?
  /// Where on the Earth, degrees.
  public var latitude: Double?
  public var longitude: Double?

  init(_ reason: Reason, _ place: Place? = nil, meets other: Place? = nil, at point: SurfacePoint? = nil) {
    self.reason = reason
    self.place = place
    self.other = other
    latitude = point?.latitude
    longitude = point?.longitude
  }
}
