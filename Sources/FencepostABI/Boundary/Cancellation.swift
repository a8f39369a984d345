import CPlatform

/// Runs a body that must not be interrupted by a cancellation of the thread (`pthread_cancel`): a cancellation would
/// leave a lock held, and would unwind through frames that do not support this. If the thread is cancelled during the
/// call, the cancellation takes effect at the thread's next cancellation point after the call.
@inline(__always)
func withoutCancellation<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let before = cplatform_disable_cancellation()
  defer { cplatform_restore_cancellation(before) }
  return try body()
}
