public import CFencepost
import FencepostCore

@_cdecl("fencepost_conditions_add") @implementation
public func fencepost_conditions_add(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).add(definitions, count)
  }
}

@_cdecl("fencepost_conditions_ensure") @implementation
public func fencepost_conditions_ensure(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).ensure(definitions, count, out_result)
  }
}

@_cdecl("fencepost_conditions_sync") @implementation
public func fencepost_conditions_sync(
  _ conditions: OpaquePointer?, _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
  _ out_result: UnsafeMutablePointer<fencepost_sync_result>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).sync(definitions, count, out_result)
  }
}

@_cdecl("fencepost_conditions_remove") @implementation
public func fencepost_conditions_remove(
  _ conditions: OpaquePointer?, _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ out_removed: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    try ConditionsHandle.borrow(conditions).remove(identifiers, count, out_removed)
  }
}
