public import CFencepost
import FencepostCore
import FencepostKernel

@_cdecl("fencepost_monitor_condition_geometry") @implementation
public func fencepost_monitor_condition_geometry(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_wkb: UnsafeMutableRawPointer?,
  _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).geometry(
      identifier, out_wkb, capacity, out_size, other: "fencepost_monitor_condition")
  }
}

@_cdecl("fencepost_monitor_condition_shape") @implementation
public func fencepost_monitor_condition_shape(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ out_shape: UnsafeMutablePointer<fencepost_shape>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).shape(identifier, out_shape)
  }
}

extension fencepost_shape {
  init(_ subject: Definition.Subject) {
    self.init(
      struct_size: 0, kind: subject.kind.number, edges: 0, oriented: 0, buffer_m: .nan, radius_m: .nan, depth_m: .nan,
      vertex_count: 0, departure_m: .nan, departure_part: 0, departure_ring: 0, departure_edge: 0, left_out_rings: 0)
    switch subject {
    case .beacon: break
    case .circle(let circle): (radius_m, depth_m) = (circle.radius, circle.radius)
    case .polygon(let shape), .corridor(let shape), .line(let shape):
      let definition = shape.definition
      switch definition.kind {
      case .polygon(let buffer, let isOriented): (buffer_m, oriented) = (buffer, isOriented ? 1 : 0)
      case .corridor(let radius): radius_m = radius
      case .line: break
      }
      edges = fencepost_edges(definition.edges)
      depth_m = shape.depth
      vertex_count = UInt64(shape.vertexCount)
      left_out_rings = UInt32(clamping: shape.leftOutRings)
      guard let departure = definition.planarDeparture else { return }
      departure_m = departure.metres
      departure_part = UInt32(clamping: departure.place.part)
      departure_ring = UInt32(clamping: departure.place.ring)
      departure_edge = UInt32(clamping: departure.place.edge)
    }
  }
}

@_cdecl("fencepost_monitor_nearest_boundary_point") @implementation
public func fencepost_monitor_nearest_boundary_point(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ out_latitude: UnsafeMutablePointer<Double>?, _ out_longitude: UnsafeMutablePointer<Double>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(of: monitor).nearestBoundaryPoint(
      identifier, latitude, longitude, out_latitude, out_longitude)
  }
}

@_cdecl("fencepost_polygon_contains") @implementation
public func fencepost_polygon_contains(
  _ geometry: UnsafePointer<fencepost_geometry>?, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ latitude: Double, _ longitude: Double, _ out_contains: UnsafeMutablePointer<UInt32>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let out = try Boundary.require(out_contains, "out_contains")
    _ = try Boundary.coordinate(latitude, longitude)
    let polygon = try examined(ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()))
    out.pointee = polygon.boundaryDistance(of: SurfacePoint(latitude: latitude, longitude: longitude)) <= 0 ? 1 : 0
  }
}

@_cdecl("fencepost_polygon_distance") @implementation
public func fencepost_polygon_distance(
  _ geometry: UnsafePointer<fencepost_geometry>?, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ count: Int,
  _ out_distances_m: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let polygon = try examined(ShapeOptions(shape).polygon(GeometryColumns(geometry).polygon()))
    try distances(of: polygon, latitudes, longitudes, count, out_distances_m)
  }
}

@_cdecl("fencepost_corridor_distance") @implementation
public func fencepost_corridor_distance(
  _ geometry: UnsafePointer<fencepost_geometry>?, _ radius_m: Double, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ count: Int,
  _ out_distances_m: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let given = try ShapeOptions(shape).corridor(GeometryColumns(geometry).lines(), radius: radius_m)
    try distances(of: examined(given), latitudes, longitudes, count, out_distances_m)
  }
}

private func examined(_ given: GivenCondition) throws(BoundaryError) -> GeodesicShape {
  switch try refusedByEngine({ () throws(MonitorError) in try given.subject() }) {
  case .polygon(let shape), .corridor(let shape), .line(let shape): return shape
  case .circle, .beacon: throw .invalidArgument("the condition has no vertices")
  }
}

private func distances(
  of shape: GeodesicShape, _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ count: Int,
  _ out_distances_m: UnsafeMutablePointer<Double>?
) throws(BoundaryError) {
  guard let latitudes = try Boundary.require(latitudes, count: count, "latitudes"),
    let longitudes = try Boundary.require(longitudes, count: count, "longitudes"),
    let out = try Boundary.require(out_distances_m, count: count, "out_distances_m")
  else { return }
  for row in 0..<count {
    do throws(BoundaryError) {
      _ = try Boundary.coordinate(latitudes[row], longitudes[row])
    } catch {
      throw error.inRow(row)
    }
  }
  for row in 0..<count {
    out[row] = shape.boundaryDistance(of: SurfacePoint(latitude: latitudes[row], longitude: longitudes[row]))
  }
}
