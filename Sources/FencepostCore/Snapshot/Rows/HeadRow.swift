/// The row of a monitor itself: its format, its options, and the numbers that it has assigned so far.
struct HeadRow {
  /// The format of the rows. It increases with each change of their layout; ``FirstFormat`` reads the previous format.
  static let format: UInt32 = 2
  /// The format of rows with ``Features``.
  static let extendedFormat: UInt32 = 3

  /// The features in the rows of a monitor that format 2 lacks. Versions that do not know a feature refuse the rows.
  struct Features: OptionSet {
    let rawValue: UInt64
    /// The monitor doubts fixes, or has done so.
    static let doubts = Features(rawValue: 1)
    /// A policy has probabilities, or the monitor has another ``MonitorOptions/accuracyConfidence`` than the default.
    static let probabilities = Features(rawValue: 2)
    /// The events of one instant are in the order ``MonitorOptions/Order/exitsFirst``.
    static let exitsFirst = Features(rawValue: 4)
    /// A condition has a ``ConditionTiming``.
    static let timings = Features(rawValue: 8)
    /// A fix had an error ellipse.
    static let ellipses = Features(rawValue: 16)
    /// A condition has an ``AltitudeBand``, or a fix had a height.
    static let heights = Features(rawValue: 64)
    /// A condition is a rule.
    static let rules = Features(rawValue: 128)
    static let all: Features = [.doubts, .probabilities, .exitsFirst, .timings, .ellipses, .heights, .rules]
  }

  /// Whether this type reads rows of a format.
  static func isCurrent(_ format: UInt32) -> Bool { format == Self.format || format == extendedFormat }

  var features: Features = []
  var options: MonitorOptions
  /// The number of conditions, so that memory can be reserved for them.
  var conditionCount: UInt64
  var lastGeneration: UInt64
  var lastSequence: UInt64
  var lastChange: UInt64
  var lastTicket: UInt64

  func encode(to writer: inout ByteWriter) {
    writer.put(features.isEmpty ? Self.format : Self.extendedFormat)
    if !features.isEmpty { writer.putCompact(features.rawValue) }
    writer.put(options.delivery.rawValue)
    writer.putCompact(UInt64(options.conditionLimit ?? 0))
    writer.putCompact(UInt64(options.maxPendingEvents))
    writer.putCompact(options.initialFixMaxAgeMicroseconds)
    writer.putCompact(options.beaconExitTimeoutMicroseconds)
    writer.putCompact(options.beaconInitialTimeoutMicroseconds)
    writer.putCompact(options.maxTimeStepMicroseconds ?? 0)
    writer.putCompact(conditionCount)
    writer.putCompact(lastGeneration)
    writer.putCompact(lastSequence)
    writer.putCompact(lastChange)
    writer.putCompact(lastTicket)
    if features.contains(.doubts) { options.plausibility.encode(to: &writer) }
    if features.contains(.probabilities) { writer.put(options.accuracyConfidence) }
    if case .geodesic(let maxGap, let maxSpeed) = options.path {
      writer.putCompact(maxGap)
      writer.putCompact(maxSpeed ?? 0)
    }
  }

