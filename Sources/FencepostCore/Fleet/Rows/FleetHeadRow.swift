/// A fleet itself: its format, its options, the numbers that it has given so far, and what all devices have in common.
struct FleetHeadRow {
  /// The format of the rows of a fleet. Rises with each change of their layout.
  ///
  /// A fleet that needs nothing of the second format is written in the first, which version 0.2 reads. The second adds
  /// arrival times, what a rewind leaves of a device, and paths.
  static let format: UInt32 = 2
  static let firstFormat: UInt32 = 1

  var format: UInt32
  var options: FleetOptions
  /// The table's head, as ``HeadRow`` writes it.
  var table: [UInt8]
  /// How many rows of devices there are.
  var deviceCount: UInt64
  /// One more than the largest number that a device ever had.
  var bound: UInt64
  var lastPosition: UInt64
  /// How many events there have been.
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
      if reader.remaining > 0 {
        let maxGap = try reader.takeSigned()
        let maxSpeed = try reader.takeCompactDouble()
        options.path = .geodesic(maxGapMicroseconds: maxGap, maxSpeed: maxSpeed == 0 ? nil : maxSpeed)
        if let defect = options.defect { throw Damage(defect) }
      }
    }
    try reader.end()
  }

  /// - Parameter deviceCount: How many rows of devices there are.
  init(_ fleet: borrowing FleetEngine, _ conditions: borrowing ConditionTable, deviceCount: Int, moment: FleetMoment) {
    var head = ByteWriter(reserving: 64)
    HeadRow(conditions, Conditions.options).encode(to: &head)
    format = fleet.rowFormat
    options = fleet.options
    table = Array(head.bytes)
    self.deviceCount = UInt64(deviceCount)
    bound = UInt64(fleet.devices.bound)
    lastPosition = fleet.delivery.lastPosition
    appended = fleet.delivery.appended
    self.moment = moment
  }
}

/// What belongs to all devices at one moment: told only when all of them are saved, or a device that was not would have an
/// advance and lack the inputs before it.
struct FleetMoment: Sendable {
  var watermark: Watermark
  var counters: InputCounters
  /// See ``FleetEngine/setArrivalTime(_:)``; `Int64.min` = none.
  var arrival: Int64 = .min

  init(_ fleet: borrowing FleetEngine) {
    watermark = fleet.watermark
    counters = fleet.counters
    counters.others = 0
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
