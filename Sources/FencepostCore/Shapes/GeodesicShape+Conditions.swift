package import FencepostKernel

// Between the kernel's shapes and the conditions that callers see.

extension GeodesicShape {
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` with the kernel's reason and place.
  static func validated(_ definition: ShapeDefinition, depth: Double? = nil) throws(MonitorError) -> GeodesicShape {
    do throws(ShapeDefect) {
      return try GeodesicShape.reading(definition, depth: depth)
    } catch {
      throw .invalidArgument(error.message)
    }
  }

  /// Whether a coordinate lies in a shape, the line included; `false` when the coordinate or the definition is not valid.
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
