import CFencepost
import FencepostCore
import FencepostKernel
import Synchronization

/// The object behind a C program's handle: an engine and its store, if any.
protocol HandledState: Sendable {
  /// The noun that messages use for the handle.
  static var noun: StaticString { get }
  var isStored: Bool { get }
  /// Increases when a call makes new events available for polling.
  var news: UInt64 { get }
  #if FENCEPOST_CHECK_CALLS
    func checkInvariants() throws
  #endif
}

extension StoredEngine: HandledState {
  static var noun: StaticString { "monitor" }
  var news: UInt64 { UInt64(pendingEvents) }
}

extension StoredFleet: HandledState {
  static var noun: StaticString { "fleet" }
  var news: UInt64 { appendedEntries }
  #if FENCEPOST_CHECK_CALLS
    func checkInvariants() throws { try state.checkInvariants() }
  #endif
}

/// A `fencepost_monitor *`.
typealias MonitorHandle = Handle<StoredEngine>
/// A `fencepost_fleet *`. The table has its own locks.
typealias FleetHandle = Handle<StoredFleet>

/// The object behind a handle.
struct Handled<Stored: HandledState>: ~Copyable {
  let stored: Lock<Stored>
  let wakeup = Wakeup()
  /// The number of owners: the handle itself, and each reference to a monitor's table.
  let owners = Atomic<Int>(1)
}

/// The state behind a lock, and the callback for available events. The caller owns the object, so borrowing it needs no
/// reference counting and has no cost.
struct Handle<Stored: HandledState>: @unchecked Sendable {
  private let handled: UnsafeMutablePointer<Handled<Stored>>

  #if FENCEPOST_CHECK_CALLS
    /// Ends the program if an invariant of the engine is violated; used by the fuzz targets and the mutants.
    private static func check(_ stored: borrowing Stored) {
      do { try stored.checkInvariants() } catch { fatalError("\(error)") }
    }
  #endif

  /// Passes the handle to the caller, who must release it with `fencepost_monitor_destroy` or
  /// `fencepost_fleet_destroy`.
  static func give(_ stored: consuming Stored) -> OpaquePointer {
    #if FENCEPOST_CHECK_CALLS
      check(stored)
    #endif
    let handled = UnsafeMutablePointer<Handled<Stored>>.allocate(capacity: 1)
    handled.initialize(to: Handled(stored: Lock(stored)))
    return OpaquePointer(handled)
  }

  /// Borrows the handle for one call.
  @inline(__always)
  static func borrow(_ pointer: OpaquePointer?) throws(BoundaryError) -> Self {
    Self(handled: UnsafeMutablePointer(try Boundary.require(pointer, Stored.noun)))
  }

  /// Adds an owner to the object and returns the object's address.
  func retained() -> UnsafeMutableRawPointer {
    handled.pointee.owners.wrappingAdd(1, ordering: .relaxed)
    return UnsafeMutableRawPointer(handled)
  }

  /// Releases one ownership. The last release destroys the object; no other thread may be using it at that time.
  func release() {
    guard handled.pointee.owners.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    handled.deinitialize(count: 1)
    handled.deallocate()
  }

  /// Sets the callback for available events.
  func setWakeup(_ callback: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?) {
    handled.pointee.wakeup.set(callback, context)
  }

  /// Tells the host that an event is available.
  func ring() {
    handled.pointee.wakeup.ring()
  }

  /// Runs one call of the engine and its store under the lock. If the call made an event available, calls the callback
  /// after releasing the lock. With a store, the thread cannot be cancelled during the call.
  @inline(__always)
  func withStored<Result: Sendable>(
    _ body: (inout Stored) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    var isNews = false
    defer { if isNews { ring() } }
    return try refusedByEngine { () throws(MonitorError) in
      try handled.pointee.stored.withLock { stored throws(MonitorError) -> Result in
        #if FENCEPOST_CHECK_CALLS
          defer { Self.check(stored) }
        #endif
        let before = handled.pointee.wakeup.isArmed ? stored.news : .max
        defer { isNews = stored.news > before }
        guard stored.isStored else { return try body(&stored) }
        return try withoutCancellation { () throws(MonitorError) in try body(&stored) }
      }
    }
  }
}

extension Handle where Stored == StoredEngine {
  /// Makes one call of the engine under the lock.
  @inline(__always)
  func call<Result: Sendable>(
    _ body: (inout MonitorEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.call(body) }
  }
}

extension Handle where Stored == StoredFleet {
  /// Runs one call of the engine under the lock; saves its changes if there is a store.
  @inline(__always)
  func call<Result: Sendable>(
    _ body: (inout FleetEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.call(body) }
  }

  /// Runs one read-only call of the engine: it saves nothing.
  func read<Result: Sendable>(
    _ body: (borrowing FleetEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.read(body) }
  }

  /// Runs one call of the engine that answers a query and may update the engine's caches: the call saves nothing.
  func ask<Result: Sendable>(
    _ body: (inout FleetEngine) throws(MonitorError) -> Result
  ) throws(BoundaryError) -> Result {
    try withStored { stored throws(MonitorError) in try stored.ask(body) }
  }
}
