/// A value of each slot that a fork can share.
protocol SharedSlot: Sendable {
  /// The value after everything was settled at once that was not changed since the sharing began.
  var swept: Self { get }
}

/// The values of all slots.
///
/// A fork keeps what it changes beside the states that it shares with the monitor that it was made of, so that ten
/// thousand devices among a hundred thousand conditions need memory for what happened to them only. Once it has changed
/// a good part it takes a copy of its own.
struct SharedSlots<Element: SharedSlot>: Sendable {
  /// Below so many slots a copy is cheap.
  static var leastShared: Int { 1_024 }
  /// A fork takes a copy once it has changed one slot of so many.
  static var shareOfChanged: Int { 16 }

  /// All states; while they are shared, those that were changed since, at the index that `places` has for the slot.
  private var own: ContiguousArray<Element> = []
  private(set) var isShared = false
  /// While states are shared: what they were when the sharing began, which is another monitor's too.
  private var origin: ContiguousArray<Element> = []
  private var places: [Int: Int] = [:]
  /// Whether the circles that `origin` lists as undetermined, and that were not changed, are outside by now.
  private var isSwept = false

  var count: Int { isShared ? origin.count : own.count }
  var isEmpty: Bool { count == 0 }
  var indices: Range<Int> { 0..<count }

  mutating func reserveCapacity(_ capacity: Int) {
    endSharing()
    own.reserveCapacity(capacity)
  }

  mutating func append(_ state: Element) {
    endSharing()
    own.append(state)
  }

  subscript(slot: Int) -> Element {
    @inline(__always)
    get { _fastPath(!isShared) ? own[slot] : sharedState(slot) }
    @inline(__always)
    _modify {
      let place = _fastPath(!isShared) ? slot : takeOwn(slot)
      yield &own[place]
    }
  }

  /// From now on what is changed is kept beside what there is, which is another monitor's too.
  mutating func share() {
    guard count >= Self.leastShared else { return endSharing() }
    guard !isShared else { return }
    swap(&own, &origin)
    isShared = true
  }

  /// The state of a slot as it was when the sharing began.
  @inline(__always)
  func origin(_ slot: Int) -> Element { isShared ? origin[slot] : own[slot] }

  /// Whether a slot was changed since the sharing began.
  @inline(__always)
  func isChanged(_ slot: Int) -> Bool { isShared && !places.isEmpty && places[slot] != nil }

  /// Calls `body` with each slot that was changed since the sharing began, in no particular order.
  func forEachChanged(_ body: (Int) -> Void) {
    for slot in places.keys { body(slot) }
  }

  /// Settles outside everything that is listed and was not changed since the sharing began.
  mutating func sweep() {
    isSwept = true
  }

  /// How many more slots can be changed before the sharing ends.
  var room: Int { origin.count / Self.shareOfChanged - places.count }

  @inline(never)
  private func sharedState(_ slot: Int) -> Element {
    if let place = places[slot] { return own[place] }
    return isSwept ? origin[slot].swept : origin[slot]
  }

  /// Puts a slot among those that were changed.
  ///
  /// - Returns: Its index in `own`.
  @inline(never) @discardableResult
  mutating func takeOwn(_ slot: Int) -> Int {
    if let place = places[slot] { return place }
    guard room > 0 else {
      endSharing()
      return slot
    }
    own.append(sharedState(slot))
    places[slot] = own.count - 1
    return own.count - 1
  }

  private mutating func endSharing() {
    guard isShared else { return }
    var all = origin
    if isSwept { for slot in all.indices { all[slot] = all[slot].swept } }
    for (slot, place) in places { all[slot] = own[place] }
    self = SharedSlots()
    own = all
  }
}
