import FencepostKernel

/// The state of a shape for one device, if it differs from the common state.
struct SlotState: Equatable, Sendable {
  /// The index in ``Watches``, or ``none``.
  var active: UInt32 = SlotState.none
  var observed: Observed = .undetermined
  /// Whether the shape is in the list of shapes that wait for a fix to determine them.
  var isListed = false
  /// Whether a fix that was evaluated since the shape became undetermined was too coarse to determine it.
  var hasMetCoarseFix = false

  static let none = UInt32.max
}

/// The states of all shapes for one device. The cost depends only on the shapes whose states differ from the common
/// state.
///
/// *If a shape has no entry and its generation was swept, the device is settled outside it; if its generation was not
/// swept, the shape is undetermined.* So distant shapes cost neither time nor memory: the first fix of a device sweeps
/// all shapes at once, and a copy contains only the shapes with an entry.
struct SlotStates: Sendable {
  private var exceptions = DeviceEntries<SlotState>()
  /// The device is settled outside all shapes up to this generation, except those with an entry.
  private(set) var sweptThrough: UInt64 = 0
  /// The generation of the last added shape.
  private var lastGeneration: UInt64 = 0
  /// Whether all earlier shapes had been swept when this shape was added.
  private var lastIsAlone = false
  /// The swept shapes that wait for a fix to determine them. Some of them may have been removed since.
  private var listed: ContiguousArray<UInt32> = []
  /// Whether `listed` is in add order.
  private var listedIsSorted = true

  /// The number of places that are visited to enumerate the entries.
  var placeCount: Int { exceptions.count }

  /// Whether no shape was added since all shapes were swept.
  @inline(__always)
  var isSwept: Bool { lastGeneration <= sweptThrough }

  /// Whether no shape waits for a fix to determine it.
  @inline(__always)
  var isSettled: Bool { isSwept && listed.isEmpty }

  /// Returns the observed state of a shape without an entry.
  @inline(__always)
  private func common(_ slot: UInt32, _ table: ConditionTable) -> SlotState {
    var state = SlotState()
    if isSwept || table.generation(of: slot) <= sweptThrough { state.observed = .outside }
    return state
  }

  @inline(__always)
  func state(of slot: UInt32, _ table: ConditionTable) -> SlotState { exceptions[slot] ?? common(slot, table) }

  @inline(__always)
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed { state(of: slot, table).observed }

  /// Whether the device is outside a shape and the shape has no watch.
  @inline(__always)
  func isSettledOutside(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    let state = state(of: slot, table)
    return state.observed == .outside && state.active == SlotState.none
  }

  /// Returns the entry of a shape, if it has one.
  func exception(_ slot: UInt32) -> SlotState? { exceptions[slot] }

  /// Calls `body` with each shape that has an entry, in no particular order. Some of the shapes may have been removed.
  func forEachException(_ body: (UInt32, SlotState) -> Void) { exceptions.forEach(body) }

  // MARK: - Changes

  @inline(__always)
  private mutating func change(_ slot: UInt32, _ table: ConditionTable, _ body: (inout SlotState) -> Void) {
    exceptions.update(slot, or: common(slot, table), body)
  }

  /// Makes a shape undetermined, like a newly added shape.
  mutating func setUndetermined(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = .undetermined
      $0.hasMetCoarseFix = false
    }
  }

  /// Sets the observed state of a shape.
  ///
  /// - Parameter index: The index in ``Watches``, or ``SlotState/none``.
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

  /// Loads the state of a shape that has no entry and is watched.
  mutating func load(_ slot: UInt32, _ observed: Observed, active index: UInt32) {
    exceptions[slot] = SlotState(active: index, observed: observed)
  }

  /// Makes a shape undetermined, after a fix that was too coarse to determine it.
  mutating func setTooCoarse(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = .undetermined
      $0.hasMetCoarseFix = true
    }
  }

  /// Records that a new shape is in a slot; the shape is undetermined.
  mutating func adopt(generation: UInt64) {
    lastIsAlone = isSwept
    lastGeneration = max(lastGeneration, generation)
  }

  /// If the last added shape is the only shape that was not swept, sweeps it before it is determined. It then needs no
  /// entry if the device is outside it.
  ///
  /// - Parameter generation: The generation of the shape that is determined next. An earlier shape may start while the
  ///   last one is inactive, and then the last one stays undetermined.
  mutating func sweepLast(_ generation: UInt64) {
    if lastIsAlone, generation == lastGeneration { sweptThrough = max(sweptThrough, lastGeneration) }
  }

  /// Removes the state of a shape that was removed from its slot.
  mutating func drop(_ slot: UInt32) {
    guard let state = exceptions[slot] else { return }
    // The list is cleaned when it is next read. Until then, the mark prevents a new shape in this slot from being
    // listed twice.
    exceptions[slot] = state.isListed ? SlotState(isListed: true) : nil
  }

  // MARK: - Undetermined shapes

  /// Adds an undetermined shape to the list, unless it will be swept with the others.
  mutating func wait(_ slot: UInt32, _ table: ConditionTable) {
    let generation = table.generation(of: slot)
    guard generation <= sweptThrough else { return }
    var state = exceptions[slot] ?? SlotState()
    guard !state.isListed else {
      listedIsSorted = false  // a previous shape of this slot was listed
      return
    }
    if let last = listed.last, table.generation(of: last) > generation { listedIsSorted = false }
    state.isListed = true
    exceptions[slot] = state
    listed.append(slot)
  }

  /// Returns the swept shapes that wait, in add order, and removes them from the list.
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

  /// Whether `body` is true for a shape that waits.
  func containsWaiting(_ table: ConditionTable, where body: (UInt32) -> Bool) -> Bool {
    if listed.contains(where: body) { return true }
    return !isSwept && table.order.live(after: sweptThrough).contains(where: body)
  }

  /// Returns an upper bound of the number of shapes that wait for a fix.
  func waitingCount(_ table: ConditionTable) -> Int {
    listed.count + (isSwept ? 0 : table.order.count(after: sweptThrough))
  }

  // MARK: - All shapes

  /// Starts with a device that is settled outside all shapes up to a generation, for a tracker that does not follow a
  /// table.
  mutating func begin(sweptThrough generation: UInt64, _ table: ConditionTable) {
    exceptions.removeAll()
    sweptThrough = generation
    lastGeneration = table.order.lastGeneration
    lastIsAlone = false
    if !listed.isEmpty { listed.removeAll(keepingCapacity: true) }
    listedIsSorted = true
  }

  /// Settles every shape without an entry as outside.
  mutating func sweep(_ table: ConditionTable) {
    sweptThrough = table.order.lastGeneration
  }

  /// Removes the entry of a shape if it equals the common state, after all shapes were swept.
  mutating func tidy(_ slot: UInt32, _ table: ConditionTable) {
    change(slot, table) { _ in }
  }

  /// Restores the generation up to which shapes were swept, before any shape is added.
  mutating func restore(sweptThrough generation: UInt64) {
    sweptThrough = generation
  }

  /// Restores the saved state of a shape.
  mutating func restore(_ slot: UInt32, _ observed: Observed, hasMetCoarseFix: Bool, _ table: ConditionTable) {
    change(slot, table) {
      $0.observed = observed
      $0.hasMetCoarseFix = hasMetCoarseFix
    }
  }

  /// Represents the same states in the form with fewer entries: either with all shapes swept, or with none.
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

  /// Makes every shape undetermined.
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
