public import CFencepost
import Fencepost
import FencepostKernel

/// Implements `fencepost_monitor_ensure_circular_conditions`; see the header.
@_cdecl("fencepost_monitor_ensure_circular_conditions") @implementation
public func fencepost_monitor_ensure_circular_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?,
  _ latitudes: UnsafePointer<Double>?, _ longitudes: UnsafePointer<Double>?, _ radii_m: UnsafePointer<Double>?,
  _ tags: UnsafePointer<UInt64>?, _ count: Int, _ options: UnsafePointer<fencepost_condition_options>?,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let options = try AddOptions(options)
    let identifiers = try Boundary.require(identifiers, count: count, "identifiers")
    let latitudes = try Boundary.require(latitudes, count: count, "latitudes")
    let longitudes = try Boundary.require(longitudes, count: count, "longitudes")
    let radii = try Boundary.require(radii_m, count: count, "radii_m")
    var result = SyncResult()
    if let identifiers, let latitudes, let longitudes, let radii, count > 0 {
      var set = ConditionSet()
      set.reserve(count)
      for row in 0..<count {
        let identifier = try Boundary.identifier(identifiers[row], row: row)
        try refusedByEngine { () throws(MonitorError) in
          try set.append(
            circle(latitudes[row], longitudes[row], radii[row]), identifier: identifier, assuming: options.assuming,
            policy: options.policy, tag: tags?[row] ?? options.tag)
        }
      }
      result = try handle.call { engine in engine.ensure(set) }
    }
    out_result?.pointee = fencepost_sync_result(result)
  }
}

/// Implements `fencepost_monitor_sync_conditions`; see the header.
@_cdecl("fencepost_monitor_sync_conditions") @implementation
public func fencepost_monitor_sync_conditions(
  _ monitor: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let first = try Boundary.require(definitions, count: count, "definitions")
    let set = try ConditionSet(DefinitionRows(first, count: count))
    let result = try handle.call { engine throws(MonitorError) in try engine.sync(set) }
    out_result?.pointee = fencepost_sync_result(result)
  }
}

/// Implements `fencepost_monitor_remove_conditions`; see the header.
@_cdecl("fencepost_monitor_remove_conditions") @implementation
public func fencepost_monitor_remove_conditions(
  _ monitor: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ out_removed: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    var removed = 0
    if let identifiers = try Boundary.require(identifiers, count: count, "identifiers"), count > 0 {
      var texts: ContiguousArray<UnsafeBufferPointer<UInt8>> = []
      for row in 0..<count { texts.append(try Boundary.identifier(identifiers[row], row: row)) }
      removed = try handle.call { engine throws(MonitorError) in try engine.remove(identifiersAsBytes: texts) }
    }
    out_removed?.pointee = removed
  }
}

/// An array of definitions, whose elements are as far apart as the first one says.
private struct DefinitionRows {
  private let start: UnsafeRawPointer?
  private var stride = MemoryLayout<fencepost_condition_definition>.stride
  let count: Int

  init(_ start: UnsafePointer<fencepost_condition_definition>?, count: Int) throws(BoundaryError) {
    self.start = UnsafeRawPointer(start)
    self.count = count
    guard count > 0, let start else { return }
    stride = try SizedStruct.size(of: start, "definitions[0]")
    guard count <= Int.max / stride else {
      throw .count(of: "definitions", count, most: Int.max / stride)
    }
  }

  func read(_ row: Int, into set: inout ConditionSet) throws(BoundaryError) {
    guard let start else { throw .nullArgument("definitions") }
    let element = (start + row * stride).assumingMemoryBound(to: fencepost_condition_definition.self)
    let defaults = fencepost_condition_definition(
      struct_size: 0, kind: 0, identifier: nil, latitude: 0, longitude: 0, radius_m: 0,
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), major: -1, minor: -1, options: nil,
      geometry: nil, wkb: nil, wkb_size: 0, shape: nil)
    guard try SizedStruct.size(of: element, "the definition") == stride else {
      throw .invalidArgument("struct_size of the definition is not that of the first one, \(stride)")
    }
    let value = try SizedStruct.read(element, defaults: defaults, "the definition")
    guard let identifier = value.identifier else { throw .identifierIsNull }
    let options = try AddOptions(value.options)
    let given = try given(value)
    try refusedByEngine { () throws(MonitorError) in
      try set.append(
        given, identifier: Boundary.identifier(identifier), assuming: options.assuming, policy: options.policy,
        tag: options.tag)
    }
  }

  private func given(_ value: fencepost_condition_definition) throws(BoundaryError) -> GivenCondition {
    switch Int(value.kind) {
    case FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC:
      return .circle(circle(value.latitude, value.longitude, value.radius_m))
    case FENCEPOST_CONDITION_BEACON_IDENTITY:
      return .beacon(
        try BeaconIdentityCondition(
          uuid: withUnsafeBytes(of: value.uuid) { BeaconUUID(bytes: $0.baseAddress!) }, major: value.major,
          minor: value.minor))
    case FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC, FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC:
      return try shape(value)
    default:
      throw .invalidArgument(
        "kind is \(value.kind); accepted are 1 (circular geographic), 2 (beacon identity), 3 (polygonal geographic) and "
          + "4 (corridor geographic)")
    }
  }

  private func shape(_ value: fencepost_condition_definition) throws(BoundaryError) -> GivenCondition {
    let options = try ShapeOptions(value.shape)
    let isPolygon = Int(value.kind) == FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC
    guard value.geometry == nil || value.wkb_size == 0 else {
      throw .invalidArgument("geometry and wkb are both given; accepted is one of them")
    }
    if let geometry = value.geometry {
      let columns = try GeometryColumns(geometry)
      return try isPolygon
        ? options.polygon(columns.polygon()) : options.corridor(columns.lines(), radius: value.radius_m)
    }
    let start = try Boundary.require(value.wkb, count: value.wkb_size, "wkb")
    let bytes = UnsafeRawBufferPointer(start: start, count: value.wkb_size)
    let given = try options.wellKnownBinary(bytes, radius: value.radius_m)
    guard case .shape(let definition) = given, definition.isPolygon == isPolygon else {
      throw .invalidArgument("kind is \(value.kind), and wkb holds \(isPolygon ? "lines" : "polygons")")
    }
    return given
  }
}

extension ConditionSet {
  fileprivate init(_ rows: DefinitionRows) throws(BoundaryError) {
    self.init()
    reserve(rows.count)
    for row in 0..<rows.count {
      do throws(BoundaryError) { try rows.read(row, into: &self) } catch { throw error.inRow(row) }
    }
  }
}

extension Boundary {
  /// The bytes of the identifier of one row of several.
  static func identifier(
    _ text: UnsafePointer<CChar>?, row: Int
  ) throws(BoundaryError) -> UnsafeBufferPointer<UInt8> {
    guard let text else { throw BoundaryError.identifierIsNull.inRow(row) }
    return identifier(text)
  }
}

extension fencepost_sync_result {
  init(_ result: SyncResult) {
    self.init(
      added: UInt64(result.added), replaced: UInt64(result.replaced), kept: UInt64(result.kept),
      removed: UInt64(result.removed))
  }
}
