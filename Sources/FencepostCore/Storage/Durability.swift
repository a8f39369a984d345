/// When changes are made to last.
public enum Durability: Sendable, Hashable {
  /// A change of a state, a candidate or the queue is kept before the call that caused it returns. After a crash, inputs
  /// since then that changed none of these are fed again.
  case changes
  /// Each input is kept before the call returns; a batch is one.
  case everyInput
  /// At a checkpoint, on closing, and whenever so much event time has passed, in microseconds, 1 … 10¹⁵. Very many
  /// changes are then saved in parts, one with each call that follows.
  case relaxed(interval: Int64)

  /// The value that is out of range, as a message.
  package var defect: String? {
    if case .relaxed(let interval) = self, !(1...TransitionPolicy.longestDuration).contains(interval) {
      return "checkpoint_interval is \(interval) microseconds; must be from 1 to \(TransitionPolicy.longestDuration)"
    }
    return nil
  }
}
