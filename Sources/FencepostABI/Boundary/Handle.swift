import CFencepost
import Fencepost
import Synchronization

/// What a `fencepost_monitor *` points to.
struct HandledMonitor: ~Copyable {
  let stored: Mutex<StoredEngine>
  let wakeup = Wakeup()
}

/// A `fencepost_monitor *`: the engine, and where it has one its store, behind a lock; and what is called when an event
/// becomes available. It counts no references: the caller owns the monitor, and borrowing it costs nothing.
struct Handle: @unchecked Sendable {
  private let monitor: UnsafeMutablePointer<HandledMonitor>

  @inline(__always)
  private init(_ pointer: OpaquePointer) {
    monitor = UnsafeMutablePointer(pointer)
  }

  #if FENCEPOST_CHECK_CALLS
    /// Ends the program when an invariant of the engine does not hold: for the fuzz targets and the mutants.
    private static func check(_ stored: borrowing StoredEngine) {
      do { try stored.checkInvariants() } catch { fatalError("\(error)") }
    }
  #endif

  /// Gives the handle to the caller, who releases it with `fencepost_monitor_destroy`.
  static func give(_ stored: consuming StoredEngine) -> OpaquePointer {
    #if FENCEPOST_CHECK_CALLS
      check(stored)
    #endif
    let monitor = UnsafeMutablePointer<HandledMonitor>.allocate(capacity: 1)
    monitor.initialize(to: HandledMonitor(stored: Mutex(stored)))
    return OpaquePointer(monitor)
  }

  /// Borrows the handle for one call.
  @inline(__always)
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> Handle {
    Handle(try Boundary.require(pointer, "monitor"))
  }

  /// Ends the monitor; nobody else may be using it.
  func release() {
    monitor.deinitialize(count: 1)
    monitor.deallocate()
  }

  /// Sets what is called when an event becomes available.
  func setWakeup(_ callback: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?) {
    monitor.pointee.wakeup.set(callback, context)
  }

  /// Tells the host that an event is available.
  func ring() {
    monitor.pointee.wakeup.ring()
  }

  /// One engine call under the lock.
  @inline(__always)
  func call<Result: Sendable>(
    _ body: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.call(body) }
  }

  /// One call of the engine with its store under the lock. When it leaves more events waiting than before, the host
  /// is told after the lock is released. Where a store is, the thread is not cancelled meanwhile.
  @inline(__always)
  func withStored<Result: Sendable>(
    _ body: (inout StoredEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    var isNews = false
    defer { if isNews { ring() } }
    return try refusedByEngine { () throws(MonitorError) in
      try monitor.pointee.stored.withLock { stored throws(MonitorError) -> Result in
        annotateAcquired(monitor)
        defer { annotateReleasing(monitor) }
        #if FENCEPOST_CHECK_CALLS
          defer { Self.check(stored) }
        #endif
        let before = monitor.pointee.wakeup.isArmed ? stored.pendingEvents : .max
        defer { isNews = stored.pendingEvents > before }
        guard stored.isStored else { return try body(&stored) }
        return try withoutCancellation { () throws(MonitorError) in try body(&stored) }
      }
    }
  }
}

extension Handle: ConditionHolder {
  static var assuming: Event.State { .unknown }

  func read<Result: Sendable>(
    _ body: (borrowing MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try call { engine throws(MonitorError) in try body(engine) }
  }
}
