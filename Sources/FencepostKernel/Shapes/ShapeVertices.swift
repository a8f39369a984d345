/// The vertices of a shape in one list of positions. The indices in `ringEnds` and `partEnds` divide this list into
/// rings and parts; lines are the rings of a single part.
public struct ShapeVertices: Sendable, Equatable {
  /// A position, degrees.
  @frozen public struct Vertex: Sendable, Equatable {
    public var latitude: Double
    public var longitude: Double

    @inlinable
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }

    /// Whether the position is valid: its latitude must be in [−90, 90] and its longitude in [−360, 360].
    ///
    /// The comparison uses the bits of the magnitudes as integers. These integers have the same order as the numbers,
    /// and the bits of NaN are larger than those of any number. A floating-point comparison may raise FE_INVALID, which
    /// a host may trap.
    var isPosition: Bool {
      latitude.magnitude.bitPattern <= (90.0).bitPattern && longitude.magnitude.bitPattern <= (360.0).bitPattern
    }
  }

  /// The maximum number of vertices of a shape after planar edges have been divided.
  public static var most: Int { 1_000_000 }

  /// The vertices of all rings or lines, one after the other.
  public private(set) var vertices: ContiguousArray<Vertex> = []
  /// For each ring or line, the index in `vertices` at which it ends.
  public var ringEnds: ContiguousArray<Int> { isOneRing ? [vertices.count] : severalEnds }
  /// The stored value of `ringEnds`; the stored array is empty while `isOneRing` is true.
  private var severalEnds: ContiguousArray<Int> = []
  private var isOneRing = false
  /// For each part, the index in `ringEnds` at which it ends.
  public private(set) var partEnds: ContiguousArray<Int> = []

  public init() {}

  /// The parts of a polygon; each part is an outer ring with its holes.
  public init(parts: [[[(latitude: Double, longitude: Double)]]]) {
    reserve(vertices: parts.reduce(0) { $1.reduce($0) { $0 + $1.count } })
    for part in parts {
      beginPart()
      for ring in part { append(ring: ring) }
    }
  }

  /// The lines of a corridor.
  public init(lines: [[(latitude: Double, longitude: Double)]]) {
    self.init(parts: lines.isEmpty ? [] : [lines])
  }

  /// Starts a part without rings.
  public mutating func beginPart() {
    separate()
    partEnds.append(severalEnds.count)
  }

  /// Starts a ring or line without vertices in the last part; if there is no part, starts the first part too.
  public mutating func beginRing() {
    separate()
    if partEnds.isEmpty { beginPart() }
    severalEnds.append(vertices.count)
    partEnds[partEnds.count - 1] = severalEnds.count
  }

  /// Adds a vertex to the last ring; if there is no ring yet, first starts one.
  public mutating func append(latitude: Double, longitude: Double) {
    separate()
    if severalEnds.isEmpty || partEnds[partEnds.count - 1] == startOfLastPart { beginRing() }
    vertices.append(Vertex(latitude: latitude, longitude: longitude))
    severalEnds[severalEnds.count - 1] = vertices.count
  }

  /// The value of `partEnds` for one part with one ring; most shapes share this array.
  private static let onePart: ContiguousArray<Int> = [1]

  /// Releases spare memory, after the last vertex has been added.
  mutating func compact() {
    if partEnds == ShapeVertices.onePart { partEnds = ShapeVertices.onePart }
    if severalEnds.count == 1 { (isOneRing, severalEnds) = (true, []) }
  }

  /// Stores the end of the only ring in `severalEnds` again, so that rings can be added after `compact()`.
  private mutating func separate() {
    if isOneRing { (isOneRing, severalEnds) = (false, [vertices.count]) }
  }

  public static func == (a: ShapeVertices, b: ShapeVertices) -> Bool {
    a.vertices == b.vertices && a.ringEnds == b.ringEnds && a.partEnds == b.partEnds
  }

  public mutating func reserve(vertices count: Int) { vertices.reserveCapacity(count) }

  /// The numbers of the rings in a part.
  public func rings(ofPart part: Int) -> Range<Int> {
    (part == 0 ? 0 : partEnds[part - 1])..<partEnds[part]
  }

  /// The vertices of a ring or line, which is given by its number among all rings or lines.
  public func vertices(ofRing ring: Int) -> ContiguousArray<Vertex>.SubSequence {
    isOneRing ? vertices[...] : vertices[(ring == 0 ? 0 : severalEnds[ring - 1])..<severalEnds[ring]]
  }

  /// The parts of a shape as nested lists: parts contain rings, and rings contain positions.
  public var parts: [[[(latitude: Double, longitude: Double)]]] {
    partEnds.indices.map { part in
      rings(ofPart: part).map { ring in vertices(ofRing: ring).map { ($0.latitude, $0.longitude) } }
    }
  }

  private var startOfLastPart: Int { partEnds.count < 2 ? 0 : partEnds[partEnds.count - 2] }

  private mutating func append(ring: [(latitude: Double, longitude: Double)]) {
    beginRing()
    for vertex in ring { append(latitude: vertex.latitude, longitude: vertex.longitude) }
  }
}
