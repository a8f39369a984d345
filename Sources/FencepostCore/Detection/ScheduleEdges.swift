import FencepostKernel

/// The edges of all schedules of a table after a time, in order, with the conditions of each.
///
/// Each edge costs as much as the conditions that have it, not as all conditions of the table.
struct ScheduleEdges {
  /// The next edge of each timing. A slot is here the index of a timing in ``PolicyTable``.
  private var queue = Deadlines()
  /// The conditions with a timing, grouped by the index of the timing, in add order within a group.
  private var slots: ContiguousArray<UInt32>
  /// Where the group of each timing ends in `slots`. A group starts where the one before it ends.
  private var ends: ContiguousArray<Int>

  init(_ table: ConditionTable, after time: Int64) {
    let count = table.policies.timingCount
    ends = ContiguousArray(repeating: 0, count: count)
    for slot in table.live {
      let timing = Int(table.rows[Int(slot)].policy)
      if timing < count { ends[timing] += 1 }
    }
    var total = 0
    for timing in 0..<count {
      (ends[timing], total) = (total, total + ends[timing])
      queue.schedule(UInt32(timing), at: table.policies.edge(of: UInt32(timing), after: time))
    }
    slots = ContiguousArray(repeating: 0, count: total)
    for slot in table.live {
      let timing = Int(table.rows[Int(slot)].policy)
      guard timing < count else { continue }
      slots[ends[timing]] = slot
      ends[timing] += 1
    }
  }

  /// The next edge; `Int64.max` without one.
  var next: Int64 { queue.earliestReminder }

  /// Removes the edges at a time.
  ///
  /// - Returns: The conditions that have these edges, in add order.
  mutating func take(at time: Int64, _ table: ConditionTable) -> ContiguousArray<UInt32> {
    var timings: ContiguousArray<UInt32> = []
    var taken: ContiguousArray<UInt32> = []
    queue.take(through: time, into: &timings)
    for timing in timings {
      let start = timing == 0 ? 0 : ends[Int(timing) - 1]
      taken.append(contentsOf: slots[start..<ends[Int(timing)]])
      queue.schedule(timing, at: table.policies.edge(of: timing, after: time))
    }
    if timings.count > 1 { table.putInOrder(&taken) }
    return taken
  }
}
