import CFencepost
import FencepostCore

/// Reads and checks the rows of a bulk call before the conditions are locked. All bulk calls use this type.
struct ConditionRows {
  private let handle: ConditionsHandle
  private let identifiers: UnsafePointer<UnsafePointer<CChar>?>?
  private let tags: UnsafePointer<UInt64>?
  private let count: Int
  private let options: AddOptions

  init(
    _ handle: ConditionsHandle, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ tags: UnsafePointer<UInt64>?,
    _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?
  ) throws(BoundaryError) {
    self.handle = handle
    self.identifiers = try Boundary.require(identifiers, count: count, "identifiers")
    self.tags = tags
    self.count = count
    self.options = try AddOptions(options, assuming: handle.assuming)
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
            tag: tags?[row] ?? options.tag, known: handle.known)
        }
      } catch {
        throw error.inRow(row)
      }
    }
    return set
  }

  func add(_ given: (Int) throws(BoundaryError) -> GivenCondition) throws(BoundaryError) {
    _ = try handle.add(try set(given))
  }

  func ensure(
    _ given: (Int) throws(BoundaryError) -> GivenCondition, _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    out_result?.pointee = fencepost_sync_result(try handle.ensure(try set(given)))
  }
}

/// The circles that a bulk call receives as columns with one element for each circle.
struct CircleColumn {
  private let latitudes: UnsafePointer<Double>?
  private let longitudes: UnsafePointer<Double>?
  private let radii: UnsafePointer<Double>?

  init(
    _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii: UnsafePointer<Double>?,
    _ count: Int
  ) throws(BoundaryError) {
    self.latitudes = try Boundary.require(latitudes, count: count, "latitudes")
    self.longitudes = try Boundary.require(longitudes, count: count, "longitudes")
    self.radii = try Boundary.require(radii, count: count, "radii_m")
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    .circle(circle(latitudes?[row] ?? .nan, longitudes?[row] ?? .nan, radii?[row] ?? .nan))
  }
}

/// The beacon identities that a bulk call receives as columns with one element for each identity.
struct BeaconColumn {
  private let uuids: UnsafePointer<UInt8>?
  private let majors: UnsafePointer<Int32>?
  private let minors: UnsafePointer<Int32>?

  /// - Parameters:
  ///   - majors: If NULL, every row matches any major number.
  ///   - minors: If NULL, every row matches any minor number.
  init(
    _ uuids: UnsafePointer<UInt8>?, _ majors: UnsafePointer<Int32>?, _ minors: UnsafePointer<Int32>?, _ count: Int
  ) throws(BoundaryError) {
    _ = try Boundary.require(
      uuids.map { UnsafeRawPointer($0).assumingMemoryBound(to: BeaconUUID.self) }, count: count, "uuids")
    self.uuids = uuids
    self.majors = majors
    self.minors = minors
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    .beacon(
      try BeaconIdentityCondition(
        uuid: Boundary.require(uuids, "uuids") + row * 16, major: majors?[row] ?? -1, minor: minors?[row] ?? -1))
  }
}

/// The polygons that a bulk call receives as geometry columns.
struct PolygonColumn {
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
    try shape.polygon(geometry.polygon(ofParts: conditions[row]))
  }
}

/// The corridors that a bulk call receives as geometry columns and a column of radii.
struct CorridorColumn {
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

/// The lines that a bulk call receives as geometry columns.
struct LineColumn {
  private let geometry: GeometryColumns
  private let conditions: Offsets
  private let shape: ShapeOptions

  init(
    _ geometry: UnsafePointer<fencepost_geometry>?, _ offsets: UnsafePointer<Int32>?, _ count: Int,
    _ shape: UnsafePointer<fencepost_shape_options>?
  ) throws(BoundaryError) {
    self.geometry = try GeometryColumns(geometry)
    conditions = try self.geometry.conditions(offsets, count: count, ofLines: true)
    self.shape = try ShapeOptions(shape)
  }

  func given(_ row: Int) throws(BoundaryError) -> GivenCondition {
    try shape.line(geometry.lines(conditions[row]))
  }
}

/// The geometries that a bulk call receives as a column of well-known binary.
struct WellKnownBinaryColumn {
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
