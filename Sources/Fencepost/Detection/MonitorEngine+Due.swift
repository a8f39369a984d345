/// What becomes due: dwells that have passed and absences that are established.
extension MonitorEngine {
  /// Confirms what is due up to and at a time, and what the present input confirmed: by deadline, then add order.
  @inline(__always)
  mutating func confirmDue(through time: Int64) {
    if deadlines.earliest <= time || !confirmations.isEmpty { confirmAll(through: time) }
  }

  private mutating func confirmAll(through time: Int64) {
    var due: ContiguousArray<Confirmation> = []
    swap(&due, &confirmations)
    if deadlines.earliest <= time {
      var slots: ContiguousArray<UInt32> = []
      deadlines.take(through: time, into: &slots)
      for slot in slots { appendDue(slot, through: time, to: &due) }
    }
    if due.count > 1 { due.sort { ($0.deadline, $0.generation) < ($1.deadline, $1.generation) } }
    for confirmation in due {
      if let candidate = confirmation.candidate {
        confirmCrossing(confirmation.slot, candidate, date: confirmation.date)
      } else {
        confirmAbsence(confirmation.slot, date: confirmation.date)
      }
    }
    due.removeAll(keepingCapacity: true)
    swap(&due, &confirmations)
  }

  /// Looks at what a reminder was about: due, due later, or nothing any more.
  private mutating func appendDue(_ slot: UInt32, through time: Int64, to due: inout ContiguousArray<Confirmation>) {
    let candidate = candidates[slot]
    let deadline = candidate.map { $0.isTimed ? $0.deadline : .max } ?? beaconTracks[slot]?.deadline ?? .max
    guard deadline != .max else { return }
    guard deadline <= time else { return deadlines.schedule(slot, at: deadline) }
    due.append(
      Confirmation(
        deadline: deadline, generation: table.generation(of: slot), slot: slot, date: deadline,
        candidate: candidate))
  }
}
