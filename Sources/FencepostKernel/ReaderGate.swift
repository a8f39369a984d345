public import CPlatform

/// A gate in front of a value that many threads read and one thread changes.
///
/// A reader enters with one atomic instruction and leaves with another. A writer closes the gate and
/// waits only for the readers that are inside: it is not delayed by a reader that sleeps outside, or that has been
/// woken but is not running yet. A reader that has waited while the gate was closed several times enters before the
/// gate closes again; see `cplatform_gate`.
@frozen
public struct ReaderGate: ~Copyable, @unchecked Sendable {
  @usableFromInline let word: UnsafeMutablePointer<cplatform_gate>

  @inlinable
  public init() {
    word = .allocate(capacity: 1)
    word.initialize(to: cplatform_gate())
  }

  @inlinable
  deinit { word.deallocate() }

  /// Calls `body` while the calling thread is inside the gate. `body` must not enter the gate again.
  @inlinable @inline(__always)
  public borrowing func enter<Result: ~Copyable, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cplatform_enter(word)
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(word)
    #endif
    defer {
      #if FENCEPOST_THREAD_SANITIZER
        annotateReleasing(word)
      #endif
      cplatform_leave(word)
    }
    return try body()
  }

  /// Whether a writer has closed the gate. If the gate is closed, a reader that works in many small steps should leave
  /// and enter again.
  @inlinable @inline(__always)
  public borrowing func isClosed() -> Bool { cplatform_is_closed(word) != 0 }

  /// Waits until each reader that has claimed the gate, after waiting for too long, has entered.
  package borrowing func waitForClaims() { cplatform_wait_for_claims(word) }

  /// Closes the gate. ``waitForReaders()`` must follow.
  package borrowing func close() { cplatform_close(word) }

  /// Waits until no reader is inside the closed gate.
  package borrowing func waitForReaders() {
    cplatform_wait_for_readers(word)
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(word)
    #endif
  }

  /// Opens the closed gate.
  package borrowing func open() {
    #if FENCEPOST_THREAD_SANITIZER
      annotateReleasing(word)
    #endif
    cplatform_open(word)
  }
}
