// Tells the Thread Sanitizer when a ``Lock`` is taken and released, because in Swift code the compiler does not
// instrument the atomic instructions that come from C headers. Only a build with FENCEPOST_THREAD_SANITIZER
// (Tests/Sanitize/run.sh) calls the Thread Sanitizer.

#if FENCEPOST_THREAD_SANITIZER
  @usableFromInline @_silgen_name("__tsan_acquire") func annotateAcquired(_ address: UnsafeMutableRawPointer)
  @usableFromInline @_silgen_name("__tsan_release") func annotateReleasing(_ address: UnsafeMutableRawPointer)
#endif
