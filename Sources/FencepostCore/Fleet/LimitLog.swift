import FencepostKernel

/// The conditions that wait or have waited for a place under the condition limit, as known to the devices of a fleet.
///
/// A device that is entered later gets the events about them that a monitor for this device alone would have given; see
/// ``FleetEngine/greet(_:row:_:)``.
struct LimitLog: Sendable {
  struct Entry: Sendable, Equatable {
    var slot: UInt32
    var generation: UInt64
    /// The time of the fleet when the condition began to wait; `Int64.min` if the fleet had no time.
    var added: Int64
    /// The time of the fleet when the condition got its place; `Int64.min` if the fleet had no time; `nil` while the
    /// condition waits.
    var promoted: Int64?
  }

  /// The conditions, in add order.
  private(set) var entries: ContiguousArray<Entry> = []
  /// The devices that were entered and have had no input yet.
  var newcomers: Set<UInt32> = []
  /// The version of the table up to which its changes were followed; `UInt64.max` if none were followed.
  private(set) var version: UInt64 = .max
  /// The number of conditions that had got a place in this version of the table.
  private(set) var promotions: UInt64 = 0

  init() {}

  /// Whether the table has changed since its changes were last followed.
  @inline(__always)
  func isBehind(_ table: ConditionTable) -> Bool {
    table.limit.capacity != nil && version != table.changes.version
  }

  /// Whether a condition waited for a place when the changes of the table were last followed.
  func waits(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    entries.contains { $0.slot == slot && $0.generation == table.generation(of: slot) && $0.promoted == nil }
  }

  /// Returns the conditions that have begun to wait since the changes of the table were last followed, in add order.
  func fresh(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    var fresh: ContiguousArray<UInt32> = []
    let last = entries.last?.generation ?? 0
    table.order.forEachAnnounced(after: last) { slot in
      if table.hasWaited(slot), table.generation(of: slot) > last { fresh.append(slot) }
    }
    return fresh
  }

  /// Returns the conditions that have got a place since the changes of the table were last followed, including those of
  /// `fresh`, in add order.
  func promoted(_ fresh: ContiguousArray<UInt32>, _ table: ConditionTable) -> ContiguousArray<UInt32> {
    var promoted: ContiguousArray<UInt32> = []
    for entry in entries
    where entry.promoted == nil && table.holds(entry.slot, entry.generation) && !table.isOverLimit(entry.slot) {
      promoted.append(entry.slot)
    }
    for slot in fresh where !table.isOverLimit(slot) { promoted.append(slot) }
    return promoted
  }

  /// Notes the changes of the table as followed.
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

  /// Forgets the times of the fleet after a rewind, because a device that is entered later must not know an earlier
  /// advance.
  mutating func rewind() {
    for index in entries.indices {
      entries[index].added = .min
      if entries[index].promoted != nil { entries[index].promoted = .min }
    }
  }

  /// Makes the next call follow the changes of the table again.
  mutating func forgetVersion() { version = .max }

  /// Replaces the slots and generations by those of another table.
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

  /// Writes the conditions. They are found by their generations, because the slots may be those of an earlier table, to
  /// which the fleet belonged at the saved moment.
  ///
  /// - Parameter table: The table whose changes were followed, or a later version of it.
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

  /// The data of a condition that ``encode(_:to:)`` wrote.
  struct Saved {
    var generation: UInt64
    /// The place of the condition among those that wait; 0 if it does not wait.
    var ticket: UInt64
    /// The entry; `nil` if no device has got an event about the condition yet.
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

  /// Restores the saved entry of a condition. The entries must be restored in add order.
  mutating func restore(_ entry: Entry, slot: UInt32) {
    var entry = entry
    entry.slot = slot
    entries.append(entry)
  }
}
