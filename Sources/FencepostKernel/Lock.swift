public import CPlatform

/// A value behind a lock.
///
/// Taking a free lock is one atomic instruction. Waiting uses the platform's functions (`CPlatform`) and is fair: at
/// most one other thread can take the lock before a waiting thread does. The lock is not reentrant: a thread that takes
/// it twice deadlocks.
@frozen
public struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  /// The lock's words, and the value behind it. The lock's words and the value are separate memory accesses to the
  /// compiler (and to ThreadSanitizer): a thread that changes the value under the lock must not appear to change a
  /// word, which other threads read at the same time.
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

  /// Takes the lock until ``unlock()``: for callers that hold too many locks for nested calls.
  @inlinable @inline(__always)
  public borrowing func lock() {
    cplatform_take(word)
    #if FENCEPOST_THREAD_SANITIZER
      annotateAcquired(word)
    #endif
  }

  /// Takes the lock until ``unlock()`` if it is free and no thread waits for it; returns whether it did.
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
