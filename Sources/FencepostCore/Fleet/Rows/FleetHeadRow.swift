/// The row of a fleet itself: its format, its options, the numbers that it has assigned so far, and the data that is
/// common to all devices.
struct FleetHeadRow {
  /// The format of the rows of a fleet. It increases with each change of their layout.
  ///
  /// The second format adds arrival times, devices that were rewound, and paths. A fleet without these is written in
  /// the first format, which version 0.2 can read. The third format adds the deliveries `first` and `latest`, the
  /// fourth ``Features``.
  static let format: UInt32 = 4
  static let deliveryFormat: UInt32 = 3
  static let pathFormat: UInt32 = 2
  static let firstFormat: UInt32 = 1

  /// The features in the rows of a fleet that the third format lacks. Versions that do not know a feature refuse the
  /// rows.
  struct Features: OptionSet {
    let rawValue: UInt64
    /// The fleet doubts fixes, or has done so.
    static let doubts = Features(rawValue: 1)
    /// A policy has probabilities, or the fleet has another ``FleetOptions/accuracyConfidence`` than the default.
    static let probabilities = Features(rawValue: 2)
    /// The host of a device has stated its capabilities.
    static let hosts = Features(rawValue: 4)
    /// The events of one instant are in the order ``MonitorOptions/Order/exitsFirst``.
    static let exitsFirst = Features(rawValue: 8)
    /// A fix had an error ellipse.
    static let ellipses = Features(rawValue: 16)
    /// A condition has a ``ConditionTiming``, or had one.
    static let timings = Features(rawValue: 32)
    /// A condition has an ``AltitudeBand``, or had one, or a fix had a height.
    static let heights = Features(rawValue: 64)
    /// A condition is a rule, or was one.
    static let rules = Features(rawValue: 128)
    static let all: Features = [.doubts, .probabilities, .hosts, .exitsFirst, .ellipses, .timings, .heights, .rules]
  }

  var format: UInt32
  var features: Features = []
  var options: FleetOptions
  /// The head of the condition table, as written by ``HeadRow``.
  var table: [UInt8]
  /// The number of rows of devices.
  var deviceCount: UInt64
  /// The number of lines: one more than the place of the last line.
  var bound: UInt64
  var lastPosition: UInt64
  /// The number of events so far.
  var appended: UInt64
  var moment: FleetMoment

  func encode(to writer: inout ByteWriter) {
    writer.put(format)
    writer.putCompact(UInt64(options.maxPendingEvents))
    writer.putCompact(UInt64(options.deviceLimit))
    writer.putCompact(options.beaconExitTimeoutMicroseconds)
    writer.putCompact(options.beaconInitialTimeoutMicroseconds)
    writer.putCompact(options.maxTimeStepMicroseconds ?? 0)
    writer.putCompact(deviceCount)
    writer.putCompact(bound)
    writer.putCompact(lastPosition)
    writer.putCompact(appended)
    moment.encode(to: &writer)
    writer.putCompact(UInt64(table.count))
    for byte in table { writer.put(byte) }
    guard format > Self.firstFormat else { return }
    writer.putCompact(moment.arrival)
    if format > Self.pathFormat { writer.put(options.delivery.rawValue) }
    if format > Self.deliveryFormat { writer.putCompact(features.rawValue) }
    if features.contains(.doubts) {
      writer.putCompact(moment.counters.doubtedFixes)
      options.plausibility.encode(to: &writer)
    }
    if features.contains(.probabilities) { writer.put(options.accuracyConfidence) }
    if case .geodesic(let maxGap, let maxSpeed) = options.path {
      writer.putCompact(maxGap)
      writer.putCompact(maxSpeed ?? 0)
    }
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let largest = EngineRestorer.largest
    format = try reader.take()
    guard (Self.firstFormat...Self.format).contains(format) else {
      throw Damage("the rows of a fleet have format \(format)")
    }
    options = FleetOptions()
    options.maxPendingEvents = try reader.takeCompact("max_pending_events", in: 1...1_000_000_000)
    options.deviceLimit = try reader.takeCompact("device_limit", in: 1...FleetOptions.mostDevices)
    options.beaconExitTimeoutMicroseconds = try reader.takeSigned()
    options.beaconInitialTimeoutMicroseconds = try reader.takeSigned()
    let step = try reader.takeSigned()
    options.maxTimeStepMicroseconds = step == 0 ? nil : step
    if let defect = options.defect { throw Damage(defect) }
    let most = UInt64(FleetOptions.mostDevices)
    deviceCount = try reader.takeCompact("device_count", in: 0...most)
    bound = try reader.takeCompact("number of a device", in: deviceCount...most)
    lastPosition = try reader.takeCompact("position", in: 0...largest)
    appended = try reader.takeCompact("events", in: lastPosition...largest)
    moment = try FleetMoment(reading: &reader)
    let length: Int = try reader.takeCompact("length of the table's head", in: 0...reader.remaining)
    table = Array(try reader.takeBytes(length))
    if format > Self.firstFormat {
      moment.arrival = try reader.takeSignedTime("arrival time")
      if format > Self.pathFormat {
        let number: UInt8 = try reader.take("delivery", in: (format > Self.deliveryFormat ? 0 : 1)...2)
        options.delivery = MonitorOptions.Delivery(rawValue: number) ?? .every
      }
      if format > Self.deliveryFormat {
        features = Features(rawValue: try reader.takeCompact("features", in: 1...Features.all.rawValue))
      }
      if features.contains(.doubts) {
        moment.counters.doubtedFixes = try reader.takeCompact("doubted_fixes", in: 0...largest)
        options.plausibility = try Plausibility?(reading: &reader)
      }
      if features.contains(.probabilities) {
        options.accuracyConfidence = try reader.takeDouble()
        if let defect = options.defect { throw Damage(defect) }
      }
      if features.contains(.exitsFirst) { options.order = .exitsFirst }
      if reader.remaining > 0 {
        let maxGap = try reader.takeSigned()
        let maxSpeed = try reader.takeCompactDouble()
        options.path = .geodesic(maxGapMicroseconds: maxGap, maxSpeed: maxSpeed == 0 ? nil : maxSpeed)
        if let defect = options.defect { throw Damage(defect) }
      }
    }
    try reader.end()
  }

