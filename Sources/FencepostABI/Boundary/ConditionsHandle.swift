import CFencepost
import FencepostCore

/// A `fencepost_conditions *`: one counted reference to a table. A table that fleets share has its locks inside; the table
/// that a monitor made is protected by the monitor's lock, so that a change is saved with the monitor and rings its wake-up.
enum ConditionsHandle {
  case shared(Conditions)
  case own(MonitorHandle)

  /// The pointer to a monitor's table is that of its handle and this: both are aligned.
  private static var ownBit: UInt { 1 }

  /// The assumed state where the caller's options are NULL. A condition of a shared table that is not assumed outside gives
  /// an event for each device.
  var assuming: Event.State {
    switch self {
    case .shared: .unsatisfied
    case .own: .unknown
    }
  }

  /// Gives a reference to the caller, who releases it with `fencepost_conditions_destroy`.
  func give() -> OpaquePointer {
    switch self {
    case .shared(let conditions): return OpaquePointer(Unmanaged.passRetained(conditions).toOpaque())
    case .own(let monitor): return OpaquePointer(monitor.retained() + Int(Self.ownBit))
    }
  }

  /// Borrows the reference for one call.
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> ConditionsHandle {
    let raw = UnsafeRawPointer(try Boundary.require(pointer, "conditions"))
    guard UInt(bitPattern: raw) & ownBit == 0 else {
      return .own(try MonitorHandle.borrow(OpaquePointer(raw - Int(ownBit))))
    }
    return .shared(Unmanaged.fromOpaque(raw).takeUnretainedValue())
  }

  /// Borrows the table that a monitor made.
  static func borrow(of monitor: OpaquePointer?) throws(BoundaryError) -> ConditionsHandle {
    .own(try MonitorHandle.borrow(monitor))
  }

  /// Gives up the caller's reference.
  static func release(_ pointer: OpaquePointer) {
    switch try? borrow(pointer) {
    case .own(let monitor): monitor.release()
    default: Unmanaged<Conditions>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }
  }

  /// The shared table; refuses the table of a monitor.
  ///
  /// - Parameter remedy: The end of the message: the call to use for a monitor.
  func requireShared(_ remedy: StaticString) throws(BoundaryError) -> Conditions {
    guard case .shared(let conditions) = self else {
      throw .invalidArgument(
        "conditions are a monitor's own; accepted are those of fencepost_conditions_create(): \(remedy)")
    }
    return conditions
  }

  /// Which version of the table it is; that of a monitor's own is computed anew.
  var version: TableVersion {
    get throws(BoundaryError) {
      switch self {
      case .shared(let conditions): conditions.version
      case .own: try read { engine in TableVersion(of: engine) }
      }
    }
  }

  /// One call of the engine under the lock.
  func call<Result: Sendable>(
    _ body: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    switch self {
    case .shared(let conditions):
      return try refusedByEngine { () throws(MonitorError) in try conditions.change(body) }
    case .own(let monitor):
      return try monitor.call(body)
    }
  }

  /// One call that only reads: of a shared table while fleets are feeding.
  func read<Result: Sendable>(
    _ body: (borrowing MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    switch self {
    case .shared(let conditions):
      return try refusedByEngine { () throws(MonitorError) in try conditions.read(body) }
    case .own(let monitor):
      return try monitor.call { engine throws(MonitorError) in try body(engine) }
    }
  }
}
