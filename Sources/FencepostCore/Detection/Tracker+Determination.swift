import FencepostKernel

/// The determination of shapes: what a fix decides of those that are undetermined.
extension Tracker {
  /// So many shapes that came are looked at one by one.
  private static let fewShapes = 64
  /// Looking only at the shapes that may need it pays while they are fewer than one of so many that came.
  private static let shareToLookAt = 4

  /// Decides what a fix can decide of the undetermined shapes, in add order.
  mutating func determine(
    _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    let swept = known.shapes.sweptThrough
    let isSwept = known.shapes.isSwept
    let listed = known.takeListed(table)
    var fresh: ContiguousArray<UInt32> = []
    if !isSwept {
      fresh =
        fewToDecide(after: swept, fix, at: position, table, delivery, &survey)
        ?? ContiguousArray(table.order.live(after: swept))
    }
    known.sweep(table)
    for slot in listed { determine(slot, fix, at: position, table, &delivery, &survey) }
    guard !isSwept else { return }
    // What is swept is in no list.
    lookout.invalidate()
    for slot in fresh where table.isGeographic(slot) {
      if let state = known.shapes.exception(slot), state.observed != .undetermined {
        known.tidy(slot, table)
      } else {
        determine(slot, fix, at: position, table, &delivery, &survey)
      }
    }
  }

  private mutating func determine(
    _ slot: UInt32, _ fix: Fix, at position: EarthVector, _ table: ConditionTable, _ delivery: inout Delivery,
    _ survey: inout Survey
  ) {
    if isSuspended(slot, table) {
      known.keepUndetermined(slot, table)
    } else if !decide(slot, fix, at: position, table, &delivery, &survey) {
      known.wait(slot, table)
    }
  }

  /// Of many shapes that came after a generation, those that a fix may do more to than settle them outside unsaid: the near
  /// ones, those that were not assumed unsatisfied or of which something else was told, and those of which more is known.
  ///
  /// - Returns: In add order; `nil` when each is to be looked at.
  private func fewToDecide(
    after generation: UInt64, _ fix: Fix, at position: EarthVector, _ table: ConditionTable,
    _ delivery: Delivery, _ survey: inout Survey
  ) -> ContiguousArray<UInt32>? {
    let count = table.order.count(after: generation)
    // A storage is told of each state that changes, and whoever is suspended stays undetermined.
    guard count > Self.fewShapes, !known.journal.isOn, !known.host.suspendsSomeShapes, !table.limit.isExceeded,
      delivery.isIdle, !survey.isOnPath || !table.policies.hasProbabilities,
      (known.shapes.placeCount + delivery.told.placeCount) * Self.shareToLookAt < count,
      table.order.announcedCount(after: generation) * Self.shareToLookAt < count
    else { return nil }
    survey.collect(table.index, near: position, within: reachOfDetermination(fix, table))
    var slots = ContiguousArray(survey.gathered.lazy.map { $0.id })
    table.order.forEachAnnounced(after: generation) { slots.append($0) }
    delivery.told.forEachException { slot, state in
      if state != .unsatisfied { slots.append(slot) }
    }
    known.shapes.forEachException { slot, _ in slots.append(slot) }
    slots.removeAll { table.generation(of: $0) <= generation }
    table.putInOrder(&slots)
    return slots
  }

  /// The distance in metres from a shape beyond which a fix settles the shape as outside without measuring it.
  @inline(never)
  func reachOfDetermination(_ fix: Fix, _ table: ConditionTable) -> Double {
    table.policies.hasProbabilities ? max(fix.accuracy, reach(of: fix)) : fix.accuracy
  }

  /// Whether a shape waits for the fix that decides it, and is not suspended.
  func isWaitingForFix(_ table: ConditionTable) -> Bool {
    known.shapes.containsWaiting(table) { slot in
      table.isGeographic(slot) && known.shapes.observed(slot, table) == .undetermined && !isSuspended(slot, table)
    }
  }
}
