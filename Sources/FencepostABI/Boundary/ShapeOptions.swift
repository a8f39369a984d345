import CFencepost
import FencepostCore
import FencepostKernel

/// The caller's options for reading the vertices of a polygon or corridor.
struct ShapeOptions {
  private var edges = EdgeReading.geodesic
  private var isOriented = false
  private var buffer = 0.0
  /// The maximum number of vertices of a shape; 0 means that only the engine's limit applies.
  private var maxVertices = 0
  /// `FENCEPOST_CONDITION_…`: a kind that has vertices, or FROM_WKB.
  private var kind = fencepost_condition_kind(FENCEPOST_CONDITION_FROM_WKB)

  init(_ definition: fencepost_condition_definition) throws(BoundaryError) {
    kind = definition.kind
    try set(
      edges: definition.edges, oriented: definition.oriented, maxVertices: definition.max_vertices,
      buffer: definition.buffer_m)
  }

  private mutating func set(
    edges: fencepost_edges, oriented: UInt32, maxVertices: UInt32, buffer: Double
  ) throws(BoundaryError) {
    switch Int(edges) {
    case FENCEPOST_EDGES_GEODESIC: self.edges = .geodesic
    case FENCEPOST_EDGES_PLANAR: self.edges = .planar
    default: throw .invalidArgument("edges is \(edges); must be 0 (geodesic) or 1 (planar)")
    }
    guard oriented <= 1 else { throw .invalidArgument("oriented is \(oriented); must be 0 or 1") }
    self.maxVertices = Int(clamping: maxVertices)
    guard self.maxVertices <= ShapeVertices.most else {
      throw .invalidArgument("max_vertices is \(maxVertices); must be from 0 to \(ShapeVertices.most)")
    }
    isOriented = oriented == 1
    self.buffer = buffer
  }

  /// Returns the definition of a shape whose kind is that of the options.
  ///
  /// - Parameter pieces: The parts of a polygon, or the lines of a corridor or line.
  func shape(
    _ geometry: GeometryColumns, _ pieces: Range<Int>, radius: Double
  ) throws(BoundaryError) -> GivenCondition {
    switch Int(kind) {
    case FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC: try polygon(geometry.polygon(ofParts: pieces))
    case FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC: try corridor(geometry.lines(pieces), radius: radius)
    case FENCEPOST_CONDITION_LINE_GEOGRAPHIC: try line(geometry.lines(pieces))
    default:
      throw .invalidArgument(
        "kind is \(kind), but geometry is set; must be 3 (polygonal geographic), 4 (corridor geographic) or 5 (line "
          + "geographic)")
    }
  }

  /// Returns the definition of a shape whose kind is that of the options, or that of the bytes if the kind is FROM_WKB.
  func shape(wellKnownBinary bytes: UnsafeRawBufferPointer, radius: Double) throws(BoundaryError) -> GivenCondition {
    let geometry = try Self.decoded(bytes)
    switch (Int(kind), geometry.isPolygon) {
    case (FENCEPOST_CONDITION_FROM_WKB, true), (FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, true):
      return try polygon(geometry.vertices)
    case (FENCEPOST_CONDITION_FROM_WKB, false), (FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, false):
      return try corridor(geometry.vertices, radius: radius)
    case (FENCEPOST_CONDITION_LINE_GEOGRAPHIC, false): return try line(geometry.vertices)
    default: throw .invalidArgument("kind is \(kind), but wkb holds \(geometry.isPolygon ? "polygons" : "lines")")
    }
  }

  func polygon(_ vertices: ShapeVertices) throws(BoundaryError) -> GivenCondition {
    try given(.polygon(buffer: buffer, isOriented: isOriented), vertices)
  }

  func corridor(_ vertices: ShapeVertices, radius: Double) throws(BoundaryError) -> GivenCondition {
    guard !isOriented, buffer == 0 else {
      throw .invalidArgument("oriented and buffer_m apply only to polygons; a corridor has its radius")
    }
    return try given(.corridor(radius: radius), vertices)
  }

  func line(_ vertices: ShapeVertices) throws(BoundaryError) -> GivenCondition {
    guard !isOriented, buffer == 0 else { throw .invalidArgument("oriented and buffer_m apply only to polygons") }
    return try given(.line, vertices)
  }

  /// Returns the definition of a shape. The vertices have been counted, but they have not been checked yet.
  private func given(
    _ kind: ShapeDefinition.Kind, _ vertices: ShapeVertices
  ) throws(BoundaryError) -> GivenCondition {
    let definition = ShapeDefinition(kind, vertices, edges: edges)
    guard maxVertices > 0 else { return .shape(definition) }
    let count = definition.cutVertexCount
    guard count <= maxVertices else {
      let which = edges == .planar ? ", including the vertices added to planar edges" : ""
      throw .invalidArgument(
        "too_many_vertices: \(count) vertices\(which); max_vertices is \(maxVertices): raise it, or simplify the shape")
    }
    return .shape(definition)
  }

  private static func decoded(_ bytes: UnsafeRawBufferPointer) throws(BoundaryError) -> WellKnownBinary.Geometry {
    do throws(WellKnownBinary.Defect) {
      return try WellKnownBinary.decode(bytes)
    } catch {
      throw .invalidArgument(error.message)
    }
  }
}

extension fencepost_edges {
  init(_ edges: EdgeReading) {
    self = Int32(edges == .planar ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC)
  }
}
