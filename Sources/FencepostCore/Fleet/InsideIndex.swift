import FencepostKernel

/// Which devices came into which shapes: found again without a look at every device.
///
/// It is derived, and never saved: made when it is asked for first, from all devices, and kept up from then on by what a call
/// observes. A list names each device that is inside of the shape in that slot; some may have left since, or may have come
/// into a shape that had the slot before, so that who asks looks at each device that is named.
struct InsideIndex: Sendable {
  /// The devices of one slot: the first ones ascending and each once, the others as they came.
  private struct List: Sendable {
    var devices: ContiguousArray<UInt32> = []
    var sortedCount = 0
  }

  /// So many entries more than twice those that it was made of, and it is made anew: most may have left.
  private static let spare = 4_096

  private(set) var isOn = false
  private var lists: ContiguousArray<List> = []
  private var count = 0
  private var most = 0

  /// Forgets everything: it is made anew when it is asked for.
  mutating func drop() {
    guard isOn else { return }
    self = InsideIndex()
  }

  /// Begins with nothing; each device that is inside of something is to be added, ascending, and ``endMaking()`` be called.
  mutating func beginMaking() {
    self = InsideIndex()
    isOn = true
    most = .max
  }

  mutating func endMaking() {
    most = 2 * count + Self.spare
    for index in lists.indices { lists[index].sortedCount = lists[index].devices.count }
  }

  /// Notes that a device came into a shape.
  mutating func add(_ device: UInt32, to slot: UInt32) {
    guard isOn else { return }
    if count >= most { return drop() }
    while lists.count <= Int(slot) { lists.append(List()) }
    lists[Int(slot)].devices.append(device)
    count += 1
  }

  /// Calls `isInside` once for each device that a list names, ascending; one that is not inside is named no more.
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
    /// Whether a device is named in a slot's list.
    func names(_ device: UInt32, in slot: UInt32) -> Bool {
      Int(slot) < lists.count && lists[Int(slot)].devices.contains(device)
    }
  }
#endif
