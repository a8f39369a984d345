/// A crossing in the making: a decisive fix was on the other side, and none since spoke against it.
struct Candidate: Sendable {
  /// The fix that opened it.
  var fix: Fix
  /// Its signed boundary distance, metres.
  var boundaryDistance: Double
  /// When the dwell has passed, microseconds.
  var deadline: Int64
  /// Confirmed by the deadline itself; else by the first fix on the new side from then on.
  var isTimed: Bool
  /// The fix is a point of the path between two fixes.
  var isOnPath = false
}
