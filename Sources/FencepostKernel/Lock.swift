public import CPlatform

/// A value behind a lock.
///
/// Acquiring a free lock takes one atomic instruction. Waiting uses the platform's functions
/// (`CPlatform`) and is fair: while a thread waits, at most one other thread can acquire the
/// lock before it. The lock is not reentrant: a thread that acquires it twice deadlocks.
@frozen
public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  /// The lock's words, and the value that the lock protects. To the compiler and to ThreadSanitizer, the lock's words
  /// and the value are separate memory accesses. A change of the value must not count as a write to the lock's words,
  /// because other threads read the words at the same time.
  @usableFromInline let word: UnsafeMutablePointer<cplatform_lock>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable
  public init(_ value: consuming sending Value) {
    let alignment = max(MemoryLayout<cplatform_lock>.alignment, MemoryLayout<Value>.alignment)
    let offset = max(MemoryLayout<cplatform_lock>.size, MemoryLayout<Value>.alignment)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
    word = memory.bindMemory(to: cplatform_lock.self, capacity: 1)
    word.initialize(to: cplatform_lock())
    self.value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
    self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(word).deallocate()
  }

  /// Calls `body` with the value while the lock is held.
  @inlinable @inline(__always)
  public borrowing func withLock<Result: ~Copyable, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&value.pointee)
  }

  /// Acquires the lock until ``unlock()`` is called. Use this method instead of nested calls of ``withLock(_:)`` to
  /// hold many locks at once.
  @inlinable @inline(__always)
  public borrowing func lock() {
    cplatform_take(word)
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(word)
    #endif
  }

  /// Tries to acquire the lock, and returns whether this succeeded: the lock must be free, and no thread may be waiting
  /// for it. After a success, ``unlock()`` releases the lock.
  @inlinable
  public borrowing func tryLock() -> Bool {
    guard cplatform_try_to_take(word) != 0 else { return false }
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(word)
    #endif
    return true
  }

  /// Releases the lock, which the calling thread must hold.
  @inlinable @inline(__always)
  public borrowing func unlock() {
    #if FENCEPOST_THREAD_SANITIZER
      annotateReleasing(word)
    #endif
    cplatform_release(word)
  }
}

// Tells the Thread Sanitizer when a ``Lock`` is taken and released, because in Swift code the compiler does not
// instrument the atomic instructions that come from C headers. Only a build with FENCEPOST_THREAD_SANITIZER
// (Tests/Sanitize/run.sh) calls the Thread Sanitizer.

#if FENCEPOST_THREAD_SANITIZER
  @usableFromInline @_silgen_name("__tsan_acquire") func annotateAcquired(_ address: UnsafeMutableRawPointer)
  @usableFromInline @_silgen_name("__tsan_release") func annotateReleasing(_ address: UnsafeMutableRawPointer)
#endif
