import FencepostKernel

/// What the detector knows of a shape that is not as most are.
struct SlotState: Equatable, Sendable {
  /// Index in ``Watches``, or ``none``.
  var active: UInt32 = SlotState.none
  var observed: Observed = .undetermined
  /// Listed among the shapes that wait for the fix that decides them.
  var isListed = false
  /// A fix was evaluated since the shape became undetermined, and was too coarse to decide it.
  var hasMetCoarseFix = false

  static let none = UInt32.max
}

/// What one device's shapes are believed to be, at the price of those that are not as most are.
///
/// *A shape without an entry is settled outside when its generation is swept through, else undetermined.* So a device
/// pays neither in time nor in memory for the shapes that are far away: its first fix sweeps through all of them at
/// once, and a copy is as small as what happened to the device.
struct SlotStates: Sendable {
  private var exceptions = DeviceEntries<SlotState>()
  /// Shapes up to this generation are settled outside, but for the exceptions.
  private(set) var sweptThrough: UInt64 = 0
  /// The generation of the last shape that came.
  private var lastGeneration: UInt64 = 0
  /// Whether all shapes before that one were swept through when it came.
  private var lastIsAlone = false
  /// Shapes that are swept through and wait for a fix that decides them, with some that are gone since.
  private var listed: ContiguousArray<UInt32> = []
  /// Whether `listed` is in add order.
  private var listedIsSorted = true
  /// Shapes that wait for a place under the condition limit are undetermined without an entry.
  private var skipsWaiting = false

  /// How many places a walk over the exceptions looks at.
  var placeCount: Int { exceptions.count }

  /// Whether no shape came since all were swept through.
  @inline(__always)
  var isSwept: Bool { lastGeneration <= sweptThrough }

  /// Whether no shape waits for a fix that decides it.
  @inline(__always)
  var isSettled: Bool { isSwept && listed.isEmpty }

  /// What is believed of a shape without an entry.
  @inline(__always)
  private func common(_ slot: UInt32, _ table: ConditionTable) -> SlotState {
    var state = SlotState()
    if isSwept || table.generation(of: slot) <= sweptThrough, !skipsWaiting || !table.isOverLimit(slot) {
      state.observed = .outside
    }
    return state
  }

  @inline(__always)
  func state(of slot: UInt32, _ table: ConditionTable) -> SlotState { exceptions[slot] ?? common(slot, table) }

  @inline(__always)
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed { state(of: slot, table).observed }

  /// Whether a shape is outside and nothing is about to happen to it.
  @inline(__always)
  func isSettledOutside(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    let state = state(of: slot, table)
    return state.observed == .outside && state.active == SlotState.none
  }

  /// The state of a shape that has an entry.
  func exception(_ slot: UInt32) -> SlotState? { exceptions[slot] }

  /// Calls `body` with each shape that has an entry, in no particular order; some of them may be gone.
  func forEachException(_ body: (UInt32, SlotState) -> Void) { exceptions.forEach(body) }

  // MARK: - Changes

  @inline(__always)
  private mutating func change(_ slot: UInt32, _ table: ConditionTable, _ body: (inout SlotState) -> Void) {
    exceptions.update(slot, or: common(slot, table), body)
  }

