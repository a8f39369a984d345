import CFencepost
import Testing

@testable import FencepostABI
@testable import FencepostCore

/// Tests which shapes `ensure` and `sync` validate, and when they lock the fleets of a table.
@Suite struct ConditionsHandleTests {
  /// Calls a function with a C geometry: a square, or a polygon whose edges cross.
  private static func with(
    crossing: Bool, _ body: (UnsafePointer<fencepost_geometry>) -> fencepost_status
  ) -> fencepost_status {
    let latitudes: [Double] = crossing ? [47, 47.01, 47, 47.01] : [47, 47, 47.01, 47.01]
    let longitudes: [Double] = crossing ? [8, 8.01, 8.01, 8] : [8, 8.01, 8.01, 8]
    return latitudes.withUnsafeBufferPointer { latitudes in
      longitudes.withUnsafeBufferPointer { longitudes in
        var geometry = fencepost_geometry()
        geometry.struct_size = UInt32(MemoryLayout<fencepost_geometry>.size)
        geometry.latitudes = latitudes.baseAddress
        geometry.longitudes = longitudes.baseAddress
        geometry.vertex_count = 4
        return body(&geometry)
      }
    }
  }

  private static func sync(
    _ table: OpaquePointer?, tag: UInt64, _ result: inout fencepost_sync_result
  ) -> fencepost_status {
    with(crossing: false) { geometry in
      "square".withCString { identifier in
        var definition = fencepost_polygon(identifier, geometry)
        definition.tag = tag
        return fencepost_conditions_sync(table, &definition, 1, &result, nil)
      }
    }
  }

  @Test func whatIsRefusedOrChangesNothingStopsNoFleet() throws {
    var table: OpaquePointer?
    #expect(fencepost_conditions_create(&table, nil) == fencepost_status(FENCEPOST_OK))
    defer { fencepost_conditions_destroy(table) }
    let conditions = try ConditionsHandle.borrow(table).requireShared("")
    var result = fencepost_sync_result()
    #expect(Self.sync(table, tag: 0, &result) == fencepost_status(FENCEPOST_OK))
    #expect(result.added == 1)
    let stops = conditions.stops
    #expect(Self.sync(table, tag: 0, &result) == fencepost_status(FENCEPOST_OK))
    #expect(result.kept == 1 && result.added == 0 && result.replaced == 0)
    for (identifier, crossing) in [("square", true), ("new", true), ("square", false)] {
      let status = Self.with(crossing: crossing) { geometry in
        identifier.withCString { name in
          var definition = fencepost_polygon(name, geometry)
          return fencepost_conditions_ensure(table, &definition, 1, &result, nil)
        }
      }
      #expect(status == fencepost_status(crossing ? FENCEPOST_E_INVALID_ARGUMENT : FENCEPOST_OK))
      #expect(result.kept == 1 && result.added == 0 && result.replaced == 0)
    }
    #expect(conditions.stops == stops)
  }

  /// If a shape is equal bit for bit, it is not validated again and stays the same object.
  @Test func equalShapesAreNotExaminedAgain() throws {
    var table: OpaquePointer?
    #expect(fencepost_conditions_create(&table, nil) == fencepost_status(FENCEPOST_OK))
    defer { fencepost_conditions_destroy(table) }
    let conditions = try ConditionsHandle.borrow(table).requireShared("")
    func shape() -> ObjectIdentifier? {
      conditions.read { table in
        guard let slot = table.slot(of: "square") else { return nil }
        guard case .polygon(let shape) = table.subject(of: slot) else { return nil }
        return ObjectIdentifier(shape)
      }
    }
    var result = fencepost_sync_result()
    #expect(Self.sync(table, tag: 1, &result) == fencepost_status(FENCEPOST_OK))
    let before = try #require(shape())
    #expect(Self.sync(table, tag: 2, &result) == fencepost_status(FENCEPOST_OK))
    #expect(result.replaced == 1)
    #expect(shape() == before)
  }
}
