import CFencepost
import Fencepost
import Synchronization

/// What a `fencepost_monitor *` points to: the engine behind a lock.
final class Handle: Sendable {
  let engine: Mutex<MonitorEngine>

  init(_ engine: consuming MonitorEngine) {
    self.engine = Mutex(engine)
  }

  /// Gives the handle to the caller, who releases it with `fencepost_monitor_destroy`.
  static func give(_ engine: consuming MonitorEngine) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(Handle(engine)).toOpaque())
  }

  /// Borrows the handle for one call.
  @inline(__always)
  static func borrow(_ pointer: OpaquePointer?) throws(MonitorError) -> Handle {
    Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(try Boundary.require(pointer, "monitor"))).takeUnretainedValue()
  }

  static func release(_ pointer: OpaquePointer) {
    Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer)).release()
  }

  /// One engine call under the lock.
  @inline(__always)
  func call<Result: Sendable>(
    _ body: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(MonitorError) -> Result {
    try engine.withLock { engine throws(MonitorError) -> Result in try body(&engine) }
  }
}
