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

/// The watches of the shapes that are not settled outside: inside, or with a candidate open. All others can only be
/// entered, and those the index finds.
struct Watches: Sendable {
  private(set) var watches: ContiguousArray<Watch> = []

  mutating func append(_ watch: Watch) -> UInt32 {
    watches.append(watch)
    return UInt32(watches.count - 1)
  }

  mutating func update(_ index: UInt32, _ watch: Watch) {
    watches[Int(index)] = watch
  }

  /// Removes a watch; returns the slot that moved to its index, if any.
  mutating func remove(_ index: UInt32) -> UInt32? {
    let last = watches.removeLast()
    guard Int(index) < watches.count else { return nil }
    watches[Int(index)] = last
    return last.slot
  }
}
