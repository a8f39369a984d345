// Tells the Thread Sanitizer where a ``Lock`` is held: the atomic instructions of C headers are not instrumented in Swift.
// Only a build with FENCEPOST_THREAD_SANITIZER (Tests/Sanitize/run.sh) contains these.

#if FENCEPOST_THREAD_SANITIZER
  @usableFromInline @_silgen_name("__tsan_acquire") func annotateAcquired(_ address: UnsafeMutableRawPointer)
  @usableFromInline @_silgen_name("__tsan_release") func annotateReleasing(_ address: UnsafeMutableRawPointer)
#endif
