/// When changes are saved.
public enum Durability: Sendable, Hashable {
  /// A change of a state, a candidate or the queue is saved before the call that caused it returns. After a crash, feed
  /// the later inputs again; none of them changed any of these.
  case changes
  /// Each input is saved before the call returns. A batch counts as one input.
  case everyInput
  /// Changes are saved at a checkpoint, on closing, and whenever this interval of event time has passed. The interval
  /// is in microseconds, 1 … 10¹⁵. Very many changes are saved in parts, one part in each of the next calls.
  case relaxed(interval: Int64)

  /// The reason why the value is invalid, as a message; `nil` if it is valid.
  @_optimize(size)
  package var defect: String? {
    if case .relaxed(let interval) = self, !(1...TransitionPolicy.longestDuration).contains(interval) {
      return "checkpoint_interval is \(interval) microseconds; must be from 1 to \(TransitionPolicy.longestDuration)"
    }
    return nil
  }
}

/// The limits that decide how much is saved at once.
///
/// Saving one change in place costs about as much as writing three rows of an image. An image contains all rows, so it
/// is faster once a considerable part of the rows has changed. With relaxed durability, an image is used even if it
/// takes longer in total, because it is written in parts and the caller continues between them.
package struct SaveLimits: Sendable {
  /// Up to this number of changes are always saved in place. On a desktop computer, that takes about 0.05 s.
  package var least = 8_192
  /// The number of rows in one part.
  package var part = 8_192

  /// Changes are saved in place until more than one in this number of conditions has changed. With relaxed durability,
  /// an image is used earlier, because the caller does not wait for all of it.
  private static let shareInPlace = 4
  private static let shareInPlaceWhenRelaxed = 64

  package init() {}

  package init(least: Int, part: Int) {
    self.least = least
    self.part = part
  }

  /// Returns whether to save this number of changes as an image, in a monitor with this number of conditions.
  ///
  /// - Parameter relaxed: Whether the image may be made in parts.
  func isLarge(_ changes: Int, of conditions: Int, relaxed: Bool) -> Bool {
    changes > max(least, conditions / (relaxed ? Self.shareInPlaceWhenRelaxed : Self.shareInPlace))
  }
}
