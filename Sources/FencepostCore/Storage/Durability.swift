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

/// How much is saved at once.
///
/// A change that is saved in place costs about as much as three rows of an image, and the image has all rows; so the
/// second is faster once a good part has changed. With relaxed durability an image is made also where that takes longer
/// in all, since it can be made in parts, between which the caller continues.
package struct SaveLimits: Sendable {
  /// So few changes are always saved in place. On a computer that is a twentieth of a second.
  package var least = 8_192
  /// The rows of one part.
  package var part = 8_192

  /// A change in place pays until one of so many conditions has changed; with relaxed durability, where an image is no time
  /// that a caller waits, until fewer have.
  private static let shareInPlace = 4
  private static let shareInPlaceWhenRelaxed = 64

  package init() {}

  package init(least: Int, part: Int) {
    self.least = least
    self.part = part
  }

  /// Whether so many changes are saved as an image of a monitor with so many conditions.
  ///
  /// - Parameter relaxed: Whether the image may be made in parts.
  func isLarge(_ changes: Int, of conditions: Int, relaxed: Bool) -> Bool {
    changes > max(least, conditions / (relaxed ? Self.shareInPlaceWhenRelaxed : Self.shareInPlace))
  }
}
