import FencepostKernel

/// A threshold of a condition: as long as `slack` is positive, nothing can have changed for the condition.
struct Watch: Sendable, Equatable {
  /// The passage that a watch detects, with a signed distance from the shape's line in metres.
  enum Passage {
    /// From a greater distance to this distance or a smaller one.
    case inwards(Double)
    /// From a smaller distance to this distance or a greater one.
    case outwards(Double)
    /// Any move.
    case any
  }

  /// The position at which a shape without a closed form was measured last, with bounds of the signed distance from its
  /// line in metres.
  struct Local: Sendable {
    var position: EarthVector
    var least: Double
    var most: Double
    /// The passage of the watch that was computed for this position; `nil` without such a watch.
    var passage: Passage?
  }

  var centre: EarthVector
  /// Chord, metres.
  var threshold: Double
  /// 1: acts when the chord reaches the threshold from below. −1: from above.
  var direction: Double
  var slot: UInt32

  /// The distance that the device can move before it reaches the threshold, in metres.
  @inline(__always)
  func slack(at position: EarthVector) -> Double {
    direction * (threshold - centre.squaredChord(to: position).squareRoot())
  }
}
