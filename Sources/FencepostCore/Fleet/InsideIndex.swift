import FencepostKernel

/// An index of the devices inside each shape, so that they can be found without examining every device.
///
/// The index is derived data and is never saved. It is built from all devices at the first query, and then updated by
/// each call. The list of a slot contains every device that is inside the shape in this slot. It may also contain
/// devices that have left the shape, or that were inside a shape which had the slot before. So a query must check each
/// device of the list.
struct InsideIndex: Sendable {
  /// The devices of one slot. The first ones are in ascending order without duplicates; the others are in the order in
  /// which they were added.
  private struct List: Sendable {
    var devices: ContiguousArray<UInt32> = []
    var sortedCount = 0
  }

  /// If the number of entries exceeds twice the number at the last build by more than this, the index is built anew,
  /// because most of the devices may have left.
  private static let spare = 4_096

  private(set) var isOn = false
  private var lists: ContiguousArray<List> = []
  private var count = 0
  private var most = 0

  /// Removes everything. The next query builds the index anew.
  mutating func drop() {
    guard isOn else { return }
    self = InsideIndex()
  }

  /// Begins to build the index. The caller must add each device that is inside a shape, in ascending order, and then
  /// call ``endMaking()``.
  mutating func beginMaking() {
    self = InsideIndex()
    isOn = true
    most = .max
  }

  mutating func endMaking() {
    most = 2 * count + Self.spare
    for index in lists.indices { lists[index].sortedCount = lists[index].devices.count }
  }

  /// Adds a device that has entered a shape.
  mutating func add(_ device: UInt32, to slot: UInt32) {
    guard isOn else { return }
    if count >= most { return drop() }
    while lists.count <= Int(slot) { lists.append(List()) }
    lists[Int(slot)].devices.append(device)
    count += 1
  }

  /// Calls `isInside` once for each device in the list of a slot, in ascending order, and removes the devices that are
  /// not inside.
  mutating func forEach(in slot: UInt32, _ isInside: (UInt32) -> Bool) {
    guard Int(slot) < lists.count else { return }
    var list = List()
    swap(&list, &lists[Int(slot)])
    let before = list.devices.count
    var others = ContiguousArray(list.devices[list.sortedCount...])
    others.arrange()
    var kept: ContiguousArray<UInt32> = []
    kept.reserveCapacity(before)
    var (first, second) = (0, 0)
    var last: UInt32?
    while first < list.sortedCount || second < others.count {
      let device: UInt32
      if second == others.count || first < list.sortedCount && list.devices[first] <= others[second] {
        device = list.devices[first]
        first += 1
      } else {
        device = others[second]
        second += 1
      }
      if device == last { continue }
      last = device
      if isInside(device) { kept.append(device) }
    }
    count += kept.count - before
    lists[Int(slot)] = List(devices: kept, sortedCount: kept.count)
  }
}

#if FENCEPOST_INVARIANTS
  extension InsideIndex {
    /// Whether the list of a slot contains a device.
    func names(_ device: UInt32, in slot: UInt32) -> Bool {
      Int(slot) < lists.count && lists[Int(slot)].devices.contains(device)
    }
  }
#endif
