#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a body that a cancellation of the thread (`pthread_cancel`) must not end half-way: it would leave a lock held and
/// unwind through frames that know nothing of it. A cancellation that comes meanwhile acts at the thread's next
/// cancellation point after the call.
@inline(__always)
func withoutCancellation<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  #if canImport(Darwin)
    let disabled: Int32 = 0
  #else
    let disabled: Int32 = 1
  #endif
  var before: Int32 = 0
  pthread_setcancelstate(disabled, &before)
  defer { pthread_setcancelstate(before, nil) }
  return try body()
}
