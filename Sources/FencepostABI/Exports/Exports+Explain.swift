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
    let explanation = try handle.call { engine throws(MonitorError) in
      engine.explain(slot: try engine.table.slot(ofIdentifierBytes: bytes))
    }
    try SizedStruct.write(fencepost_explanation(explanation), to: out, "out_explanation")
  }
}

@_cdecl("fencepost_reason_name") @implementation
public func fencepost_reason_name(_ reason: fencepost_reason) -> UnsafePointer<CChar>? {
  Boundary.text(Explanation.Reason(rawValue: reason)?.name ?? "unknown_reason")
}
