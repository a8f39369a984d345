import CFencepost
import CPlatform
import FencepostKernel
import Synchronization

/// A host's callback for available events, and the rules for calling it.
///
/// There are two locks, both separate from the monitor's lock. The lock `state` is held only for a few assignments, and
/// never while the callback runs. The thread that rings holds `gate` while the callback runs; only ``set(_:_:)`` on
/// another thread ever waits for `gate`. If one thread is ringing and another thread rings, the second thread only
/// records that the first thread must ring again. Therefore, a callback cannot deadlock, even if it calls the monitor
/// or waits for a lock that another caller of the monitor holds.
struct Wakeup: ~Copyable, Sendable {
  struct State {
    var callback: fencepost_wakeup?
    /// The address of the context; stored as a number, because a pointer cannot be shared between threads.
    var context: UInt = 0
    var isDue = false
    /// The thread that is ringing, that is, calling the callback.
    var ringer: UInt?
  }

  private let armed = Atomic(false)
  private let state = Lock(State())
  private let gate = Lock(())

  /// Whether a callback is set. A thread that sets a callback must then check for pending events under the monitor's
  /// lock; every later reader that holds this lock sees the callback.
  var isArmed: Bool { armed.load(ordering: .relaxed) }

  /// Replaces the callback. When `set` returns, the previous callback is not running and will not run again, unless
  /// that callback itself called `set`.
  func set(_ callback: fencepost_wakeup?, _ context: UnsafeMutableRawPointer?) {
    let address = UInt(bitPattern: context)
    let ringer = state.withLock { state in
      state.callback = callback
      state.context = address
      state.isDue = false
      return state.ringer
    }
    armed.store(callback != nil, ordering: .relaxed)
    if let ringer, ringer != Self.thisThread { gate.withLock { _ in } }
  }

  /// Calls the callback; if another thread is calling it now, makes that thread call it once more afterwards.
  func ring() {
    let isMine = state.withLock { state in
      guard state.callback != nil else { return false }
      state.isDue = true
      guard state.ringer == nil else { return false }
      state.ringer = Self.thisThread
      return true
    }
    guard isMine else { return }
    while gate.withLock({ _ in callOnce() }) {}
  }

  /// Calls the callback if it is due; the calling thread must hold `gate`.
  private func callOnce() -> Bool {
    let due: (fencepost_wakeup, UInt)? = state.withLock { state in
      guard state.isDue, let callback = state.callback else {
        state.isDue = false
        state.ringer = nil
        return nil
      }
      state.isDue = false
      return (callback, state.context)
    }
    guard let due else { return false }
    withoutCancellation { due.0(UnsafeMutableRawPointer(bitPattern: due.1)) }
    return true
  }

  private static var thisThread: UInt { UInt(cplatform_thread()) }
}
