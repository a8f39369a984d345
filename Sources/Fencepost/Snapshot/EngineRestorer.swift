/// Builds an engine from rows, which may come in any order and may be damaged: whatever is not what an engine writes
/// is refused, so that no later call can meet a state that cannot be.
struct EngineRestorer {
  /// Counters start far from the end of their range.
  static let largest: UInt64 = 1 << 62

  /// Where a row lies in `bytes`.
  private struct Row {
    var key: UInt64
    var generation: UInt64
    var range: Range<Int>
  }

  private var head: [UInt8]?
  private var bytes: [UInt8] = []
  private var conditions: ContiguousArray<Row> = []
  private var events: ContiguousArray<Row> = []

  /// Whether no row was received.
  var isEmpty: Bool { head == nil && conditions.isEmpty && events.isEmpty }

  mutating func receive(_ row: MonitorRow) throws(Damage) {
    if row.table == .head {
      guard head == nil else { throw Damage("there are two heads") }
      head = Array(row.bytes)
      return
    }
    let start = bytes.count
    bytes.append(contentsOf: row.bytes)
    let place = Row(key: row.key, generation: row.generation, range: start..<bytes.count)
    if row.table == .conditions { conditions.append(place) } else { events.append(place) }
  }

  /// The engine that the rows describe. What was handed out and not committed is handed out again.
  ///
  /// - Parameter adopted: Options that hold instead of the saved ones; delivery and limit must be the saved ones.
  consuming func engine(name: String?, adopted: MonitorOptions?) throws(RestoreFailure) -> MonitorEngine {
    guard let head else { throw .damaged(Damage("there is no head")) }
    var engine: MonitorEngine
    do throws(Damage) {
      engine = try Self.engine(name: name, head: head)
    } catch { throw .damaged(error) }
    if let adopted {
      let saved = engine.options
      guard adopted.delivery == saved.delivery, adopted.conditionLimit == saved.conditionLimit else {
        throw .otherOptions(saved: saved)
      }
      engine.adopt(adopted)
    }
    do throws(Damage) {
      try restoreConditions(&engine)
      try restoreEvents(&engine)
      try engine.endRestoring()
    } catch { throw .damaged(error) }
    return engine
  }

  private static func engine(name: String?, head: [UInt8]) throws(Damage) -> MonitorEngine {
    try head.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      let format: UInt32 = try reader.take()
      guard format == MonitorEngine.rowFormat else { throw Damage("the rows have format \(format)") }
      let delivery = try reader.take(MonitorOptions.Delivery.self, "delivery")
      let limit: Int64 = try reader.take("condition_limit", in: 0...Int64(Int.max))
      let options = MonitorOptions(
        delivery: delivery, conditionLimit: limit == 0 ? nil : Int(limit),
        maxPendingEvents: Int(try reader.take("max_pending_events", in: 1...1_000_000_000 as ClosedRange<Int64>)),
        initialFixMaxAgeMicroseconds: try reader.take(), beaconExitTimeoutMicroseconds: try reader.take(),
        beaconInitialTimeoutMicroseconds: try reader.take())
      if let defect = options.defect { throw Damage(defect) }
      var engine = MonitorEngine(trusted: name, options)
      engine.tracker.clock = try reader.takeTime("clock")
      engine.tracker.counters.inputCount = try reader.take("input_count", in: 0...largest)
      engine.tracker.counters.acceptedFixes = try reader.take("accepted_fixes", in: 0...largest)
      engine.tracker.counters.invalidFixes = try reader.take("invalid_fixes", in: 0...largest)
      engine.tracker.counters.lateInputs = try reader.take("late_inputs", in: 0...largest)
      engine.tracker.counters.acceptedSightings = try reader.take("accepted_sightings", in: 0...largest)
      engine.tracker.host.flags = Diagnostics(rawValue: try reader.take())
      guard engine.tracker.host.flags.isSubset(of: .hostFlags) else { throw Damage("the host's flags are unknown") }
      engine.tracker.host.unsupportedKinds = try reader.take()
      guard engine.tracker.host.unsupportedKinds & ~6 == 0 else { throw Damage("an unsupported kind is unknown") }
      engine.tracker.isScanning = try reader.takeBool("scanning")
      engine.table.startGenerations(after: try reader.take("generation", in: 0...largest))
      engine.delivery.restore(
        sequence: try reader.take("sequence", in: 0...largest), change: try reader.take("change", in: 0...largest))
      engine.table.startTickets(after: try reader.take("ticket", in: 0...largest))
      if try reader.takeBool("last_fix") {
        let fix = try reader.takeFix()
        guard fix.time.microseconds <= engine.tracker.clock else {
          throw Damage("the last fix is later than the clock")
        }
        engine.tracker.lastFix = fix
      }
      if reader.remaining > 0 { try engine.takeTimeStep(&reader) }
      try reader.end()
      return engine
    }
  }

  private func restoreConditions(_ engine: inout MonitorEngine) throws(Damage) {
    engine.reserve(conditions.count, identifierBytes: 0)
    let last = engine.table.order.lastGeneration
    var previous: UInt64 = 0
    for row in conditions.sorted(by: { $0.key < $1.key }) {
      guard row.key > previous, row.key <= last else { throw Damage("a condition has the generation \(row.key)") }
      previous = row.key
      try read(row) { reader throws(Damage) in try engine.restoreCondition(row.key, &reader) }
    }
  }

  private func restoreEvents(_ engine: inout MonitorEngine) throws(Damage) {
    var previous: UInt64?
    for row in events.sorted(by: { $0.key < $1.key }) {
      guard row.key != previous else { throw Damage("two events have the change \(row.key)") }
      previous = row.key
      try read(row) { reader throws(Damage) in
        try engine.restoreEvent(row.key, generation: row.generation, &reader)
      }
    }
  }

  /// Reads a row to its end.
  private func read(_ row: Row, _ body: (inout ByteReader) throws(Damage) -> Void) throws(Damage) {
    try bytes.withRawBytes { all throws(Damage) in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: all[row.range]))
      try body(&reader)
      try reader.end()
    }
  }
}

/// Why no engine can be made of rows.
enum RestoreFailure: Error {
  case damaged(Damage)
  /// The caller asks for another delivery or limit than the saved ones.
  case otherOptions(saved: MonitorOptions)
}
