/// What a storage is to make last, in one transaction: the removals first, then the rows, each replacing the row with
/// its key. The last row is the head.
public struct MonitorChanges {
  private let engine: MonitorEngine

  init(_ engine: MonitorEngine) {
    self.engine = engine
  }

  /// Generations of conditions that are gone, ascending: their rows in all tables go.
  public var removedConditions: [UInt64] { engine.delivery.journal.removed.sorted() }

  /// Keys of events that are gone, ascending.
  public var removedEvents: [UInt64] {
    engine.delivery.journal.events.compactMap { key, change in
      if case .delete = change { key } else { nil }
    }.sorted()
  }

  /// Hands over the rows that are new or changed, by table and key.
  public func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    for slot in engine.changedSlots { try engine.withConditionRow(slot, &writer, body) }
    let keys = engine.delivery.journal.events.keys.sorted()
    for key in keys {
      guard case .put(let entry, let follows) = engine.delivery.journal.events[key], engine.isLive(entry) else {
        continue
      }
      try engine.withEventRow(entry, follows: follows, &writer, body)
    }
    try engine.withHeadRow(&writer, body)
  }
}
