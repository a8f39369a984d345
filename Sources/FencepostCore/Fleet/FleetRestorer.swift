import FencepostKernel

/// Builds a fleet from rows, which may be damaged. Everything that a fleet cannot have written is refused, so that no
/// later call can find an impossible state.
///
/// The rows must be ordered by ``MonitorRow/Table/place``, and within one table by key. The fleet gets a condition
/// table of its own; see ``FleetEngine/move(onto:)``.
struct FleetRestorer: ~Copyable {
  /// The place of an event's row in `bytes`.
  private struct Place {
    var change: UInt64
    var generation: UInt64
    var range: Range<Int>
  }

  /// The number of rows of devices that follow. No memory is reserved for more devices, whatever the head states.
  private let rowCount: UInt64
  private var table = EngineRestorer(name: nil)
  private var head: FleetHeadRow?
  /// The fleet; `nil` until the condition table is complete.
  private var fleet: FleetEngine?
  private var last: (place: UInt8, key: UInt64) = (0, 0)
  private var conditionCount: UInt64 = 0
  /// The number of rows of devices.
  private(set) var deviceCount: UInt64 = 0
  private var bytes: [UInt8] = []
  private var events: ContiguousArray<Place> = []
  /// The new numbers of the devices, by their saved numbers, if the devices get new numbers.
  private var numbers = [UInt64: UInt32]()

  /// Numbers without a row waste memory. If a fleet has more numbers than this, and many more numbers than rows, its
  /// devices get new numbers.
  private static let fewNumbers: UInt64 = 1 << 20
  private static let numbersPerRow: UInt64 = 64

  /// - Parameter deviceRows: The number of rows of devices that follow; `nil` if it is unknown, so that the number in
  ///   the head is used.
  init(deviceRows: UInt64?) {
    rowCount = deviceRows ?? .max
  }

  /// Whether no row was received.
  var isEmpty: Bool { head == nil }

  /// Whether the devices get numbers that differ from their saved numbers.
  var isRenumbered: Bool {
    head.map { $0.bound > Self.fewNumbers && $0.bound / Self.numbersPerRow > $0.deviceCount } ?? false
  }

  /// Whether the next row is in the right order. The order of events is checked at the end.
  private func isNext(_ row: MonitorRow) -> Bool {
    guard head != nil else { return row.table == .head }
    let place = row.table.place
    return place > last.place
      || place == last.place && row.table != .head && (row.table == .events || row.key > last.key)
  }

  mutating func receive(_ row: MonitorRow) throws(Damage) {
    guard isNext(row) else {
      throw Damage(head == nil ? "the head row is missing" : "a row in \(row.table) is repeated or out of order")
    }
    last = (row.table.place, row.key)
    var reader = ByteReader(row.bytes)
    switch row.table {
    case .head: try receiveHead(&reader)
    case .conditions:
      conditionCount += 1
      try table.receive(row)
    case .fleetDevices: try receiveDevice(row.key, &reader)
    case .events:
      let start = bytes.count
      bytes.append(contentsOf: row.bytes)
      events.append(Place(change: row.key, generation: row.generation, range: start..<bytes.count))
    case .devices, .states: throw Damage("a fleet has no rows in \(row.table)")
    }
  }

  private mutating func receiveHead(_ reader: inout ByteReader) throws(Damage) {
    let head = try FleetHeadRow(reading: &reader)
    guard head.deviceCount <= rowCount else { throw Damage("devices are missing") }
    var own = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
    try head.table.withRawBytes { bytes throws(Damage) in
      own = ByteReader(bytes)
      let format = try own.take(UInt32.self)
      guard HeadRow.isCurrent(format) else { throw Damage("the table has another format") }
      let head = try HeadRow(reading: &own, format: format)
      guard head.options == MonitorOptions.ofTable, head.lastSequence == 0, head.lastChange == 0, head.lastTicket == 0
      else { throw Damage("the table is that of a monitor") }
      try table.receive(MonitorRow(table: .head, key: 0, generation: 0, bytes: bytes))
    }
    var device = ByteWriter(reserving: 64)
    DeviceRow.withoutInputs.encode(to: &device)
    try table.receive(MonitorRow(table: .devices, key: 0, generation: 0, bytes: device.bytes))
    self.head = head
  }

