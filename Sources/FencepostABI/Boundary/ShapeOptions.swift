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

  init(_ options: UnsafePointer<fencepost_shape_options>?) throws(BoundaryError) {
    guard let options else { return }
    let defaults = fencepost_shape_options(struct_size: 0, edges: 0, oriented: 0, max_vertices: 0, buffer_m: 0)
    let value = try SizedStruct.read(options, defaults: defaults, "shape")
    switch Int(value.edges) {
    case FENCEPOST_EDGES_GEODESIC: edges = .geodesic
    case FENCEPOST_EDGES_PLANAR: edges = .planar
    default: throw .invalidArgument("edges is \(value.edges); must be 0 (geodesic) or 1 (planar)")
    }
    guard value.oriented <= 1 else { throw .invalidArgument("oriented is \(value.oriented); must be 0 or 1") }
    maxVertices = Int(clamping: value.max_vertices)
    guard maxVertices <= ShapeVertices.most else {
      throw .invalidArgument("max_vertices is \(value.max_vertices); must be from 0 to \(ShapeVertices.most)")
    }
    isOriented = value.oriented == 1
    buffer = value.buffer_m
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

  /// The geometry of a line condition, which counts crossings.
  func line(wellKnownBinary bytes: UnsafeRawBufferPointer) throws(BoundaryError) -> GivenCondition {
    let geometry = try Self.decoded(bytes)
    guard !geometry.isPolygon else { throw .invalidArgument("kind is 5 (line), but wkb holds polygons") }
    return try line(geometry.vertices)
  }

  private static func decoded(_ bytes: UnsafeRawBufferPointer) throws(BoundaryError) -> WellKnownBinary.Geometry {
    do throws(WellKnownBinary.Defect) {
      return try WellKnownBinary.decode(bytes)
    } catch {
      throw .invalidArgument(error.message)
    }
  }

  /// - Parameter radius: The radius of the lines, in metres; `nil` if the caller passed no radius.
  func wellKnownBinary(_ bytes: UnsafeRawBufferPointer, radius: Double?) throws(BoundaryError) -> GivenCondition {
    let geometry = try Self.decoded(bytes)
    if geometry.isPolygon { return try polygon(geometry.vertices) }
    guard let radius else {
      throw .invalidArgument("radius: the geometry is a line and needs a radius, but no radii were passed")
    }
    return try corridor(geometry.vertices, radius: radius)
  }
}

extension fencepost_edges {
  init(_ edges: EdgeReading) {
    self = Int32(edges == .planar ? FENCEPOST_EDGES_PLANAR : FENCEPOST_EDGES_GEODESIC)
  }
}
