import CFencepost
import FencepostCore

/// A `fencepost_conditions *`: one counted reference to a table. A table that fleets share is protected by its own
/// locks. A monitor's own table is protected by the monitor's lock, so that a change of the table is saved with the
/// monitor and triggers the monitor's wake-up callback.
enum ConditionsHandle {
  case shared(Conditions)
  case own(MonitorHandle)

  /// A pointer to a monitor's own table is the address of the monitor's handle plus this bit. Handles are aligned, so
  /// the bit is 0 in all other pointers.
  private static var ownBit: UInt { 1 }

  /// The assumed state if the caller passes NULL as the options. In a shared table, a condition whose assumed state is
  /// not `unsatisfied` would produce an event for each device.
  var assuming: Event.State {
    switch self {
    case .shared: .unsatisfied
    case .own: .unknown
    }
  }

  /// Passes a counted reference to the caller, who must release it with `fencepost_conditions_destroy`.
  func give() -> OpaquePointer {
    switch self {
    case .shared(let conditions): return OpaquePointer(Unmanaged.passRetained(conditions).toOpaque())
    case .own(let monitor): return OpaquePointer(monitor.retained() + Int(Self.ownBit))
    }
  }

  /// Returns the table to which a C pointer refers; the caller keeps its reference.
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> ConditionsHandle {
    let raw = UnsafeRawPointer(try Boundary.require(pointer, "conditions"))
    guard UInt(bitPattern: raw) & ownBit == 0 else {
      return .own(try MonitorHandle.borrow(OpaquePointer(raw - Int(ownBit))))
    }
    return .shared(Unmanaged.fromOpaque(raw).takeUnretainedValue())
  }

  /// Borrows a monitor's own table.
  static func borrow(of monitor: OpaquePointer?) throws(BoundaryError) -> ConditionsHandle {
    .own(try MonitorHandle.borrow(monitor))
  }

  /// Releases the caller's reference.
  static func release(_ pointer: OpaquePointer) {
    switch try? borrow(pointer) {
    case .own(let monitor): monitor.release()
    default: Unmanaged<Conditions>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }
  }

  /// Returns the shared table; throws an error if the table is a monitor's own table.
  ///
  /// - Parameter remedy: The end of the error message, which names the call to use for a monitor.
  func requireShared(_ remedy: StaticString) throws(BoundaryError) -> Conditions {
    guard case .shared(let conditions) = self else {
      throw .invalidArgument(
        "the conditions belong to a monitor; they must be from fencepost_conditions_create(): \(remedy)")
    }
    return conditions
  }

  /// The version of the table. For a monitor's own table, the version is computed at each call.
  var version: TableVersion {
    get throws(BoundaryError) {
      switch self {
      case .shared(let conditions): conditions.version
      case .own: try read { table in TableVersion(of: table) }
      }
    }
  }

  /// Changes the conditions under the lock. Pass the same generic function for both arguments: `shared` is called for a
  /// shared table, and `own` for a monitor.
  func change<Result: Sendable>(
    _ shared: (inout ConditionTable) throws(MonitorError) -> Result,
    _ own: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    switch self {
    case .shared(let conditions):
      return try refusedByEngine { () throws(MonitorError) in try conditions.change(shared) }
    case .own(let monitor):
      return try monitor.call(own)
    }
  }

  /// Runs a read-only call that may take a long time. For a monitor, the call can also read the monitor's other data.
  /// Pass the same generic function for both arguments: `shared` is called for a shared table, and `own` for a monitor.
  /// See ``read(_:)``.
  func check<Result: Sendable>(
    _ shared: (ConditionTable) throws(MonitorError) -> Result,
    _ own: (MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    switch self {
    case .shared(let conditions):
      return try refusedByEngine { () throws(MonitorError) in try conditions.readLong(shared) }
    case .own(let monitor):
      return try monitor.call { engine throws(MonitorError) in try own(engine) }
    }
  }

  /// Runs one read-only call; a shared table can be read even while fleets feed inputs.
  func read<Result: Sendable>(
    _ body: (ConditionTable) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    switch self {
    case .shared(let conditions):
      return try refusedByEngine { () throws(MonitorError) in try conditions.read(body) }
    case .own(let monitor):
      return try monitor.call { engine throws(MonitorError) in try body(engine.table) }
    }
  }
}