  /// Creates the fleet, after all conditions have been read.
  @_optimize(size)
  private mutating func finishTable() throws(Damage) {
    guard fleet == nil, let head else { return }
    let conditions: ConditionTable
    do throws(RestoreFailure) { conditions = try table.restored().engine.table } catch {
      if case .damaged(let damage) = error { throw damage }
      throw Damage("the options do not belong to the table")
    }
    guard UInt64(conditions.count) == conditionCount else { throw Damage("conditions are missing") }
    if let defect = conditions.timingDefect { throw Damage(defect) }
    do throws(MonitorError) {
      fleet = try FleetEngine(Conditions(restored: conditions), options: head.options)
    } catch { throw Damage("\(error)") }
    // Whether there are probabilities is determined again when the rows are written.
    fleet!.features.formUnion(head.features.subtracting(.probabilities))
    fleet!.needRowFormat(min(head.format, FleetHeadRow.pathFormat))
    fleet!.beginRestoring(head.moment, bound: isRenumbered ? Int(head.deviceCount) : Int(head.bound))
  }

  private mutating func receiveDevice(_ key: UInt64, _ reader: inout ByteReader) throws(Damage) {
    try finishTable()
    guard let head, key < head.bound, deviceCount < head.deviceCount else {
      throw Damage("a device has the number \(key)")
    }
    let row = try FleetDeviceRow(reading: &reader)
    let number = UInt32(isRenumbered ? deviceCount : key)
    if isRenumbered { numbers[key] = number }
    deviceCount += 1
    try fleet!.restore(row, as: number)
  }

  /// Returns the fleet that the rows describe. Events that were handed out and not committed are handed out again.
  /// The restorer is empty afterwards.
  mutating func restored() throws(Damage) -> FleetEngine {
    try finishTable()
    guard let head, fleet != nil else { throw Damage("the head row is missing") }
    guard deviceCount == head.deviceCount else { throw Damage("devices are missing") }
    let entries = try readEvents(head)
    try fleet!.endRestoring(entries, lastPosition: head.lastPosition, appended: head.appended)
    return fleet.take()!
  }

  @_optimize(size)
  private mutating func readEvents(_ head: FleetHeadRow) throws(Damage) -> ContiguousArray<FleetEntry> {
    var previous: UInt64 = 0
    var positions = Set<UInt64>()
    var entries: ContiguousArray<FleetEntry> = []
    events.arrange { $0.change < $1.change }
    for place in events {
      guard place.change > previous, place.change <= head.appended else {
        throw Damage("an event has the place \(place.change)")
      }
      previous = place.change
      guard let slot = fleet!.conditions.read({ $0.slot(ofGeneration: place.generation) }) else {
        throw Damage("an event belongs to no condition")
      }
      var row = try bytes.withRawBytes { all throws(Damage) in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: all[place.range]))
        return try FleetEventRow(
          slot: slot, generation: place.generation, head.options.delivery, reading: &reader)
      }
      guard row.entry.entry.change == place.change else { throw Damage("an event and its row have different places") }
      guard row.entry.position <= head.lastPosition,
        row.entry.position == 0 || positions.insert(row.entry.position).inserted
      else { throw Damage("an event has the position \(row.entry.position)") }
      if isRenumbered { row.entry.device = numbers[UInt64(row.entry.device)] ?? .max }
      guard fleet!.isKnown(row.entry.device), row.entry.entry.sequence <= fleet!.sequence(of: row.entry.device) else {
        throw Damage("an event has no device, or the wrong sequence \(row.entry.entry.sequence)")
      }
      entries.append(row.entry)
    }
    return entries
  }
}

/// Methods with which ``FleetRestorer`` fills a new fleet.
extension FleetEngine {
  mutating func beginRestoring(_ moment: FleetMoment, bound: Int) {
    watermark = moment.watermark
    counters = moment.counters
    devices.restore(bound: bound)
    if moment.arrival != .min { devices.setArrivalTime(moment.arrival) }
  }

  func isKnown(_ device: UInt32) -> Bool { devices.hasName(device) && devices.lines[device].flags != [] }

