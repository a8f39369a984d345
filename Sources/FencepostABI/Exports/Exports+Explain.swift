public import CFencepost
import Fencepost

/// Implements `fencepost_monitor_explain`; see the header.
@_cdecl("fencepost_monitor_explain") @implementation
public func fencepost_monitor_explain(
  _ monitor: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ out_explanation: UnsafeMutablePointer<fencepost_explanation>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let handle = try Handle.borrow(monitor)
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let out = try Boundary.require(out_explanation, "out_explanation")
    let explanation = try handle.call { engine throws(MonitorError) in
      engine.explain(slot: try engine.slot(ofIdentifierBytes: bytes))
    }
    try SizedStruct.write(
      fencepost_explanation(
        struct_size: 0, reason: explanation.reason.rawValue, observed: Int32(explanation.observed.rawValue),
        diagnostics: explanation.diagnostics.rawValue, boundary_distance_m: explanation.boundaryDistance ?? .nan,
        accuracy_m: explanation.accuracy ?? .nan, entry_margin_m: explanation.entryMargin ?? .nan,
        exit_margin_m: explanation.exitMargin ?? .nan,
        candidate_start_us: explanation.candidateStart?.microseconds ?? .min,
        deadline_us: explanation.deadline?.microseconds ?? .min,
        last_sighting_us: explanation.lastSighting?.microseconds ?? .min,
        metres_to_decide: explanation.metresToDecide ?? .nan, seconds_to_decide: explanation.secondsToDecide ?? .nan,
        accuracy_needed_m: explanation.accuracyNeeded ?? .nan,
        nearest_latitude: explanation.nearestBoundaryPoint?.latitude ?? .nan,
        nearest_longitude: explanation.nearestBoundaryPoint?.longitude ?? .nan),
      to: out, "out_explanation")
  }
}

/// Implements `fencepost_reason_name`; see the header.
@_cdecl("fencepost_reason_name") @implementation
public func fencepost_reason_name(_ reason: fencepost_reason) -> UnsafePointer<CChar>? {
  Boundary.text(Explanation.Reason(rawValue: reason)?.name ?? "unknown_reason")
}
