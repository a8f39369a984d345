public import CPlatform

/// A value behind a lock.
///
/// The lock is one word: taking it when it is free is one atomic instruction, waiting for it is the platform's
/// (`CPlatform`). It is not reentrant: a thread that takes it twice waits for itself.
@frozen
public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @frozen @usableFromInline
  struct Box: ~Copyable {
    @usableFromInline var word: cplatform_word = 0
    @usableFromInline var value: Value

    @inlinable init(_ value: consuming Value) { self.value = value }
  }

  @usableFromInline let box: UnsafeMutablePointer<Box>

  @inlinable
  public init(_ value: consuming sending Value) {
    box = .allocate(capacity: 1)
    box.initialize(to: Box(value))
  }

  @inlinable
  deinit {
    box.deinitialize(count: 1)
    box.deallocate()
  }

  /// Calls `body` with the value while the lock is held.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&box.pointee.value)
  }

  /// Takes the lock until ``unlock()``: for callers that hold more locks than nested calls have room for.
  @inlinable @inline(__always)
  public borrowing func lock() {
    cplatform_lock(word)
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(box)
    #endif
  }

  /// Releases the lock. The calling thread holds it.
  @inlinable @inline(__always)
  public borrowing func unlock() {
    #if FENCEPOST_THREAD_SANITIZER
      annotateReleasing(box)
    #endif
    cplatform_unlock(word)
  }

  /// The first member of the box.
  @inlinable @inline(__always)
  var word: UnsafeMutablePointer<cplatform_word> {
    UnsafeMutableRawPointer(box).assumingMemoryBound(to: cplatform_word.self)
  }
}
