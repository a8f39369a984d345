import CFencepost
import FencepostCore

/// A `fencepost_conditions *`: one reference to a table, which has its locks inside. The fleets over it have their own.
struct ConditionsHandle: ConditionHolder {
  let conditions: Conditions

  /// Unlike a monitor's default: a condition not assumed outside gives an event for each device.
  static var assuming: Event.State { .unsatisfied }

  /// Gives a reference to the caller, who releases it with `fencepost_conditions_destroy`.
  static func give(_ conditions: Conditions) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(conditions).toOpaque())
  }

  /// Borrows the reference for one call.
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> ConditionsHandle {
    let raw = UnsafeRawPointer(try Boundary.require(pointer, "conditions"))
    return ConditionsHandle(conditions: Unmanaged.fromOpaque(raw).takeUnretainedValue())
  }

  /// Gives up the caller's reference.
  static func release(_ pointer: OpaquePointer) {
    Unmanaged<Conditions>.fromOpaque(UnsafeRawPointer(pointer)).release()
  }

  func call<Result: Sendable>(
    _ body: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try refusedByEngine { () throws(MonitorError) in try conditions.change(body) }
  }

  /// Reads the table, while fleets are feeding.
  func read<Result: Sendable>(
    _ body: (borrowing MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try refusedByEngine { () throws(MonitorError) in try conditions.read(body) }
  }
}
