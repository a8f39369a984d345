public import CFencepost
import FencepostCore

@_cdecl("fencepost_monitor_explain") @implementation
public func fencepost_monitor_explain(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_explanation: UnsafeMutablePointer<fencepost_explanation>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try MonitorHandle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_explanation, "out_explanation")
    let room = try PartsRoom(out)
    let explanation = try handle.call { engine throws(MonitorError) in
      engine.explain(slot: try engine.table.slot(ofIdentifierBytes: bytes))
    }
    var value = fencepost_explanation(explanation)
    room.store(explanation.parts, in: &value)
    try SizedStruct.write(value, to: out, "out_explanation")
  }
}

/// The caller's memory for the parts of a rule.
struct PartsRoom {
  private let start: UnsafeMutablePointer<fencepost_condition_state>?
  private let capacity: Int

  init(_ explanation: UnsafeMutablePointer<fencepost_explanation>) throws(BoundaryError) {
    let given = try SizedStruct.readKnown(
      UnsafePointer(explanation), defaults: fencepost_explanation(), "out_explanation")
    capacity = given.parts_capacity
    start = try Boundary.require(given.parts, count: capacity, "parts")
  }

  /// Writes the parts for which there is room, and the members of an explanation that describe them.
  @_optimize(size)
  func store(_ parts: [Explanation.Part], in explanation: inout fencepost_explanation) {
    explanation.parts = start
    explanation.parts_capacity = capacity
    explanation.part_count = UInt64(parts.count)
    guard let start else { return }
    for (index, part) in parts.prefix(capacity).enumerated() {
      var value = fencepost_condition_state()
      value.generation = part.generation ?? 0
      value.since_us = .min
      value.evidence_date_us = .min
      value.state = Int32(part.state.rawValue)
      var identifier = part.identifier
      value.identifier_length = identifier.withUTF8 { copy($0, into: &value.identifier) }
      start[index] = value
    }
  }
}

@_cdecl("fencepost_reason_name") @implementation
public func fencepost_reason_name(_ reason: fencepost_reason) -> UnsafePointer<CChar>? {
  Boundary.text(Explanation.Reason(rawValue: reason)?.name ?? "unknown_reason")
}
