public import CFencepost
import FencepostCore
import FencepostKernel

extension fencepost_shape {
  init(_ subject: Definition.Subject, _ band: AltitudeBand, _ timing: ConditionTiming) {
    self.init(
      struct_size: 0, kind: subject.kind.number, edges: 0, oriented: 0, buffer_m: .nan, radius_m: .nan, depth_m: .nan,
      vertex_count: 0, departure_m: .nan, departure_part: 0, departure_ring: 0, departure_edge: 0, left_out_rings: 0,
      altitude_min_m: band.min, altitude_max_m: band.max,
      altitude_min_reference: band.min == -.infinity ? 0 : UInt32(band.minReference.rawValue),
      altitude_max_reference: band.max == .infinity ? 0 : UInt32(band.maxReference.rawValue), rule_form: 0, at_least: 0,
      active: nil, active_capacity: 0, active_count: 0, active_until_us: timing.schedule?.end ?? .max,
      absent_after_us: timing.absentAfterMicroseconds, repeat_every_us: timing.repeatEveryMicroseconds,
      max_events: UInt64(timing.maxEvents), repeat_limit: timing.repeatLimit,
      has_active: timing.schedule == nil ? 0 : 1)
    switch subject {
    case .beacon: break
    case .rule(let rule):
      rule_form = UInt32(rule.form.rawValue)
      if rule.form == .atLeast { at_least = UInt32(clamping: rule.count) }
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

@_cdecl("fencepost_definition_distance") @implementation
public func fencepost_definition_distance(
  _ definition: UnsafePointer<fencepost_condition_definition>?, _ columns: UnsafePointer<fencepost_point_columns>?,
  _ count: Int, _ out_distances_m: UnsafeMutablePointer<Double>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let value = try SizedStruct.read(
      Boundary.require(definition, "definition"), defaults: .defaults, "the definition")
    let points = try PointColumns(columns, count: count)
    let out = try Boundary.require(out_distances_m, count: count, "out_distances_m")
    guard Int(value.kind) != FENCEPOST_CONDITION_BEACON_IDENTITY, Int(value.kind) != FENCEPOST_CONDITION_RULE else {
      throw .invalidArgument(
        "kind is \(value.kind) (beacon identity or rule), which has no boundary; must be a circle, polygon, corridor or line"
      )
    }
    let given = try value.given()
    try refusedByEngine { () throws(MonitorError) in
      try points.checkRows()
      let subject = try given.subject()
      for row in 0..<count { out?[row] = subject.boundaryDistance(of: try points.point(row)) ?? .nan }
    }
  }
}
