import FencepostKernel

/// Builds an engine from rows, which may be damaged. It refuses all rows that an engine would not write, so that no
/// later call meets an impossible state.
///
/// The rows come in the order of ``MonitorRow/Table/place``, and in the order of the keys within a table, so that only
/// the events have to be stored.
struct EngineRestorer: ~Copyable {
  /// The largest accepted counter, far from the end of its range.
  static let largest: UInt64 = 1 << 62
  /// The largest number of conditions for which memory is reserved at once, whatever a damaged head says.
  private static let mostReserved: UInt64 = 1 << 20

  /// The key of an event's row, and its position in `bytes`.
  private struct Place {
    var change: UInt64
    var generation: UInt64
    var range: Range<Int>
  }

  private let name: String?
  private var engine: MonitorEngine?
  private var format: UInt32 = 0
  private var swept: UInt64?
  private var last: (place: UInt8, key: UInt64) = (0, 0)
  /// The conditions that have a state row.
  private var stored = SlotSet()
  private var bytes: [UInt8] = []
  private var events: ContiguousArray<Place> = []

  init(name: String?) {
    self.name = name
  }

  /// Forgets all rows. The function is not inlined, because a restorer is large and a stack may be small.
  @inline(never)
  mutating func begin() { self = EngineRestorer(name: name) }

  /// Whether the rows have an older format than the one that is written, so that all of them must be rewritten.
  var isOld: Bool { format == FirstFormat.format }

  /// Whether no row was received.
  var isEmpty: Bool { engine == nil }

  /// Whether a row may follow the rows before it.
  private func isNext(_ row: MonitorRow) -> Bool {
    guard engine != nil else { return row.table == .head }
    guard row.table != .events else { return true }
    let place = row.table.place
    return place > last.place || place == last.place && row.table != .head && row.key > last.key
  }

  mutating func receive(_ row: MonitorRow) throws(Damage) {
    guard isNext(row) else {
      throw Damage(engine == nil ? "the head row is missing" : "a row in \(row.table) is repeated or out of order")
    }
    if row.table != .events { last = (row.table.place, row.key) }
    var reader = ByteReader(row.bytes)
    switch row.table {
    case .head: try receiveHead(&reader)
    case .devices: try receiveDevice(row, &reader)
    case .conditions: try receiveCondition(row.key, &reader)
    case .states: try receiveState(row, &reader)
    case .fleetDevices: throw Damage("a monitor has rows of fleet devices")
    case .events:
      let start = bytes.count
      bytes.append(contentsOf: row.bytes)
      events.append(Place(change: row.key, generation: row.generation, range: start..<bytes.count))
    }
  }

  private mutating func receiveHead(_ reader: inout ByteReader) throws(Damage) {
    format = try reader.take()
    switch format {
    case HeadRow.format, HeadRow.extendedFormat:
      let head = try HeadRow(reading: &reader, format: format)
      start(head)
      engine?.reserve(Int(min(head.conditionCount, Self.mostReserved)), identifierBytes: 0)
    case FirstFormat.format: try receiveFirstHead(&reader)
    default: throw Damage("the rows have format \(format)")
    }
  }

  @inline(never) @_optimize(size)
  private mutating func receiveFirstHead(_ reader: inout ByteReader) throws(Damage) {
    let (head, device) = try FirstFormat.readHead(&reader)
    start(head)
    restoreDevice(device)
  }

  /// Creates the engine of a head. The function is not inlined, because an engine is large and a stack may be small.
  @inline(never)
  private mutating func start(_ head: borrowing HeadRow) {
    engine = MonitorEngine(trusted: name, head.options)
    head.restore(&engine!)
  }

  private mutating func receiveDevice(_ row: MonitorRow, _ reader: inout ByteReader) throws(Damage) {
    guard !isOld, row.key == 0 else { throw Damage("a device has the number \(row.key)") }
    restoreDevice(try DeviceRow(reading: &reader))
  }

  private mutating func restoreDevice(_ row: DeviceRow) {
    guard engine != nil else { return }
    engine!.tracker.restore(row, engine!.table)
    swept = row.swept
  }

  private mutating func receiveCondition(_ generation: UInt64, _ reader: inout ByteReader) throws(Damage) {
    guard swept != nil else { throw Damage("the device row is missing") }
    guard generation > 0, generation <= engine?.table.order.lastGeneration ?? 0 else {
      throw Damage("a condition has the generation \(generation)")
    }
    guard isOld else {
      let row = try DefinitionRow(reading: &reader)
      _ = try engine!.restoreDefinition(row, generation: generation)
      return
    }
    let (slot, state) = try FirstFormat.readCondition(generation, &reader) { row throws(Damage) in
      try engine!.restoreDefinition(row, generation: generation)
    }
    try engine!.restoreState(slot, state)
  }

  private mutating func receiveState(_ row: MonitorRow, _ reader: inout ByteReader) throws(Damage) {
    guard !isOld, row.device == 0 else {
      throw Damage("a state has the invalid device \(row.device)")
    }
    guard let slot = engine!.table.slot(ofGeneration: row.key) else { throw Damage("a state belongs to no condition") }
    try engine!.restoreState(slot, StateRow(slot: slot, generation: row.key, reading: &reader))
    stored.insert(slot)
  }

  /// The engine that the rows describe. Events that were in flight are redelivered. The restorer is empty afterwards.
  @_optimize(size)
  mutating func restored() throws(RestoreFailure) -> (engine: MonitorEngine, kept: KeptRows) {
    do throws(Damage) {
      guard engine != nil, let swept else { throw Damage("the head or the device row is missing") }
      engine!.tracker.settleRestored(engine!.table)
      try restoreEvents()
      try engine!.endRestoring()
      let kept = KeptRows(swept: swept, states: stored, generation: engine!.table.order.lastGeneration)
      return (engine.take()!, kept)
    } catch { throw .damaged(error) }
  }

  @_optimize(size)
  private mutating func restoreEvents() throws(Damage) {
    var previous: UInt64?
    events.arrange { $0.change < $1.change }
    for place in events {
      guard place.change != previous else { throw Damage("two events have the change \(place.change)") }
      previous = place.change
      guard let slot = engine!.table.slot(ofGeneration: place.generation) else {
        throw Damage("an event belongs to no condition")
      }
      let row = try bytes.withRawBytes { all throws(Damage) in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: all[place.range]))
        return isOld
          ? try FirstFormat.readEvent(slot, place.generation, &reader)
          : try EventRow(slot: slot, generation: place.generation, reading: &reader)
      }
      try engine!.restoreEvent(place.change, row)
    }
  }
}

/// The reason why no engine can be built from the rows.
enum RestoreFailure: Error {
  case damaged(Damage)
  /// The caller requests another delivery or condition limit than the saved ones, or no path although there are lines.
  case otherOptions(saved: MonitorOptions)
}

extension MonitorEngine {
  /// Sets the options that the caller requests. Delivery and condition limit must be the saved ones, and lines require
  /// a path.
  mutating func adopt(savedLike options: MonitorOptions) throws(RestoreFailure) {
    let saved = self.options
    guard options.delivery == saved.delivery, options.conditionLimit == saved.conditionLimit,
      options.path.isGeodesic || table.lineCount == 0
    else {
      throw .otherOptions(saved: saved)
    }
    adopt(options)
  }
}
