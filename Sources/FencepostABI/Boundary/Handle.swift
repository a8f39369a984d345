import CFencepost
import Fencepost
import Synchronization

/// What a `fencepost_monitor *` points to: the engine, and where it has one its store, behind a lock; and what is
/// called when an event becomes available.
final class Handle: Sendable {
  private let stored: Mutex<StoredEngine>
  let wakeup = Wakeup()

  private init(_ stored: consuming StoredEngine) {
    #if FENCEPOST_CHECK_CALLS
      Self.check(stored)
    #endif
    self.stored = Mutex(stored)
  }

  #if FENCEPOST_CHECK_CALLS
    /// Ends the program when an invariant of the engine does not hold: for the fuzz targets and the mutants.
    private static func check(_ stored: borrowing StoredEngine) {
      do { try stored.checkInvariants() } catch { fatalError("\(error)") }
    }
  #endif

  /// Gives the handle to the caller, who releases it with `fencepost_monitor_destroy`.
  static func give(_ stored: consuming StoredEngine) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(Handle(stored)).toOpaque())
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
    try withStored { stored throws(MonitorError) in try stored.call(body) }
  }

  /// One call of the engine with its store under the lock. When it leaves more events waiting than before, the host
  /// is told after the lock is released.
  @inline(__always)
  func withStored<Result: Sendable>(
    _ body: (inout StoredEngine) throws(MonitorError) -> Result
  ) throws(MonitorError) -> Result {
    var isNews = false
    defer { if isNews { wakeup.ring() } }
    return try stored.withLock { stored throws(MonitorError) -> Result in
      annotateAcquired(self)
      defer { annotateReleasing(self) }
      #if FENCEPOST_CHECK_CALLS
        defer { Self.check(stored) }
      #endif
      guard wakeup.isArmed else { return try body(&stored) }
      let before = stored.pendingEvents
      defer { isNews = stored.pendingEvents > before }
      return try body(&stored)
    }
  }
}
