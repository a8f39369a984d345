/// The reason why a shape is refused, and the edges and the point at which the defect is.
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

  /// An edge, given by the numbers of its part, of its ring (0 is the outer ring) and of the vertex at which it starts;
  /// all are counted from 0 in the definition.
  public struct Place: Sendable, Equatable {
    public var part: Int
    public var ring: Int
    public var edge: Int

    public init(part: Int, ring: Int, edge: Int) {
      self.part = part
      self.ring = ring
      self.edge = edge
    }

    func isInRing(of other: Place) -> Bool { part == other.part && ring == other.ring }
  }

  public var reason: Reason
  public var place: Place?
  /// The second edge, if the defect is between two edges.
  public var other: Place?
  /// The latitude and longitude of the defect, in degrees.
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

extension ShapeDefect {
  /// One line for the caller: the defect, its place, and the accepted values. Parts, rings and edges are counted from
  /// 0; ring 0 of a part is the outer one.
  @_optimize(size)
  public var message: String {
    var text = "\(reason.rawValue): \(explanation)"
    if let place { text += ", \(place.text)" }
    if let other { text += " and \(other.text)" }
    if let latitude, let longitude { text += ", at latitude \(latitude), longitude \(longitude)" }
    return text
  }

  @_optimize(size)
  private var explanation: String {
    switch reason {
    case .coordinate: "a vertex is out of range; latitudes must be in [-90, 90] and longitudes in [-360, 360] degrees"
    case .empty: "the geometry has no part, ring, line or vertex"
    case .tooFewVertices: "a ring must have at least 3 different vertices, a line at least 2"
    case .tooManyVertices:
      "a shape must have at most \(ShapeVertices.most) vertices, including those added to planar edges"
    case .edgeTooLong: "an edge is too long; must be at most 19900 km"
    case .noArea: "a ring encloses no area"
    case .whichSide:
      "the inside of a ring is ambiguous, because it encloses half of the Earth or more; set oriented and list outer"
        + " rings counterclockwise"
    case .crossing: "two edges cross"
    case .overlap: "two edges overlap"
    case .holeOutside: "a hole is not within its outer ring"
    case .holesOverlap: "two holes overlap"
    case .partsOverlap: "two parts overlap"
    case .noLine: "the rings cancel each other; no boundary remains"
    case .radius: "the radius must be a finite number of metres above 0"
    case .buffer: "the buffer must be a finite number of metres, and a negative one must not remove the whole polygon"
    }
  }
}

extension ShapeDefect.Place {
  fileprivate var text: String { "part \(part), ring \(ring), edge \(edge)" }
}
