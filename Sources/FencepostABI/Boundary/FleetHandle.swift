import CFencepost
import Fencepost
import Synchronization

/// What a `fencepost_fleet *` points to.
struct HandledFleet: ~Copyable {
  let stored: Mutex<StoredFleet>
  let wakeup = Wakeup()
}

/// A `fencepost_fleet *`: the engine behind a lock, and what is called when an event becomes available. The table has locks
/// of its own.
struct FleetHandle: @unchecked Sendable {
  private let fleet: UnsafeMutablePointer<HandledFleet>

  /// Gives the handle to the caller, who releases it with `fencepost_fleet_destroy`.
  static func give(_ stored: consuming StoredFleet) -> OpaquePointer {
    let fleet = UnsafeMutablePointer<HandledFleet>.allocate(capacity: 1)
    fleet.initialize(to: HandledFleet(stored: Mutex(stored)))
    return OpaquePointer(fleet)
  }

  /// Borrows the handle for one call.
  @inline(__always)
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> FleetHandle {
    FleetHandle(fleet: UnsafeMutablePointer(try Boundary.require(pointer, "fleet")))
  }

  /// Ends the fleet; nobody else may be using it.
  func release() {
    fleet.deinitialize(count: 1)
    fleet.deallocate()
  }

  /// Sets what is called when an event becomes available.
  func setWakeup(_ callback: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?) {
    fleet.pointee.wakeup.set(callback, context)
  }

  /// Tells the host that an event is available.
  func ring() {
    fleet.pointee.wakeup.ring()
  }

  /// One call of the engine under the lock; what it changed is kept where there is a store. When it brought events, the host
  /// is told after the lock is released.
  @inline(__always)
  func call<Result: Sendable>(
    _ body: (inout FleetEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.call(body) }
  }

  /// One call of the engine with its store under the lock. Where a store is, the thread is not cancelled meanwhile.
  @inline(__always)
  func withStored<Result: Sendable>(
    _ body: (inout StoredFleet) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    var isNews = false
    defer { if isNews { ring() } }
    return try refusedByEngine { () throws(MonitorError) in
      try fleet.pointee.stored.withLock { stored throws(MonitorError) -> Result in
        annotateAcquired(fleet)
        defer { annotateReleasing(fleet) }
        #if FENCEPOST_CHECK_CALLS
          defer { Self.check(stored.state) }
        #endif
        let before = stored.appendedEntries
        defer { isNews = stored.appendedEntries != before && fleet.pointee.wakeup.isArmed }
        guard stored.isStored else { return try body(&stored) }
        return try withoutCancellation { () throws(MonitorError) in try body(&stored) }
      }
    }
  }

  #if FENCEPOST_CHECK_CALLS
    /// Ends the program when an invariant of the engine does not hold: for the fuzz targets and the mutants.
    private static func check(_ engine: borrowing FleetEngine) {
      do { try engine.checkInvariants() } catch { fatalError("\(error)") }
    }
  #endif
}
