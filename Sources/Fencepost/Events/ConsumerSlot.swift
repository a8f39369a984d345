import Synchronization

/// The slot for the consumer of a monitor's events, which only one iterator can hold at a time.
///
/// The monitor and its iterators share the slot. The slot has its own lock, so that a dropped iterator can release the
/// slot in `deinit` on any thread; the monitor notices the release at the next request for an event.
final class ConsumerSlot: Sendable {
  private struct State {
    var active: UInt64?
    var lastSeat: UInt64 = 0
    /// True if the consumer is not the consumer that received the events in flight.
    var isNew = false
  }

  private let state = Mutex(State())

  /// Claims the slot, if it is free.
  func claim() -> UInt64? {
    state.withLock { state in
      guard state.active == nil else { return nil }
      state.lastSeat += 1
      state.active = state.lastSeat
      state.isNew = true
      return state.lastSeat
    }
  }

  func release(_ seat: UInt64) {
    state.withLock { state in
      guard state.active == seat else { return }
      state.active = nil
      state.isNew = true
    }
  }

  /// Returns `nil` if another consumer holds the slot; otherwise returns whether the requesting consumer is new.
  /// Returns `true` only once for each new consumer. A consumer without an iterator passes `nil`.
  func enter(_ seat: UInt64?) -> Bool? {
    state.withLock { state in
      guard state.active == seat else { return nil }
      defer { state.isNew = false }
      return state.isNew
    }
  }

  /// Returns whether the consumer has changed since the last call.
  func takeChange() -> Bool {
    state.withLock { state in
      defer { state.isNew = false }
      return state.isNew
    }
  }
}

/// An iterator's claim to the consumer slot. The claim ends at the latest when the last copy of the iterator is
/// destroyed.
final class ConsumerSeat {
  private let slot: ConsumerSlot
  private(set) var number: UInt64?
  /// Whether the iteration is over because the task was cancelled.
  private(set) var isOver = false

  init(_ slot: ConsumerSlot) {
    self.slot = slot
    number = slot.claim()
  }

  /// The number of this object's claim; `nil` if another consumer holds the slot. If the earlier attempt to claim the
  /// slot failed, tries again.
  func claim() -> UInt64? {
    if number == nil { number = slot.claim() }
    return number
  }

  func leave() {
    isOver = true
    if let number { slot.release(number) }
    number = nil
  }

  deinit {
    if let number { slot.release(number) }
  }
}

/// A task that waits for an event. A wake-up carries no data: the woken task checks the queue, so early or repeated
/// wake-ups lose nothing.
final class Waiter: Sendable {
  private enum State {
    case starting
    case parked(CheckedContinuation<Void, Never>)
    case awake
  }

  private let state = Mutex(State.starting)

  func park(_ continuation: CheckedContinuation<Void, Never>) {
    let isAwake = state.withLock { state in
      if case .awake = state { return true }
      state = .parked(continuation)
      return false
    }
    if isAwake { continuation.resume() }
  }

  /// Wakes the task, now or as soon as it parks. May be called from any thread, and any number of times.
  func wake() {
    let parked: CheckedContinuation<Void, Never>? = state.withLock { state in
      defer { state = .awake }
      if case .parked(let continuation) = state { return continuation }
      return nil
    }
    parked?.resume()
  }
}