  mutating func restore(_ row: FleetDeviceRow, as number: UInt32) throws(Damage) {
    var device = row.device
    // After a crash, the device may be ahead of the saved advance of the fleet.
    if row.advanced > watermark.time { device.clock = max(device.clock, row.advanced) }
    try gate.read { table throws(Damage) in
      try device.resolveSaved(table)
      guard device.state.host.isUsed else { return }
      if table.policies.hasTimings || table.rules != nil {
        throw Damage("a device has host capabilities, but a condition has a timing or is a rule")
      }
      gate.refuseTimingsAndRules()
    }
    guard !device.state.dependsOnHost || options.delivery == .every else {
      throw Damage("a device has host capabilities, but the delivery is not every")
    }
    try row.identifier.withUnsafeBufferPointer { identifier throws(Damage) in
      if let defect = Definition.defect(ofIdentifier: identifier) { throw Damage(defect) }
      guard row.isLeaving || devices.line(of: identifier) == nil else {
        throw Damage("two devices have one identifier")
      }
      devices.restore(identifier, as: number, isLeaving: row.isLeaving)
      if row.arrival != .min {
        needRowFormat(FleetHeadRow.pathFormat)
        devices.restoreArrival(of: number, row.arrival)
      }
    }
    if row.isLeaving {
      devices.lines[number].sequence = UInt32(truncatingIfNeeded: device.sequence)
    } else {
      enter(device, number, advanced: row.advanced)
    }
  }

  mutating func endRestoring(
    _ entries: ContiguousArray<FleetEntry>, lastPosition: UInt64, appended: UInt64
  ) throws(Damage) {
    var events = [UInt32: Int]()
    for entry in entries { events[entry.device, default: 0] += 1 }
    delivery.restore(lastPosition: lastPosition, appended: appended)
    try delivery.restore(entries)
    devices.endRestoring(events: events)
  }

  /// Moves the fleet to another table, which contains the conditions that the devices know; see
  /// ``Conditions/adopt(_:family:)``.
  ///
  /// - Parameter family: The family of the store from which the fleet was read.
  /// - Returns: Whether the table has the same version.
  /// - Throws: ``MonitorError/tableMismatch(_:)``; ``MonitorError/invalidArgument(_:position:)`` if the table has lines
  ///   and the fleet has no path.
  @_optimize(size)
  mutating func move(onto other: Conditions, family: UInt32? = nil) throws(MonitorError) -> Bool {
    let own = conditions
    let newGate = try other.newGate(for: options, hasHosts: gate.refusesRules)
    let adoption = try other.adopt(own, family: family)
    conditions = other
    gate = newGate
    patches = CapPatches()
    edges = EdgeCells()
    insideIndex.drop()
    suspendedSeen = 0
    trackedSeen = 0
    tracker.dropRules()
    calm = (.max, .min, 0)
    guard adoption != .taken else { return true }
    devices.own()
    // The slots and generations in the present version. Conditions are matched by generation, unless both tables
    // assigned generations anew.
    let places = own.read { known in
      other.read { table in
        var places = SlotPlaces()
        var equal = PortableConditions()
        for slot in known.live {
          let found =
            adoption == .diverged
            ? equal.slot(of: .digest(known.digest(of: slot)), table)
            : table.slot(ofGeneration: known.generation(of: slot))
          guard let found else { continue }
          places.set(slot, found, generation: table.generation(of: found))
        }
        return places
      }
    }
    if adoption == .diverged {
      try adapt(from: own)
    } else {
      for device in devices.all where devices.lines[device].cold != ColdStore.none {
        devices.load(device, into: &state)
        state.renumber(places)
        store(device)
      }
    }
    for device in delivery.renumber(places) { devices.release(device) }
    return adoption == .equal
  }

  /// Adapts each device to the table as ``load(_:adapt:)`` does. A device keeps its states for the conditions that it
  /// was inside or about to cross if their identifiers and definitions are the same. All other conditions count as
  /// seen.
  @_optimize(size)
  private mutating func adapt(from earlier: Conditions) throws(MonitorError) {
    var known = PortableConditions()
    var digests: ConditionDigests? = ConditionDigests()
    let numbers = ContiguousArray(devices.numbers)
    // The lock of one table must be used for the first time while the lock of the other table is not held.
    for number in numbers {
      var device = earlier.read { table in
        bytes(
          of: number, clock: devices.lines[number].clock, digest: TableDigest(high: 0, low: 0), &digests, table)
      }
      do throws(Damage) {
        try conditions.read { table throws(Damage) in try device.adapt(&known, table) }
      } catch { throw .storeCorrupt("a device does not fit this table: \(error.reason)") }
      enter(device, number, advanced: watermark.time)
    }
    watermark.startOver()
  }
}
