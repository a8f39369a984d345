import FencepostKernel

/// What the evaluation of one fix finds on its way, from the look at the index to the list that is drawn up anew.
///
/// It belongs to whoever feeds, and says nothing once the evaluation is over. Who feeds often keeps one, so that an ordinary
/// fix asks the system for no memory; a monitor and its forks are spared it.
struct Survey: Sendable {
  /// The circles whose threshold the fix reaches.
  var reached: ContiguousArray<UInt32> = []
  /// Scratch memory of the function that sorts `reached`.
  var keys: ContiguousArray<ReachedKey> = []
  /// What the fix has confirmed.
  var confirmed: ContiguousArray<Confirmation> = []
  /// The caps that the index gave.
  var gathered: ContiguousArray<CapHit> = []
  /// The thresholds that may come into the neighbourhood's list.
  var near: ContiguousArray<NearThreshold> = []
  /// Distance within which `gathered` is complete, metres; 0 = nothing was gathered for this fix.
  private(set) var radius = 0.0
  /// Around which `gathered` is complete.
  private(set) var centre = EarthVector(x: 0, y: 0, z: 0)
  /// Around which, and within what distance, `gathered` is complete since the way to this fix; negative: it is not.
  private var ahead = (centre: EarthVector(x: 0, y: 0, z: 0), radius: -1.0)
  /// Circles that are settled outside since `near` was gathered, or that the fix reached: not in `near` yet.
  private(set) var released: ContiguousArray<UInt32> = []
  /// The fix is a point of the path between two fixes.
  var isOnPath = false
  /// What the path to the next fix may change.
  var path: ContiguousArray<PathEntry> = []
  /// The lines that a piece of that path crosses, in the order in which it does, and the number of the next one.
  var lines: ContiguousArray<LinePassage> = []
  var nextLine = 0

  /// Forgets the fix before.
  @inline(__always)
  mutating func begin() {
    radius = 0
    released.clear()
    reached.clear()
    if confirmed.capacity == 0 { makeRoom() }
  }

  /// Room for what one instant brings now and then, so that it does not have to be found when it does.
  @inline(never)
  private mutating func makeRoom() {
    reached.reserveCapacity(8)
    released.reserveCapacity(8)
    confirmed.reserveCapacity(4)
  }

  /// Forgets the way to the fix before.
  @inline(__always)
  mutating func beginPath() {
    ahead.radius = -1
    nextLine = 0
    lines.clear()
  }

  /// Gathers the caps of an index within a distance of a point.
  mutating func gather(_ index: CapIndex, around centre: EarthVector, within radius: Double) {
    self.centre = centre
    self.radius = radius
    near.clear()
    gatherAhead(index, around: centre, within: radius)
    // It was for this fix: before the next one the index may change.
    ahead.radius = -1
  }

  /// The same for the way to a fix: what is gathered around the same point within the same distance for the fix itself then is
  /// there.
  mutating func gatherAhead(_ index: CapIndex, around centre: EarthVector, within radius: Double) {
    guard ahead.radius != radius || ahead.centre != centre else { return }
    collect(index, near: centre, within: radius)
    ahead = (centre, radius)
  }

  /// Has `gathered` be the caps of an index within a distance of a point, and nothing more said of that.
  mutating func collect(_ index: CapIndex, near point: EarthVector, within distance: Double) {
    ahead.radius = -1
    gathered.clear()
    index.collect(near: point, within: distance, into: &gathered)
  }

  /// The same where patches of the index may know the place.
  mutating func gather(_ index: CapIndex, _ patches: CapPatches, around centre: EarthVector, within radius: Double) {
    guard let place = patches.place(of: centre) else { return gather(index, around: centre, within: radius) }
    begin(around: centre, within: min(radius, place.margin))
    patches.collect(at: place, within: self.radius, into: &gathered)
  }

  /// The same where the nearest of the caps that matter is known already: no other one is within the distance that is known
  /// of the next.
  mutating func gather(_ nearest: NearestCap, around centre: EarthVector) {
    begin(around: centre, within: nearest.next)
    // Its threshold is measured anew.
    if nearest.id != .max { gathered.append(CapHit(id: nearest.id, slack: 0)) }
  }

  private mutating func begin(around centre: EarthVector, within radius: Double) {
    self.centre = centre
    self.radius = radius
    ahead.radius = -1
    gathered.clear()
    near.clear()
  }

  /// Hears that a circle is settled outside from now on.
  @inline(__always)
  mutating func release(_ slot: UInt32) {
    if radius > 0 { released.append(slot) }
  }
}

/// A change that is confirmed at one instant, in the second group of that instant.
struct Confirmation: Sendable {
  enum Change: Sendable {
    /// A circle's line was crossed.
    case crossing(Candidate)
    /// A line without a width was crossed.
    case line(Candidate, isToLeft: Bool)
    /// A beacon is not near.
    case absence
  }

  var deadline: Int64
  var generation: UInt64
  var slot: UInt32
  /// The date of the event.
  var date: Int64
  var change: Change
}

/// A shape that a fix reaches, and its place in the add order.
struct ReachedKey: Sendable {
  var generation: UInt64
  var slot: UInt32
}

/// A threshold near the device.
struct NearThreshold: Sendable {
  /// How far the device can move before it is reached, metres; or less.
  var slack: Double
  var slot: UInt32
}

extension ContiguousArray<NearThreshold> {
  /// Moves the k smallest slacks to the front and returns the k-th; k from 1 to the count.
  ///
  /// Source: C. A. R. Hoare, "Algorithm 65: Find", Communications of the ACM 4 (1961).
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
