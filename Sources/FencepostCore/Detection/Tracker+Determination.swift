import FencepostKernel

/// The determination of shapes: a fix decides the state of undetermined shapes.
extension Tracker {
  /// Up to this number of new shapes, each one is examined.
  private static let fewShapes = 64
  /// The selection of shapes in ``fewToDecide(after:_:at:_:_:_:)`` is worthwhile if it has fewer than one in this many
  /// of the new shapes.
  private static let shareToLookAt = 4

  /// Decides the undetermined shapes that a fix can decide, in add order.
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
    // The swept shapes are in no list of the neighbourhood yet.
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

  /// Selects, from many shapes that were added after a generation, those for which a fix may do more than settle them
  /// as outside without an event. These are the near shapes, shapes whose assumed or reported state is not
  /// `unsatisfied`, and shapes with an entry.
  ///
  /// - Returns: The selected shapes in add order; `nil` if each shape must be examined.
  private func fewToDecide(
    after generation: UInt64, _ fix: Fix, at position: EarthVector, _ table: ConditionTable,
    _ delivery: Delivery, _ survey: inout Survey
  ) -> ContiguousArray<UInt32>? {
    let count = table.order.count(after: generation)
    // A storage needs each changed state, and suspended shapes must stay undetermined, so every shape is then examined.
    guard count > Self.fewShapes, !table.policies.hasTimings, table.rules == nil, !known.journal.isOn,
      !known.host.suspendsSomeShapes,
      !table.limit.isExceeded,
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
    reachOfDetermination(fix, timeline.lastEllipse, table)
  }

  /// As ``reachOfDetermination(_:_:)``, for a fix that is not the last fix yet.
  @inline(never)
  func reachOfDetermination(_ fix: Fix, _ ellipse: FixEllipse?, _ table: ConditionTable) -> Double {
    table.policies.hasProbabilities ? max(fix.accuracy, reach(of: fix, ellipse)) : fix.accuracy
  }

  /// Whether a shape waits for the fix that decides it, and is not suspended.
  func isWaitingForFix(_ table: ConditionTable) -> Bool {
    known.shapes.containsWaiting(table) { slot in
      table.isGeographic(slot) && known.shapes.observed(slot, table) == .undetermined && !isSuspended(slot, table)
    }
  }
}
