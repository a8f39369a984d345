public import CFencepost

/// Implements `fencepost_status_name`; see the header.
@_cdecl("fencepost_status_name") @implementation
public func fencepost_status_name(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).name)
}

/// Implements `fencepost_status_message`; see the header.
@_cdecl("fencepost_status_message") @implementation
public func fencepost_status_message(_ status: fencepost_status) -> UnsafePointer<CChar>? {
  Boundary.text(describe(status).message)
}