  /// Believes a shape to be undetermined, as it is when it comes.
  mutating func setUndetermined(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = .undetermined
      $0.hasMetCoarseFix = false
    }
  }

  /// Believes a shape to be on a side.
  ///
  /// - Parameter index: In ``Watches``, or ``SlotState/none``.
  mutating func set(_ slot: UInt32, _ observed: Observed, active index: UInt32, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = observed
      $0.active = index
      if observed != .undetermined { $0.hasMetCoarseFix = false }
    }
  }

  mutating func setActive(_ slot: UInt32, _ index: UInt32, _ table: ConditionTable) {
    change(slot, table) { $0.active = index }
  }

  /// Takes what is believed of a shape that has no entry, and is watched.
  mutating func load(_ slot: UInt32, _ observed: Observed, active index: UInt32) {
    exceptions[slot] = SlotState(active: index, observed: observed)
  }

  /// Believes a shape to be undetermined, after a fix that was too coarse for it.
  mutating func setTooCoarse(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = .undetermined
      $0.hasMetCoarseFix = true
    }
  }

  /// Hears of a shape that came into a slot; it is undetermined.
  mutating func adopt(generation: UInt64) {
    lastIsAlone = isSwept
    lastGeneration = max(lastGeneration, generation)
  }

  /// Where the shape that came last is the only one that is not swept through: sweeps through it before it is decided,
  /// so that it needs no entry when it is outside.
  mutating func sweepLast() {
    if lastIsAlone { sweptThrough = max(sweptThrough, lastGeneration) }
  }

  /// Forgets a shape that left its slot.
  mutating func drop(_ slot: UInt32) {
    guard let state = exceptions[slot] else { return }
    // The list is closed up when it is looked at next; whoever has the slot then is not to stand in it twice.
    exceptions[slot] = state.isListed ? SlotState(isListed: true) : nil
  }

  // MARK: - Who waits

  /// Lists an undetermined shape, unless it is to be swept through with the others.
  mutating func wait(_ slot: UInt32, _ table: ConditionTable) {
    let generation = table.generation(of: slot)
    guard generation <= sweptThrough else { return }
    var state = exceptions[slot] ?? SlotState()
    guard !state.isListed else {
      listedIsSorted = false  // left by a shape that had the slot before
      return
    }
    if let last = listed.last, table.generation(of: last) > generation { listedIsSorted = false }
    state.isListed = true
    exceptions[slot] = state
    listed.append(slot)
  }

  /// The shapes that wait and are swept through, in add order; they are listed no more.
  mutating func takeListed(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    guard !listed.isEmpty else {
      listedIsSorted = true
      return []
    }
    return takeSome(table)
  }

  @inline(never)
  private mutating func takeSome(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    var taken: ContiguousArray<UInt32> = []
    swap(&taken, &listed)
    taken.removeAll { slot in
      let isWaiting = exceptions[slot]?.observed == .undetermined && table.isGeographic(slot)
      if table.isGeographic(slot) {
        change(slot, table) { $0.isListed = false }
      } else {
        exceptions[slot] = nil
      }
      return !isWaiting || table.generation(of: slot) > sweptThrough
    }
    if !listedIsSorted { table.putInOrder(&taken) }
    listedIsSorted = true
    return taken
  }

  /// Whether a shape that waits is one that `body` is true of.
  func containsWaiting(_ table: ConditionTable, where body: (UInt32) -> Bool) -> Bool {
    if listed.contains(where: body) { return true }
    return !isSwept && table.order.live(after: sweptThrough).contains(where: body)
  }

  /// How many shapes wait for a fix at most.
  func waitingCount(_ table: ConditionTable) -> Int {
    listed.count + (isSwept ? 0 : table.order.count(after: sweptThrough))
  }

  // MARK: - All at once

  /// Begins with nothing but that all shapes up to a generation are settled outside, for a tracker that follows no table.
  mutating func begin(sweptThrough generation: UInt64, _ table: ConditionTable) {
    exceptions.removeAll()
    sweptThrough = generation
    lastGeneration = table.order.lastGeneration
    lastIsAlone = false
    skipsWaiting = table.limit.isExceeded
    if !listed.isEmpty { listed.removeAll(keepingCapacity: true) }
    listedIsSorted = true
  }

  /// Believes every shape without an entry to be outside.
  mutating func sweep(_ table: ConditionTable) {
    sweptThrough = table.order.lastGeneration
  }

  /// Drops the entry of a shape that was outside before all others were swept.
  mutating func tidy(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) { _ in }
  }

  /// Takes the generation that was swept through from a saved state, before any shape comes.
  mutating func restore(sweptThrough generation: UInt64) {
    sweptThrough = generation
  }

  /// Takes the state of a shape that was saved.
  mutating func restore(_ slot: UInt32, _ observed: Observed, hasMetCoarseFix: Bool, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = observed
      $0.hasMetCoarseFix = hasMetCoarseFix
    }
  }

  /// Believes the same, with the fewer exceptions of two ways: everything swept through, or nothing.
  mutating func rebase(_ table: ConditionTable) {
    var undetermined = 0
    for slot in table.live where table.isGeographic(slot) {
      undetermined += observed(slot, table) == .undetermined ? 1 : -1
    }
    var fresh = SlotStates()
    fresh.lastGeneration = lastGeneration
    if undetermined <= 0 { fresh.sweep(table) }
    for slot in table.live where table.isGeographic(slot) {
      let state = state(of: slot, table)
      let isWaiting = state.isListed || table.generation(of: slot) > sweptThrough
      fresh.change(slot, table) {
        $0 = state
        $0.isListed = false
      }
      if state.observed == .undetermined, isWaiting { fresh.wait(slot, table) }
    }
    self = fresh
  }

  /// Believes every shape to be undetermined.
  mutating func forgetAll() {
    let last = lastGeneration
    self = SlotStates()
    lastGeneration = last
  }
}

#if FENCEPOST_INVARIANTS
  extension SlotStates {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      try exceptions.checkInvariants()
      let shapes = table.live.filter { table.isGeographic($0) }
      try Invariant.hold(
        shapes.allSatisfy { table.generation(of: $0) <= lastGeneration }, "no shape is later than the last generation")
      try Invariant.hold(sweptThrough <= table.order.lastGeneration, "the sweep has not passed the last generation")
      let waiting = Set(listed)
      try Invariant.hold(waiting.count == listed.count, "an undetermined shape is listed once")
      var entries: [(slot: UInt32, state: SlotState)] = []
      exceptions.forEach { entries.append(($0, $1)) }
      let live = Set(shapes)
      for (slot, state) in entries {
        try Invariant.hold(state.isListed == waiting.contains(slot), "a shape listed as undetermined is marked")
        try Invariant.hold(live.contains(slot) || state.isListed, "an entry belongs to a shape, or will be removed")
        try Invariant.hold(
          !live.contains(slot) || state != common(slot, table), "a shape in the common state has no entry")
      }
      try Invariant.hold(
        listed.allSatisfy { exceptions[$0]?.isListed == true }, "a shape listed as undetermined is marked")
      let generations = listed.filter { live.contains($0) && observed($0, table) == .undetermined }
        .map { table.generation(of: $0) }.filter { $0 <= sweptThrough }
      try Invariant.hold(
        !listedIsSorted || generations.sorted() == generations, "the undetermined shapes are in add order")
    }
  }
#endif
