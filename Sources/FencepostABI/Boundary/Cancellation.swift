import CPlatform

/// Runs a body that a cancellation of the thread (`pthread_cancel`) must not end half-way: it would leave a lock held and
/// unwind through frames that know nothing of it. A cancellation that comes meanwhile acts at the thread's next
/// cancellation point after the call.
@inline(__always)
func withoutCancellation<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let before = cplatform_disable_cancellation()
  defer { cplatform_restore_cancellation(before) }
  return try body()
}
