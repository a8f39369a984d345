/// The states of all slots.
///
/// A fork keeps what it changes beside the states that it shares with the monitor that it was made of, so that ten
/// thousand devices among a hundred thousand conditions need memory for what happened to them only. Once it has changed
/// a good part it takes a copy of its own.
struct SlotStates: Sendable {
  /// Below so many slots a copy is cheap.
  static let leastShared = 1_024
  /// A fork takes a copy once it has changed one slot of so many.
  static let shareOfChanged = 16

  private var base: ContiguousArray<SlotState> = []
  /// Whether `base` is another monitor's too: what changes goes to `changed`.
  private(set) var isShared = false
  private var changed: [Int: SlotState] = [:]
  /// Whether all circles that `base` lists as undetermined, and that `changed` does not hold, are outside by now.
  private var isSwept = false

  var count: Int { base.count }
  var isEmpty: Bool { base.isEmpty }
  var indices: Range<Int> { base.indices }

  mutating func reserveCapacity(_ capacity: Int) {
    takeCopy()
    base.reserveCapacity(capacity)
  }

  mutating func append(_ state: SlotState) {
    takeCopy()
    base.append(state)
  }

  subscript(slot: Int) -> SlotState {
    @inline(__always)
    get { isShared ? sharedState(slot) : base[slot] }
    @inline(__always)
    _modify {
      if isShared {
        keep(slot)
        yield &changed[slot, default: SlotState()]
        takeCopyIfWorthwhile()
      } else {
        yield &base[slot]
      }
    }
  }

  /// From now on what is changed is kept beside what there is, which is another monitor's too.
  mutating func share() {
    guard count >= Self.leastShared else { return takeCopy() }
    isShared = true
  }

  /// Reads the states of some slots that stand in `base`, without what was changed since: no more than a hint.
  @inline(__always)
  func sharedHint(_ slot: Int) -> SlotState { base[slot] }

  /// Calls `body` with each slot that was changed since the fork, in no particular order.
  func forEachChanged(_ body: (Int) -> Void) {
    for slot in changed.keys { body(slot) }
  }

  /// Settles outside all undetermined circles that are listed and unchanged since the fork.
  mutating func sweep() {
    isSwept = true
  }

  /// How many slots can be changed before a copy is taken.
  var room: Int { base.count / Self.shareOfChanged - changed.count }

  @inline(never)
  private func sharedState(_ slot: Int) -> SlotState {
    changed[slot] ?? (isSwept ? Self.swept(base[slot]) : base[slot])
  }

  private static func swept(_ state: SlotState) -> SlotState {
    guard state.isListed else { return state }
    var state = state
    state.isListed = false
    if state.isSweepable { state.observed = .outside }
    return state
  }

  /// Has a slot's state among the changed ones.
  @inline(never)
  mutating func keep(_ slot: Int) {
    if changed[slot] == nil { changed[slot] = sharedState(slot) }
  }

  @inline(never)
  private mutating func takeCopyIfWorthwhile() {
    if room < 0 { takeCopy() }
  }

  /// Ends the sharing.
  private mutating func takeCopy() {
    guard isShared else { return }
    if isSwept { for slot in base.indices where base[slot].isListed { base[slot] = Self.swept(base[slot]) } }
    for (slot, state) in changed { base[slot] = state }
    changed = [:]
    isSwept = false
    isShared = false
  }
}
