// The Thread Sanitizer does not see into the standard library's Mutex, which is not built with it. A build with
// FENCEPOST_THREAD_SANITIZER (Tests/Sanitize/run.sh) tells it where the lock is held; others contain nothing of this.

#if FENCEPOST_THREAD_SANITIZER
  @_silgen_name("__tsan_acquire") private func tsanAcquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func tsanRelease(_ address: UnsafeMutableRawPointer)
#endif

/// Says that the lock of an object is held from here on.
@inline(__always)
func annotateAcquired(_ object: UnsafeMutableRawPointer) {
  #if FENCEPOST_THREAD_SANITIZER
    tsanAcquire(object)
  #endif
}

/// Says that the lock of an object is held up to here.
@inline(__always)
func annotateReleasing(_ object: UnsafeMutableRawPointer) {
  #if FENCEPOST_THREAD_SANITIZER
    tsanRelease(object)
  #endif
}
