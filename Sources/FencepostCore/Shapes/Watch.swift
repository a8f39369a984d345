import FencepostKernel

/// A threshold at which something may change for a condition: it may have when `slack` is not positive.
struct Watch: Sendable, Equatable {
  /// What a shape is to be watched for, with a signed distance from its line, metres.
  enum Passage {
    /// Coming to that distance, or a lesser one, from a greater one.
    case inwards(Double)
    /// Coming to that distance, or a greater one, from a lesser one.
    case outwards(Double)
    /// Whatever comes.
    case any
  }

  /// Where a shape without a closed form was measured last, and what was found there: bounds of the signed distance from
  /// its line, metres.
  struct Local: Sendable {
    var position: EarthVector
    var least: Double
    var most: Double
    /// What the watch was drawn for; `nil` while it is not drawn from here.
    var passage: Passage?
  }

  var centre: EarthVector
  /// Chord, metres.
  var threshold: Double
  /// 1: acts when the chord reaches the threshold from below. −1: from above.
  var direction: Double
  var slot: UInt32

  /// How far the device can move before the threshold is reached, metres.
  @inline(__always)
  func slack(at position: EarthVector) -> Double {
    direction * (threshold - centre.squaredChord(to: position).squareRoot())
  }
}
