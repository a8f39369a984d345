import CFencepost
import FencepostCore
import FencepostKernel

/// An array of definitions; the `struct_size` of the first element is the distance between elements.
struct DefinitionRows {
  private let start: UnsafeRawPointer?
  private var stride = MemoryLayout<fencepost_condition_definition>.stride
  private let assuming: Event.State

  /// - Parameter assuming: The assumed state of definitions that leave it to the table.
  init(
    _ start: UnsafePointer<fencepost_condition_definition>?, count: Int, assuming: Event.State
  ) throws(BoundaryError) {
    self.start = UnsafeRawPointer(start)
    self.assuming = assuming
    guard count > 0, let start else { return }
    stride = try SizedStruct.size(of: start, "definitions[0]")
    guard count <= Int.max / stride else {
      throw .count(of: "definitions", count, most: Int.max / stride)
    }
  }

  func row(_ row: Int) throws(BoundaryError) -> GivenRow {
    guard let start else { throw .nullArgument("definitions") }
    let element = (start + row * stride).assumingMemoryBound(to: fencepost_condition_definition.self)
    guard try SizedStruct.size(of: element, "the definition") == stride else {
      throw .invalidArgument("struct_size of the definition must be \(stride), as in the first definition")
    }
    let value = try SizedStruct.read(element, defaults: .defaults, "the definition")
    guard let identifier = value.identifier else { throw .identifierIsNull }
    let options = try AddOptions(value, assuming: assuming)
    return GivenRow(identifier: Boundary.identifier(identifier), given: try value.given(), options: options)
  }
}

extension fencepost_condition_definition {
  /// The values of `FENCEPOST_CONDITION_DEFINITION_INIT`.
  static var defaults: fencepost_condition_definition {
    fencepost_condition_definition(
      struct_size: 0, kind: Int32(FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC), identifier: nil, tag: 0,
      assuming: Int32(FENCEPOST_STATE_DEFAULT), edges: Int32(FENCEPOST_EDGES_GEODESIC), oriented: 0, major: -1,
      minor: -1, max_vertices: 0, policy: nil, latitude: 0, longitude: 0, radius_m: 0, buffer_m: 0,
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), geometry: nil, wkb: nil, wkb_size: 0, timing: nil,
      altitude_min_m: 0, altitude_max_m: 0, altitude_min_reference: 0, altitude_max_reference: 0, parts: nil,
      part_count: 0, rule_form: UInt32(FENCEPOST_RULE_AT_LEAST), at_least: 0)
  }

  /// The place or shape that the members describe.
  func given() throws(BoundaryError) -> GivenCondition {
    switch Int(kind) {
    case FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC:
      return .circle(circle(latitude, longitude, radius_m))
    case FENCEPOST_CONDITION_BEACON_IDENTITY:
      return .beacon(
        try BeaconIdentityCondition(
          uuid: withUnsafeBytes(of: uuid) { BeaconUUID(bytes: $0.baseAddress!) }, major: major, minor: minor))
    case FENCEPOST_CONDITION_FROM_WKB, FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC,
      FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC, FENCEPOST_CONDITION_LINE_GEOGRAPHIC:
      let options = try ShapeOptions(self)
      guard geometry == nil || wkb_size == 0 else {
        throw .invalidArgument("geometry and wkb are both set; set only one of them")
      }
      guard geometry != nil || wkb != nil || wkb_size > 0 else {
        throw .invalidArgument("geometry and wkb are both NULL; set one of them")
      }
      if let geometry {
        let columns = try GeometryColumns(geometry)
        return try options.shape(columns, columns.all(ofKind: kind), radius: radius_m)
      }
      let start = try Boundary.require(wkb, count: wkb_size, "wkb")
      return try options.shape(wellKnownBinary: UnsafeRawBufferPointer(start: start, count: wkb_size), radius: radius_m)
    case FENCEPOST_CONDITION_RULE: return .rule(try rule())
    default:
      throw .invalidArgument(
        "kind is \(kind); must be 0 (from wkb), 1 (circular geographic), 2 (beacon identity), 3 (polygonal geographic), "
          + "4 (corridor geographic), 5 (line geographic) or 6 (rule)")
    }
  }

  @_optimize(size)
  private func rule() throws(BoundaryError) -> RuleDefinition {
    guard let form = UInt8(exactly: rule_form).flatMap(RuleDefinition.Form.init(rawValue:)) else {
      throw .invalidArgument("rule_form is \(rule_form); must be 0 (at least), 1 (all), 2 (any) or 3 (none)")
    }
    // Too many parts are refused by their number, before any is read. SIZE_MAX is negative as an Int.
    let count = Int(part_count)
    guard 0...RuleDefinition.mostParts ~= count else { throw .invalidArgument(RuleDefinition.tooMany(count)) }
    var rule = RuleDefinition(form, atLeast: Int64(at_least))
    let start = try Boundary.require(parts, count: count, "parts")
    for index in 0..<count {
      guard let text = start?[index] else { throw .invalidArgument("identifier: part \(index) is NULL") }
      rule.append(Boundary.identifier(text))
    }
    return rule
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
