import CFencepost
import FencepostCore

/// One condition that a caller passes, as a definition or as a row of columns.
struct GivenRow {
  var identifier: UnsafeBufferPointer<UInt8>
  var given: GivenCondition
  var options: AddOptions
}

/// The rows of a call that puts conditions from columns: reads and checks the rows before the conditions are locked.
struct ConditionColumns {
  private let handle: ConditionsHandle
  private let ensures: Bool
  let common: fencepost_condition_definition
  private let identifiers: UnsafePointer<UnsafePointer<CChar>?>?
  private let tags: UnsafePointer<UInt64>?
  private let count: Int
  private let options: AddOptions

  /// - Parameter defaults: The common definition if the caller passes NULL; `nil` if it is required.
  init(
    _ conditions: OpaquePointer?, _ mode: fencepost_put_mode, _ common: UnsafePointer<fencepost_condition_definition>?,
    defaults: fencepost_condition_definition? = .defaults, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
    _ tags: UnsafePointer<UInt64>?, _ count: Int
  ) throws(BoundaryError) {
    handle = try ConditionsHandle.borrow(conditions)
    guard (FENCEPOST_PUT_ADD...FENCEPOST_PUT_ENSURE).contains(Int(mode)) else {
      throw .invalidArgument("mode is \(mode); must be 0 (add) or 1 (ensure)")
    }
    ensures = Int(mode) == FENCEPOST_PUT_ENSURE
    if let common {
      self.common = try SizedStruct.read(common, defaults: .defaults, "common")
    } else {
      self.common = try Boundary.require(defaults, "common")
    }
    self.identifiers = try Boundary.require(identifiers, count: count, "identifiers")
    self.tags = tags
    self.count = count
    options = try AddOptions(self.common, assuming: handle.assuming)
  }

  private func row(
    _ row: Int, _ given: (Int) throws(BoundaryError) -> GivenCondition
  ) throws(BoundaryError) -> GivenRow {
    let identifier = try Boundary.identifier(identifiers?[row], row: row)
    var options = options
    if let tags { options.tag = tags[row] }
    return GivenRow(identifier: identifier, given: try given(row), options: options)
  }

  private func put(
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ given: (Int) throws(BoundaryError) -> GivenCondition
  ) throws(BoundaryError) {
    let set = try handle.set(count) { index throws(BoundaryError) in try row(index, given) }
    let result = try ensures ? handle.ensure(set) : handle.add(set)
    out_result?.pointee = fencepost_sync_result(result)
  }

  func putCircles(
    _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii: UnsafePointer<Double>?,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    let latitudes = try Boundary.require(latitudes, count: count, "latitudes")
    let longitudes = try Boundary.require(longitudes, count: count, "longitudes")
    guard !ensures, options.timing == .none, options.band == .none, let identifiers, let latitudes, let longitudes,
      let radii, count > 0
    else {
      return try put(out_result) { row in
        .circle(circle(latitudes?[row] ?? .nan, longitudes?[row] ?? .nan, radii?[row] ?? common.radius_m))
      }
    }
    // Circles are added without a copy of all rows, which would need 200 MB for a million of them.
    for row in 0..<count { _ = try Boundary.identifier(identifiers[row], row: row) }
    func add(_ holder: inout some ConditionHolder) throws(MonitorError) -> SyncResult {
      let before = holder.table.count
      try holder.addCircles(
        count: count, latitudes: latitudes, longitudes: longitudes, radii: radii, tags: tags, tag: options.tag,
        assuming: options.assuming, policy: options.policy
      ) { row in
        identifiers[row].map(Boundary.identifier) ?? UnsafeBufferPointer(start: nil, count: 0)
      }
      return SyncResult(ofAdding: count, newly: holder.table.count - before)
    }
    let result = try handle.change(add, add)
    out_result?.pointee = fencepost_sync_result(result)
  }

  /// - Parameters:
  ///   - majors: If NULL, every row has the common major number.
  ///   - minors: If NULL, every row has the common minor number.
  func putBeacons(
    _ uuids: UnsafePointer<UInt8>?, _ majors: UnsafePointer<Int32>?, _ minors: UnsafePointer<Int32>?,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    _ = try Boundary.require(
      uuids.map { UnsafeRawPointer($0).assumingMemoryBound(to: BeaconUUID.self) }, count: count, "uuids")
    try put(out_result) { row throws(BoundaryError) in
      .beacon(
        try BeaconIdentityCondition(
          uuid: Boundary.require(uuids, "uuids") + row * 16, major: majors?[row] ?? common.major,
          minor: minors?[row] ?? common.minor))
    }
  }

  func putGeometries(
    _ geometry: UnsafePointer<fencepost_geometry>?, _ offsets: UnsafePointer<Int32>?, _ radii: UnsafePointer<Double>?,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    let geometry = try GeometryColumns(geometry)
    let options = try ShapeOptions(common)
    let pieces = try geometry.conditions(
      offsets, count: count, ofLines: Int(common.kind) != FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC)
    try put(out_result) { row throws(BoundaryError) in
      try options.shape(geometry, pieces[row], radius: radii?[row] ?? common.radius_m)
    }
  }

  func putWellKnownBinary(
    _ wkbs: UnsafePointer<UnsafeRawPointer?>?, _ sizes: UnsafePointer<Int>?, _ radii: UnsafePointer<Double>?,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    let wkbs = try Boundary.require(wkbs, count: count, "wkbs")
    let sizes = try Boundary.require(sizes, count: count, "sizes")
    let options = try ShapeOptions(common)
    try put(out_result) { row throws(BoundaryError) in
      let size = sizes?[row] ?? 0
      let start = try Boundary.require(wkbs?[row], count: size, "wkbs")
      return try options.shape(
        wellKnownBinary: UnsafeRawBufferPointer(start: start, count: size), radius: radii?[row] ?? common.radius_m)
    }
  }
}

extension SyncResult {
  /// The result of an add; `added` is the number of conditions with new identifiers.
  init(ofAdding count: Int, newly added: Int) {
    self.init()
    (self.added, replaced) = (added, count - added)
  }
}
