import FencepostKernel

/// The scratch memory for the evaluation of one fix.
///
/// The caller owns it, and its contents are meaningless once the evaluation is over. A caller that feeds often keeps
/// one, so that a fix usually needs no allocation; monitors and their forks do not contain one.
struct Survey: Sendable {
  /// The shapes whose threshold the fix reaches.
  var reached: ContiguousArray<UInt32> = []
  /// Scratch memory for sorting `reached`.
  var keys: ContiguousArray<ReachedKey> = []
  /// The changes that the fix has confirmed.
  var confirmed: ContiguousArray<Confirmation> = []
  /// The caps that the index returned.
  var gathered: ContiguousArray<CapHit> = []
  /// The candidates for the list of the neighbourhood.
  var near: ContiguousArray<NearThreshold> = []
  /// The distance from `centre` within which `gathered` is complete, in metres; 0 if nothing was gathered for this fix.
  private(set) var radius = 0.0
  /// The point around which `gathered` is complete.
  private(set) var centre = EarthVector(x: 0, y: 0, z: 0)
  /// The point around which, and the distance in metres within which, `gathered` has been complete since the path to
  /// this fix was examined. The radius is negative if it is not complete.
  private var ahead = (centre: EarthVector(x: 0, y: 0, z: 0), radius: -1.0)
  /// The shapes that became settled outside after `near` was gathered, or that the fix reached; `near` does not contain
  /// them yet.
  private(set) var released: ContiguousArray<UInt32> = []
  /// Whether the fix is a point of the path between two fixes.
  var isOnPath = false
  /// The entries of the path to the next fix: shapes whose state may change on it.
  var path: ContiguousArray<PathEntry> = []
  /// The lines that a piece of that path crosses, in the order of the crossings, and the index of the next one.
  var lines: ContiguousArray<LinePassage> = []
  var nextLine = 0

  /// Discards the results of the previous fix.
  @inline(__always)
  mutating func begin() {
    radius = 0
    released.clear()
    reached.clear()
    if confirmed.capacity == 0 { makeRoom() }
  }

  /// Reserves memory for a typical evaluation, so that it needs no allocation.
  @inline(never)
  private mutating func makeRoom() {
    reached.reserveCapacity(8)
    released.reserveCapacity(8)
    confirmed.reserveCapacity(4)
  }

  /// Discards the results of the path to the previous fix.
  @inline(__always)
  mutating func beginPath() {
    ahead.radius = -1
    nextLine = 0
    lines.clear()
  }

  /// Gathers the caps of an index within a distance of a point, in metres.
  mutating func gather(_ index: CapIndex, around centre: EarthVector, within radius: Double) {
    self.centre = centre
    self.radius = radius
    near.clear()
    gatherAhead(index, around: centre, within: radius)
    // The index may change before the next fix, so the result is valid only for this fix.
    ahead.radius = -1
  }

  /// Gathers the caps for the path to a fix. If the fix itself then needs the caps around the same point within the
  /// same distance, they are not gathered again.
  mutating func gatherAhead(_ index: CapIndex, around centre: EarthVector, within radius: Double) {
    guard ahead.radius != radius || ahead.centre != centre else { return }
    collect(index, near: centre, within: radius)
    ahead = (centre, radius)
  }

  /// Sets `gathered` to the caps of an index within a distance of a point, without recording the point and the
  /// distance.
  mutating func collect(_ index: CapIndex, near point: EarthVector, within distance: Double) {
    ahead.radius = -1
    gathered.clear()
    index.collect(near: point, within: distance, into: &gathered)
  }

  /// Gathers the caps from patches of the index if they contain the place; otherwise from the index.
  mutating func gather(_ index: CapIndex, _ patches: CapPatches, around centre: EarthVector, within radius: Double) {
    guard let place = patches.place(of: centre) else { return gather(index, around: centre, within: radius) }
    begin(around: centre, within: min(radius, place.margin))
    patches.collect(at: place, within: self.radius, into: &gathered)
  }

  /// Gathers only the nearest cap, which is known already. No other cap that matters is closer than `nearest.next`.
  mutating func gather(_ nearest: NearestCap, around centre: EarthVector) {
    begin(around: centre, within: nearest.next)
    // The slack does not matter, because the threshold of this cap is measured again.
    if nearest.id != .max { gathered.append(CapHit(id: nearest.id, slack: 0)) }
  }

  private mutating func begin(around centre: EarthVector, within radius: Double) {
    self.centre = centre
    self.radius = radius
    ahead.radius = -1
    gathered.clear()
    near.clear()
  }

  /// Records that a shape is settled outside from now on.
  @inline(__always)
  mutating func release(_ slot: UInt32) {
    if radius > 0 { released.append(slot) }
  }
}

/// A change that is confirmed at one time. Of the events of one time, confirmations are the second group.
struct Confirmation: Sendable {
  enum Change: Sendable {
    /// A circle's line, or the boundary of another shape, was crossed.
    case crossing(Candidate)
    /// A line condition was crossed.
    case line(Candidate, isToLeft: Bool)
    /// No matching beacon is near.
    case absence
    /// An undetermined shape is unsatisfied without evidence.
    case shapeAbsence
    /// A condition is still satisfied.
    case `repeat`
  }

  var deadline: Int64
  var generation: UInt64
  var slot: UInt32
  /// The date of the event.
  var date: Int64
  var change: Change
}

/// A shape that a fix reaches, with its generation, which gives its place in the add order.
struct ReachedKey: Sendable {
  var generation: UInt64
  var slot: UInt32
}

/// A threshold near the device.
struct NearThreshold: Sendable {
  /// A lower bound of the distance in metres that the device can move before it reaches the threshold.
  var slack: Double
  var slot: UInt32
}

extension ContiguousArray<NearThreshold> {
  /// Moves the k smallest slacks to the front and returns the entry with the k-th smallest; `k` is from 1 to the count.
  ///
  /// The algorithm is quickselect: C. A. R. Hoare, "Algorithm 65: Find", Communications of the ACM 4 (1961).
  mutating func select(_ k: Int) -> NearThreshold {
    var low = 0
    var high = count - 1
    let target = k - 1
    while low < high {
      let pivot = self[(low + high) / 2].slack
      var left = low
      var right = high
      while left <= right {
        while self[left].slack < pivot { left += 1 }
        while pivot < self[right].slack { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if target <= right { high = right } else if target >= left { low = left } else { break }
    }
    return self[target]
  }
}
