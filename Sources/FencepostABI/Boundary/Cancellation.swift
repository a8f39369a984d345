import CPlatform

/// Runs a body that a cancellation of the thread (`pthread_cancel`) must not interrupt: it would leave a lock held and
/// unwind through frames without support for it. A cancellation during the call acts at the thread's next cancellation
/// point after the call.
@inline(__always)
func withoutCancellation<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let before = cplatform_disable_cancellation()
  defer { cplatform_restore_cancellation(before) }
  return try body()
}
