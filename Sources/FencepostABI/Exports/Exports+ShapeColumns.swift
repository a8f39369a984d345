public import CFencepost
import Fencepost

/// What the bulk calls share: the rows of a set, read and examined before the monitor is locked.
private struct ShapeRows {
  private let handle: Handle
  private let identifiers: UnsafePointer<UnsafePointer<CChar>?>?
  private let tags: UnsafePointer<UInt64>?
  private let count: Int
  private let options: AddOptions

  init(
    _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ tags: UnsafePointer<UInt64>?,
    _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?
  ) throws(BoundaryError) {
    handle = try Handle.borrow(monitor)
    self.identifiers = try Boundary.require(identifiers, count: count, "identifiers")
    self.tags = tags
    self.count = count
    self.options = try AddOptions(options)
  }

  private func set(_ given: (Int) throws(BoundaryError) -> GivenCondition) throws(BoundaryError) -> ConditionSet {
    var set = ConditionSet()
    guard let identifiers, count > 0 else { return set }
    set.reserve(count)
    for row in 0..<count {
      do throws(BoundaryError) {
        let identifier = try Boundary.identifier(identifiers[row], row: row)
        let given = try given(row)
        try refusedByEngine { () throws(MonitorError) in
          try set.append(
            given, identifier: identifier, assuming: options.assuming, policy: options.policy,
            tag: tags?[row] ?? options.tag)
        }
      } catch {
        throw error.inRow(row)
      }
    }
    return set
  }

  func add(_ given: (Int) throws(BoundaryError) -> GivenCondition) throws(BoundaryError) {
    let set = try set(given)
    try handle.call { engine in engine.add(set) }
  }

  func ensure(
    _ given: (Int) throws(BoundaryError) -> GivenCondition, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    let set = try set(given)
    let result = try handle.call { engine in engine.ensure(set) }
    out_result?.pointee = fencepost_sync_result(result)
  }
}

/// The polygons of a column, by row.
private struct PolygonColumn {
  private let geometry: GeometryColumns
  private let conditions: Offsets
  private let shape: ShapeOptions

  init(
    _ geometry: UnsafePointer<fencepost_geometry>?, _ offsets: UnsafePointer<Int32>?, _ count: Int,
    _ shape: UnsafePointer<fencepost_shape_options>?
  ) throws(BoundaryError) {
    self.geometry = try GeometryColumns(geometry)
    conditions = try self.geometry.conditions(offsets, count: count, ofLines: false)
    self.shape = try ShapeOptions(shape)
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    shape.polygon(try geometry.polygon(ofParts: conditions[row]))
  }
}

/// The corridors of a column, by row.
private struct CorridorColumn {
  private let geometry: GeometryColumns
  private let conditions: Offsets
  private let radii: UnsafePointer<Double>?
  private let shape: ShapeOptions

  init(
    _ geometry: UnsafePointer<fencepost_geometry>?, _ offsets: UnsafePointer<Int32>?,
    _ radii: UnsafePointer<Double>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?
  ) throws(BoundaryError) {
    self.geometry = try GeometryColumns(geometry)
    conditions = try self.geometry.conditions(offsets, count: count, ofLines: true)
    self.radii = try Boundary.require(radii, count: count, "radii_m")
    self.shape = try ShapeOptions(shape)
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    try shape.corridor(geometry.lines(conditions[row]), radius: radii?[row] ?? .nan)
  }
}

/// The geometries of a column of well-known binary, by row.
private struct WellKnownBinaryColumn {
  private let rows: UnsafePointer<UnsafeRawPointer?>?
  private let sizes: UnsafePointer<Int>?
  private let radii: UnsafePointer<Double>?
  private let shape: ShapeOptions

  init(
    _ rows: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii: UnsafePointer<Double>?,
    _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?
  ) throws(BoundaryError) {
    self.rows = try Boundary.require(rows, count: count, "wkbs")
    self.sizes = try Boundary.require(sizes, count: count, "sizes")
    self.radii = radii
    self.shape = try ShapeOptions(shape)
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    let size = sizes?[row] ?? 0
    let start = try Boundary.require(rows?[row], count: size, "wkbs")
    return try shape.wellKnownBinary(UnsafeRawBufferPointer(start: start, count: size), radius: radii?[row])
  }
}

/// Implements `fencepost_monitor_add_polygon_conditions`; see the header.
@_cdecl("fencepost_monitor_add_polygon_conditions") @implementation
public func fencepost_monitor_add_polygon_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.add(PolygonColumn(geometry, condition_offsets, count, shape).given)
  }
}

/// Implements `fencepost_monitor_add_corridor_conditions`; see the header.
@_cdecl("fencepost_monitor_add_corridor_conditions") @implementation
public func fencepost_monitor_add_corridor_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.add(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given)
  }
}

/// Implements `fencepost_monitor_add_wkb_conditions`; see the header.
@_cdecl("fencepost_monitor_add_wkb_conditions") @implementation
public func fencepost_monitor_add_wkb_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.add(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given)
  }
}

/// Implements `fencepost_monitor_ensure_polygon_conditions`; see the header.
@_cdecl("fencepost_monitor_ensure_polygon_conditions") @implementation
public func fencepost_monitor_ensure_polygon_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.ensure(PolygonColumn(geometry, condition_offsets, count, shape).given, out_result)
  }
}

/// Implements `fencepost_monitor_ensure_corridor_conditions`; see the header.
@_cdecl("fencepost_monitor_ensure_corridor_conditions") @implementation
public func fencepost_monitor_ensure_corridor_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ geometry: UnsafePointer<fencepost_geometry>?, _ condition_offsets: UnsafePointer<Int32>?,
  _ radii_m: UnsafePointer<Double>?, _ tags: UnsafePointer<UInt64>?, _ count: Int,
  _ shape: UnsafePointer<fencepost_shape_options>?, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.ensure(CorridorColumn(geometry, condition_offsets, radii_m, count, shape).given, out_result)
  }
}

/// Implements `fencepost_monitor_ensure_wkb_conditions`; see the header.
@_cdecl("fencepost_monitor_ensure_wkb_conditions") @implementation
public func fencepost_monitor_ensure_wkb_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ shape: UnsafePointer<fencepost_shape_options>?,
  _ options: UnsafePointer<fencepost_condition_options>?, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let rows = try ShapeRows(monitor, identifiers, tags, count, options)
    try rows.ensure(WellKnownBinaryColumn(wkbs, sizes, radii_m, count, shape).given, out_result)
  }
}
