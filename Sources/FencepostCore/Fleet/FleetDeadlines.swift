import FencepostKernel

/// The devices with a deadline, the earliest first, then by number.
///
/// An entry is valid if its time is the deadline in the device's line. Outdated entries are skipped when they come
/// first.
struct FleetDeadlines: Sendable {
  private struct Entry: Comparable {
    var time: Int64
    var device: UInt32

    static func < (one: Entry, other: Entry) -> Bool { (one.time, one.device) < (other.time, other.device) }
  }

  /// A heap with at most this many entries is never cleaned.
  private static let few = 64
  /// Outdated entries are removed if fewer than one entry in this many is valid.
  private static let sparsest = 4

  private var heap = BinaryHeap<Entry>()
  /// The number of devices with a deadline.
  private(set) var deviceCount = 0

  /// Updates the heap after the deadline in a device's line has changed.
  mutating func change(_ device: UInt32, from old: Int64, to new: Int64, _ lines: DeviceLines) {
    guard old != new else { return }
    if old != .max { deviceCount -= 1 }
    if new != .max {
      deviceCount += 1
      heap.insert(Entry(time: new, device: device))
    }
    if heap.count > Self.few, heap.count > Self.sparsest * deviceCount { closeUp(lines) }
  }

  /// The device with the earliest deadline.
  mutating func first(_ lines: DeviceLines) -> (time: Int64, device: UInt32)? {
    while let first = heap.first {
      if lines[first.device].earliest == first.time { return (first.time, first.device) }
      heap.removeFirst()
    }
    return nil
  }

  private mutating func closeUp(_ lines: DeviceLines) {
    var kept = heap.elements.filter { lines[$0.device].earliest == $0.time }
    kept.arrange()
    heap = BinaryHeap()
    for (index, entry) in kept.enumerated() where index == 0 || kept[index - 1] != entry { heap.insert(entry) }
  }
}

#if FENCEPOST_INVARIANTS
  extension FleetDeadlines {
    func checkInvariants(_ lines: DeviceLines) throws(Invariant.Broken) {
      let entries = Set(heap.elements.map { "\($0.time) \($0.device)" })
      var count = 0
      for device in 0..<UInt32(lines.count) where lines[device].earliest != .max {
        count += 1
        try Invariant.hold(
          entries.contains("\(lines[device].earliest) \(device)"), "a device's deadline is in the heap")
      }
      try Invariant.hold(count == deviceCount, "\(deviceCount) devices are counted as waiting, but \(count) wait")
    }
  }
#endif
