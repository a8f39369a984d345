package import FencepostKernel

// Conversions between the kernel's shapes and the public conditions.

extension GeodesicShape {
  /// Examines a definition and builds its shape.
  ///
  /// - Parameter depth: The shape's depth if it is known, for example from a saved row; otherwise it is computed.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` with the kernel's reason.
  static func validated(_ definition: ShapeDefinition, depth: Double? = nil) throws(MonitorError) -> GeodesicShape {
    do throws(ShapeDefect) {
      return try GeodesicShape.reading(definition, depth: depth)
    } catch {
      throw .invalidArgument(error.message)
    }
  }

  /// Whether a coordinate lies in a shape or on its line; `false` if the coordinate or the definition is invalid.
  static func contains(_ coordinate: Coordinate, in definition: ShapeDefinition) -> Bool {
    guard coordinate.isValid, let shape = try? GeodesicShape.validated(definition) else { return false }
    return shape.contains(SurfacePoint(coordinate))
  }
}

extension EdgeReading {
  init(_ edges: EdgeInterpretation) {
    switch edges {
    case .geodesic: self = .geodesic
    case .planar: self = .planar
    }
  }
}

extension EdgeInterpretation {
  package init(_ reading: EdgeReading) {
    switch reading {
    case .geodesic: self = .geodesic
    case .planar: self = .planar
    }
  }
}

extension ShapeVertices {
  mutating func append(ring: [Coordinate]) {
    beginRing()
    for vertex in ring { append(latitude: vertex.latitude, longitude: vertex.longitude) }
  }
}

extension SurfacePoint {
  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}

extension Coordinate {
  init(_ point: SurfacePoint) {
    self.init(latitude: point.latitude, longitude: point.longitude)
  }
}
