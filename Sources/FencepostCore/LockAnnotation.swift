// The Thread Sanitizer does not see into the standard library's Mutex, which is not built with it. A build with
// FENCEPOST_THREAD_SANITIZER (Tests/Sanitize/run.sh) tells it where a lock is held; others contain nothing of this.

#if FENCEPOST_THREAD_SANITIZER
  @usableFromInline @_silgen_name("__tsan_acquire") package func tsanAcquire(_ address: UnsafeMutableRawPointer)
  @usableFromInline @_silgen_name("__tsan_release") package func tsanRelease(_ address: UnsafeMutableRawPointer)
#endif

/// Says that the lock of an object is held from here on.
@inlinable @inline(__always)
package func annotateAcquired(_ object: UnsafeMutableRawPointer) {
  #if FENCEPOST_THREAD_SANITIZER
    tsanAcquire(object)
  #endif
}

/// Says that the lock of an object is held up to here.
@inlinable @inline(__always)
package func annotateReleasing(_ object: UnsafeMutableRawPointer) {
  #if FENCEPOST_THREAD_SANITIZER
    tsanRelease(object)
  #endif
}

/// Says that a lock within an object is held while `body` runs.
@inlinable @inline(__always)
package func annotatingLock<Result, Failure>(
  of object: AnyObject, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  #if FENCEPOST_THREAD_SANITIZER
    let address = Unmanaged.passUnretained(object).toOpaque()
    tsanAcquire(address)
    defer { tsanRelease(address) }
  #endif
  return try body()
}
