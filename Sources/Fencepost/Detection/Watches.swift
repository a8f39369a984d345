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

/// The watches of the shapes that are not settled outside: inside, or with a candidate open, or measured within the circle
/// that holds them. All others can only be entered, and those the index finds.
struct Watches: Sendable {
  private(set) var watches: ContiguousArray<Watch> = []
  /// What each watch was drawn from; empty while there are circles only, which need nothing of it.
  private var locals: ContiguousArray<Watch.Local?> = []

  /// Where the shape of a watch was measured last.
  @inline(__always)
  func local(_ index: UInt32) -> Watch.Local? { locals.isEmpty ? nil : locals[Int(index)] }

  mutating func removeAll() {
    guard !watches.isEmpty else { return }
    watches.removeAll(keepingCapacity: true)
    if !locals.isEmpty { locals.removeAll(keepingCapacity: true) }
  }

  @inline(__always)
  mutating func append(_ watch: Watch, _ local: Watch.Local?) -> UInt32 {
    watches.append(watch)
    if local != nil || !locals.isEmpty { append(local) }
    return UInt32(watches.count - 1)
  }

  @inline(never)
  private mutating func append(_ local: Watch.Local?) {
    while locals.count < watches.count - 1 { locals.append(nil) }
    locals.append(local)
  }

  mutating func update(_ index: UInt32, _ watch: Watch, _ local: Watch.Local?) {
    watches[Int(index)] = watch
    guard let local else { return }
    while locals.count < watches.count { locals.append(nil) }
    locals[Int(index)] = local
  }

  /// Removes a watch; returns the slot that moved to its index, if any.
  @inline(__always)
  mutating func remove(_ index: UInt32) -> UInt32? {
    let last = watches.removeLast()
    if !locals.isEmpty { removeLocal(index) }
    guard Int(index) < watches.count else { return nil }
    watches[Int(index)] = last
    return last.slot
  }

  @inline(never)
  private mutating func removeLocal(_ index: UInt32) {
    let last = locals.removeLast()
    if Int(index) < locals.count { locals[Int(index)] = last }
  }

  #if FENCEPOST_INVARIANTS
    var localCount: Int { locals.count }
  #endif
}
