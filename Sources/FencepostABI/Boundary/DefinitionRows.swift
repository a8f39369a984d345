import CFencepost
import FencepostCore
import FencepostKernel

/// An array of definitions; the `struct_size` of the first element is the distance between elements.
struct DefinitionRows {
  private let start: UnsafeRawPointer?
  private var stride = MemoryLayout<fencepost_condition_definition>.stride
  let count: Int
  private let assuming: Event.State

  /// - Parameter assuming: The assumed state of definitions that have no options.
  init(
    _ start: UnsafePointer<fencepost_condition_definition>?, count: Int, assuming: Event.State
  ) throws(BoundaryError) {
    self.start = UnsafeRawPointer(start)
    self.count = count
    self.assuming = assuming
    guard count > 0, let start else { return }
    stride = try SizedStruct.size(of: start, "definitions[0]")
    guard count <= Int.max / stride else {
      throw .count(of: "definitions", count, most: Int.max / stride)
    }
  }

  func read(
    _ row: Int, into set: inout ConditionSet, known: (UnsafeBufferPointer<UInt8>) -> Definition.Subject?
  ) throws(BoundaryError) {
    guard let start else { throw .nullArgument("definitions") }
    let element = (start + row * stride).assumingMemoryBound(to: fencepost_condition_definition.self)
    let defaults = fencepost_condition_definition(
      struct_size: 0, kind: 0, identifier: nil, latitude: 0, longitude: 0, radius_m: 0,
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), major: -1, minor: -1, options: nil,
      geometry: nil, wkb: nil, wkb_size: 0, shape: nil)
    guard try SizedStruct.size(of: element, "the definition") == stride else {
      throw .invalidArgument("struct_size of the definition must be \(stride), as in the first definition")
    }
    let value = try SizedStruct.read(element, defaults: defaults, "the definition")
    guard let identifier = value.identifier else { throw .identifierIsNull }
    let options = try AddOptions(value.options, assuming: assuming)
    let given = try given(value)
    try refusedByEngine { () throws(MonitorError) in
      try set.append(
        given, identifier: Boundary.identifier(identifier), assuming: options.assuming, policy: options.policy,
        tag: options.tag, known: known)
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
    case FENCEPOST_CONDITION_LINE_GEOGRAPHIC:
      return try line(value)
    default:
      throw .invalidArgument(
        "kind is \(value.kind); must be 1 (circular geographic), 2 (beacon identity), 3 (polygonal geographic), "
          + "4 (corridor geographic) or 5 (line geographic)")
    }
  }

  private func line(_ value: fencepost_condition_definition) throws(BoundaryError) -> GivenCondition {
    let options = try ShapeOptions(value.shape)
    guard value.geometry == nil || value.wkb_size == 0 else { throw Self.bothAreGiven }
    if let geometry = value.geometry { return try options.line(GeometryColumns(geometry).lines()) }
    let start = try Boundary.require(value.wkb, count: value.wkb_size, "wkb")
    return try options.line(wellKnownBinary: UnsafeRawBufferPointer(start: start, count: value.wkb_size))
  }

  private static var bothAreGiven: BoundaryError {
    .invalidArgument("geometry and wkb are both set; set only one of them")
  }

  private func shape(_ value: fencepost_condition_definition) throws(BoundaryError) -> GivenCondition {
    let options = try ShapeOptions(value.shape)
    let isPolygon = Int(value.kind) == FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC
    guard value.geometry == nil || value.wkb_size == 0 else { throw Self.bothAreGiven }
    if let geometry = value.geometry {
      let columns = try GeometryColumns(geometry)
      return try isPolygon
        ? options.polygon(columns.polygon()) : options.corridor(columns.lines(), radius: value.radius_m)
    }
    let start = try Boundary.require(value.wkb, count: value.wkb_size, "wkb")
    let bytes = UnsafeRawBufferPointer(start: start, count: value.wkb_size)
    let given = try options.wellKnownBinary(bytes, radius: value.radius_m)
    guard case .shape(let definition) = given, definition.isPolygon == isPolygon else {
      throw .invalidArgument("kind is \(value.kind), but wkb holds \(isPolygon ? "lines" : "polygons")")
    }
    return given
  }
}

extension ConditionSet {
  /// - Parameter known: Returns the circle, shape or beacon of the existing condition that has a given identifier. A
  ///   new shape that equals the existing shape is not examined again.
  init(
    _ rows: DefinitionRows, known: (UnsafeBufferPointer<UInt8>) -> Definition.Subject?
  ) throws(BoundaryError) {
    self.init()
    reserve(rows.count)
    for row in 0..<rows.count {
      do throws(BoundaryError) { try rows.read(row, into: &self, known: known) } catch { throw error.inRow(row) }
    }
  }
}

extension Boundary {
  /// The bytes of an identifier; if the identifier is null, the error names the row.
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
