import FencepostKernel

/// The conditions that wait for a place under the condition limit, or did since they were added, as a fleet's devices know them.
///
/// A device that is entered later is told of them as its own monitor would have been: see ``FleetEngine/greet(_:row:_:)``.
struct LimitLog: Sendable {
  struct Entry: Sendable, Equatable {
    var slot: UInt32
    var generation: UInt64
    /// The time of the fleet when the condition began to wait; `Int64.min` = none.
    var added: Int64
    /// The time of the fleet when the condition got its place, `Int64.min` = none; `nil` while it waits.
    var promoted: Int64?
  }

  /// In add order.
  private(set) var entries: ContiguousArray<Entry> = []
  /// Devices that were entered and given nothing yet.
  var newcomers: Set<UInt32> = []
  /// The changes of the table that were followed; `UInt64.max` = none.
  private(set) var version: UInt64 = .max
  /// How many conditions of the table had got a place then.
  private(set) var promotions: UInt64 = 0

  init() {}

  /// Whether the table has changed since it was followed.
  @inline(__always)
  func isBehind(_ table: ConditionTable) -> Bool {
    table.limit.capacity != nil && version != table.changes.version
  }

  /// Whether a condition waited for a place when the table was followed.
  func waits(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    entries.contains { $0.slot == slot && $0.generation == table.generation(of: slot) && $0.promoted == nil }
  }

  /// The conditions of the table that have begun to wait since it was followed, in add order.
  func fresh(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    var fresh: ContiguousArray<UInt32> = []
    let last = entries.last?.generation ?? 0
    table.order.forEachAnnounced(after: last) { slot in
      if table.hasWaited(slot), table.generation(of: slot) > last { fresh.append(slot) }
    }
    return fresh
  }

  /// The conditions that have got a place since the table was followed, those of `fresh` included, in add order.
  func promoted(_ fresh: ContiguousArray<UInt32>, _ table: ConditionTable) -> ContiguousArray<UInt32> {
    var promoted: ContiguousArray<UInt32> = []
    for entry in entries
    where entry.promoted == nil && table.holds(entry.slot, entry.generation) && !table.isOverLimit(entry.slot) {
      promoted.append(entry.slot)
    }
    for slot in fresh where !table.isOverLimit(slot) { promoted.append(slot) }
    return promoted
  }

  /// Takes note of the changes of the table.
  ///
  /// - Parameter time: The watermark of the fleet.
  mutating func follow(_ fresh: ContiguousArray<UInt32>, at time: Int64, _ table: ConditionTable) {
    entries.removeAll { !table.holds($0.slot, $0.generation) }
    for slot in fresh {
      entries.append(Entry(slot: slot, generation: table.generation(of: slot), added: time, promoted: nil))
    }
    for index in entries.indices where entries[index].promoted == nil && !table.isOverLimit(entries[index].slot) {
      entries[index].promoted = time
    }
    version = table.changes.version
    promotions = table.promotions
  }

  /// Begins anew at a time: a device that is entered later knows of no advance before.
  mutating func rewind() {
    for index in entries.indices {
      entries[index].added = .min
      if entries[index].promoted != nil { entries[index].promoted = .min }
    }
  }

  /// Has the table followed anew.
  mutating func forgetVersion() { version = .max }

  /// Goes over to another table.
  mutating func renumber(_ place: (UInt32) -> (slot: UInt32, generation: UInt64)?) {
    forgetVersion()
    entries = ContiguousArray(
      entries.compactMap { entry in
        place(entry.slot).map {
          Entry(slot: $0.slot, generation: $0.generation, added: entry.added, promoted: entry.promoted)
        }
      })
    entries.arrange { $0.generation < $1.generation }
  }

  // MARK: - Saving

  /// Of a moment before the fleet went over to another table the slots are those of the earlier table, so generations count.
  ///
  /// - Parameter table: Which was followed, or is later.
  func encode(_ table: ConditionTable, to writer: inout ByteWriter) {
    let live = entries.filter { table.slot(ofGeneration: $0.generation) != nil }
    let fresh = fresh(table)
    writer.putCompact(UInt64(live.count + fresh.count))
    for entry in live {
      writer.putCompact(entry.generation)
      writer.putCompact(table.slot(ofGeneration: entry.generation).flatMap(table.limit.ticket) ?? 0)
      writer.put((entry.promoted == nil ? 1 : 2) as UInt8)
      writer.putCompact(entry.added)
      if let promoted = entry.promoted { writer.putCompact(promoted) }
    }
    for slot in fresh {
      writer.putCompact(table.generation(of: slot))
      writer.putCompact(table.limit.ticket(of: slot) ?? 0)
      writer.put(0 as UInt8)
    }
  }

  /// What ``encode(_:to:)`` wrote.
  struct Saved {
    var generation: UInt64
    /// 0 = it has a place.
    var ticket: UInt64
    /// `nil` = no device was told yet.
    var entry: Entry?
  }

  static func read(_ reader: inout ByteReader) throws(Damage) -> [Saved] {
    var saved: [Saved] = []
    var last: UInt64 = 0
    for _ in 0..<(try reader.takeCompact("conditions under the limit", in: 0...reader.remaining)) {
      let generation: UInt64 = try reader.takeCompact("generation", in: 1...EngineRestorer.largest)
      guard generation > last else { throw Damage("the conditions under the limit are out of order") }
      last = generation
      let ticket: UInt64 = try reader.takeCompact("ticket", in: 0...EngineRestorer.largest)
      var entry: Entry?
      let mark: UInt8 = try reader.take("mark of a condition under the limit", in: 0...2)
      if mark > 0 {
        entry = Entry(slot: 0, generation: generation, added: try reader.takeSignedTime("added"), promoted: nil)
        if mark == 2 { entry?.promoted = try reader.takeSignedTime("promoted") }
      }
      saved.append(Saved(generation: generation, ticket: ticket, entry: entry))
    }
    return saved
  }

  /// Takes what was saved of a condition; they come in add order.
  mutating func restore(_ entry: Entry, slot: UInt32) {
    var entry = entry
    entry.slot = slot
    entries.append(entry)
  }
}
