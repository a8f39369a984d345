public import CFencepost
import FencepostCore

@_cdecl("fencepost_status_name") @implementation
public func fencepost_status_name(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).name)
}

@_cdecl("fencepost_state_name") @implementation
public func fencepost_state_name(_ state: fencepost_state) -> UnsafePointer<CChar>? {
  Boundary.text(UInt8(exactly: state).flatMap(Event.State.init(rawValue:))?.name ?? "unknown_state")
}

@_cdecl("fencepost_cause_name") @implementation
public func fencepost_cause_name(_ cause: fencepost_cause) -> UnsafePointer<CChar>? {
  Boundary.text(UInt8(exactly: cause).flatMap(Event.Cause.init(rawValue:))?.name ?? "unknown_cause")
}

@_cdecl("fencepost_status_message") @implementation
public func fencepost_status_message(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).message)
}