  /// - Parameter deviceCount: The number of rows of devices.
  @inline(never)
  init(_ fleet: borrowing FleetEngine, _ conditions: borrowing ConditionTable, deviceCount: Int, moment: FleetMoment) {
    var head = ByteWriter(reserving: 64)
    HeadRow(conditions, MonitorOptions.ofTable).encode(to: &head)
    features = fleet.features
    if conditions.policies.hasProbabilities || fleet.options.accuracyConfidence != PositionError.defaultConfidence {
      features.insert(.probabilities)
    }
    if conditions.policies.hasTimings { features.insert(.timings) }
    if conditions.policies.hasBands { features.insert(.heights) }
    if conditions.rules != nil { features.insert(.rules) }
    if fleet.options.order == .exitsFirst { features.insert(.exitsFirst) }
    format = features.isEmpty ? fleet.rowFormat : Self.format
    options = fleet.options
    table = Array(head.bytes)
    self.deviceCount = UInt64(deviceCount)
    bound = UInt64(fleet.devices.bound)
    lastPosition = fleet.delivery.lastPosition
    appended = fleet.delivery.appended
    self.moment = moment
  }
}

/// The data that is common to all devices at one moment. It is written only when all devices are saved. Otherwise, a
/// device that was not saved would have an advance without the inputs before it.
struct FleetMoment: Sendable {
  var watermark: Watermark
  var counters: InputCounters
  /// The arrival time; `Int64.min` if the host has set none. See ``FleetEngine/setArrivalTime(_:)``.
  var arrival: Int64 = .min

  init(_ fleet: borrowing FleetEngine) {
    watermark = fleet.watermark
    counters = fleet.counters
    arrival = fleet.devices.arrivals.present
  }

  func encode(to writer: inout ByteWriter) {
    watermark.encode(to: &writer)
    writer.putCompact(counters.acceptedFixes)
    writer.putCompact(counters.invalidFixes)
    writer.putCompact(counters.lateInputs)
    writer.putCompact(counters.aheadInputs)
    writer.putCompact(counters.acceptedSightings)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let largest = EngineRestorer.largest
    watermark = try Watermark(reading: &reader)
    counters = InputCounters()
    counters.acceptedFixes = try reader.takeCompact("accepted_fixes", in: 0...largest)
    counters.invalidFixes = try reader.takeCompact("invalid_fixes", in: 0...largest)
    counters.lateInputs = try reader.takeCompact("late_inputs", in: 0...largest)
    counters.aheadInputs = try reader.takeCompact("ahead_inputs", in: 0...largest)
    counters.acceptedSightings = try reader.takeCompact("accepted_sightings", in: 0...largest)
  }
}