  /// Reads the rest of the head, after the format.
  init(reading reader: inout ByteReader, format: UInt32) throws(Damage) {
    if format == Self.extendedFormat {
      features = Features(rawValue: try reader.takeCompact("features", in: 1...Features.all.rawValue))
      guard features.isSubset(of: .all) else { throw Damage("features is \(features.rawValue)") }
    }
    let largest = EngineRestorer.largest
    options = MonitorOptions()
    options.delivery = try reader.take(MonitorOptions.Delivery.self, "delivery")
    let limit: Int64 = try reader.takeCompact("condition_limit", in: 0...Int64.max)
    options.conditionLimit = limit == 0 ? nil : Int(clamping: limit)
    options.maxPendingEvents = try reader.takeCompact("max_pending_events", in: 1...1_000_000_000)
    options.initialFixMaxAgeMicroseconds = try reader.takeSigned()
    options.beaconExitTimeoutMicroseconds = try reader.takeSigned()
    options.beaconInitialTimeoutMicroseconds = try reader.takeSigned()
    let step = try reader.takeSigned()
    options.maxTimeStepMicroseconds = step == 0 ? nil : step
    conditionCount = try reader.takeCompact("condition_count", in: 0...UInt64(UInt32.max))
    lastGeneration = try reader.takeCompact("generation", in: 0...largest)
    lastSequence = try reader.takeCompact("sequence", in: 0...largest)
    lastChange = try reader.takeCompact("change", in: 0...largest)
    lastTicket = try reader.takeCompact("ticket", in: 0...largest)
    if features.contains(.doubts) { options.plausibility = try Plausibility?(reading: &reader) }
    if features.contains(.probabilities) { options.accuracyConfidence = try reader.takeDouble() }
    if features.contains(.exitsFirst) { options.order = .exitsFirst }
    if reader.remaining > 0 {
      let maxGap = try reader.takeSigned()
      let maxSpeed = try reader.takeCompactDouble()
      options.path = .geodesic(maxGapMicroseconds: maxGap, maxSpeed: maxSpeed == 0 ? nil : maxSpeed)
    }
    if let defect = options.defect { throw Damage(defect) }
    try reader.end()
  }

  @inline(never)
  init(
    options: MonitorOptions, conditionCount: UInt64, lastGeneration: UInt64, lastSequence: UInt64, lastChange: UInt64,
    lastTicket: UInt64, hasProbabilities: Bool
  ) {
    if hasProbabilities || options.accuracyConfidence != PositionError.defaultConfidence {
      features.insert(.probabilities)
    }
    if options.order == .exitsFirst { features.insert(.exitsFirst) }
    self.options = options
    self.conditionCount = conditionCount
    self.lastGeneration = lastGeneration
    self.lastSequence = lastSequence
    self.lastChange = lastChange
    self.lastTicket = lastTicket
  }

  init(_ engine: borrowing MonitorEngine) {
    self.init(
      options: engine.options, conditionCount: UInt64(engine.table.count),
      lastGeneration: engine.table.order.lastGeneration, lastSequence: engine.delivery.lastSequence,
      lastChange: engine.delivery.lastChange, lastTicket: engine.table.limit.lastTicket,
      hasProbabilities: engine.table.policies.hasProbabilities)
    if options.plausibility != nil || engine.tracker.hasDoubted { features.insert(.doubts) }
    if engine.table.policies.hasTimings || engine.tracker.hasTimed { features.insert(.timings) }
    if engine.tracker.hasHadEllipses { features.insert(.ellipses) }
    if engine.table.policies.hasBands || engine.tracker.hasHadHeights { features.insert(.heights) }
    if engine.table.rules != nil { features.insert(.rules) }
  }

  /// The head of a shared table, as that of a monitor without inputs.
  init(_ table: borrowing ConditionTable, _ options: MonitorOptions) {
    self.init(
      options: options, conditionCount: UInt64(table.count), lastGeneration: table.order.lastGeneration,
      lastSequence: 0,
      lastChange: 0, lastTicket: 0, hasProbabilities: table.policies.hasProbabilities)
    if table.policies.hasTimings { features.insert(.timings) }
    if table.policies.hasBands { features.insert(.heights) }
    if table.rules != nil { features.insert(.rules) }
  }

  /// Returns an engine that contains only the data of the head.
  func engine(name: String?) -> MonitorEngine {
    var engine = MonitorEngine(trusted: name, options)
    restore(&engine)
    return engine
  }

  /// Continues the numbers of an engine without conditions.
  func restore(_ engine: inout MonitorEngine) {
    engine.table.startGenerations(after: lastGeneration)
    engine.delivery.restore(sequence: lastSequence, change: lastChange)
    engine.table.startTickets(after: lastTicket)
    engine.tracker.hasHadEllipses = features.contains(.ellipses)
    engine.tracker.hasHadHeights = features.contains(.heights)
  }
}

extension MonitorOptions {
  /// The options in the head of a table that is stored apart from a monitor. They have no effect.
  static let ofTable = MonitorOptions(initialFixMaxAgeMicroseconds: -1)
}
