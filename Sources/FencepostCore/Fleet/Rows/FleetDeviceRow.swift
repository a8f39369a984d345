import FencepostKernel

/// The row of a device of a fleet. Its key is the number of the device. Conditions are identified by their generations.
struct FleetDeviceRow {
  var identifier: [UInt8]
  /// Whether the device was removed and still has waiting events.
  var isLeaving: Bool
  /// The time to which all devices had been advanced, if it was later than the device's own clock; otherwise
  /// `Int64.min`.
  var advanced: Int64 = .min
  /// The arrival time of the last accepted input; `Int64.min` if it is unknown.
  var arrival: Int64 = .min
  var device: DeviceBytes

  private static let leaving: UInt8 = 1
  private static let advanced: UInt8 = 2
  private static let arrival: UInt8 = 4

  init(reading reader: inout ByteReader) throws(Damage) {
    let bits: UInt8 = try reader.take("bits of a device", in: 0...7)
    isLeaving = bits & Self.leaving != 0
    if bits & Self.advanced != 0 { advanced = try reader.takeSignedTime("advance of a device") }
    if bits & Self.arrival != 0 { arrival = try reader.takeSignedTime("arrival of a device's last input") }
    let length: Int = try reader.takeCompact("length of an identifier", in: 1...IdentifierTable.longest)
    identifier = Array(try reader.takeBytes(length))
    device = try DeviceBytes(readingRow: &reader)
  }

  static func encode(
    _ device: UInt32, of fleet: borrowing FleetEngine, _ table: ConditionTable, to writer: inout ByteWriter
  ) {
    let isLeaving = fleet.devices.isLeaving(device)
    let isAdvanced = !isLeaving && fleet.watermark.time > fleet.devices.lines[device].clock
    let lastArrival = isLeaving ? .min : fleet.devices.arrivals.last(of: device)
    writer.put((isLeaving ? leaving : 0) | (isAdvanced ? advanced : 0) | (lastArrival != .min ? arrival : 0))
    if isAdvanced { writer.putCompact(fleet.watermark.time) }
    if lastArrival != .min { writer.putCompact(lastArrival) }
    fleet.devices.withName(of: device) { bytes in
      writer.putCompact(UInt64(bytes.count))
      writer.put(UnsafeRawBufferPointer(bytes))
    }
    let none = TableDigest(high: 0, low: 0)
    var digests: ConditionDigests?
    guard isLeaving else {
      let clock = fleet.devices.lines[device].clock
      return fleet.bytes(of: device, clock: clock, digest: none, &digests, table).encodeRow(to: &writer)
    }
    // Nothing is left of the device except its events, whose sequence numbers continue.
    DeviceBytes(
      DeviceState(), seen: 0, clock: .min, acceptedFixes: 0, sequence: fleet.sequence(of: device), digest: none,
      hasPath: false, hasPlausibility: false, hasHost: false, &digests, table
    ).encodeRow(to: &writer)
  }
}

extension DeviceBytes {
  /// Finds the conditions of the device in the table with which it was saved; drops the entries of conditions that no
  /// longer exist.
  mutating func resolveSaved(_ table: borrowing ConditionTable) throws(Damage) {
    let last = table.order.lastGeneration
    guard seen <= last, state.timings.seen <= last, state.rules.seen <= last, state.beaconsSeen <= last,
      state.beaconsTold <= last, state.host.lastGeneration <= last
    else {
      throw Damage("a device knows conditions that are newer than the table")
    }
    var places = SlotPlaces()
    for (number, reference) in references.enumerated() {
      guard reference.generation <= last else {
        throw Damage("a device knows a condition that is newer than the table")
      }
      guard let slot = table.slot(ofGeneration: reference.generation) else { continue }
      places.set(UInt32(number), slot, generation: reference.generation)
    }
    state.renumber(places)
    let seen = seen
    try checkTimings(table)
    try checkRules(table)
    let shapes = state.shapes
    try state.checkHost(table)
    guard shapes.allSatisfy({ table.isGeographic($0) && table.generation(of: $0) <= seen }),
      !state.beacons.contains(where: { !table.kind(of: $0.slot).isBeacon })
    else { throw Damage("a device has a wrong kind for a condition") }
  }
}

/// The slots and generations of conditions that had other slots before.
struct SlotPlaces {
  private var slots: ContiguousArray<UInt32> = []
  private var generations: ContiguousArray<UInt64> = []

  mutating func set(_ old: UInt32, _ slot: UInt32, generation: UInt64) {
    while slots.count <= Int(old) {
      slots.append(.max)
      generations.append(0)
    }
    slots[Int(old)] = slot
    generations[Int(old)] = generation
  }

  /// Returns the new slot of a condition; `nil` if the condition has none.
  func slot(_ old: UInt32) -> UInt32? {
    Int(old) < slots.count && slots[Int(old)] != .max ? slots[Int(old)] : nil
  }

  /// Returns the generation of a condition that has a new slot.
  func generation(_ old: UInt32) -> UInt64 { generations[Int(old)] }
}

extension DeviceState {
  /// Replaces the slots in the lists, and the generations of records; drops the entries of conditions without a new slot.
  @inline(never) @_optimize(size)
  mutating func renumber(_ places: SlotPlaces) {
    insides.removeAll { places.slot($0.slot) == nil }
    for index in insides.indices { insides[index].slot = places.slot(insides[index].slot)! }
    crossings.removeAll { places.slot($0.slot) == nil }
    for index in crossings.indices { crossings[index].slot = places.slot(crossings[index].slot)! }
    undecided.removeAll { places.slot($0) == nil }
    for index in undecided.indices { undecided[index] = places.slot(undecided[index])! }
    told.removeAll { places.slot($0.slot) == nil }
    for index in told.indices { told[index].slot = places.slot(told[index].slot)! }
    beacons.removeAll { places.slot($0.slot) == nil }
    for index in beacons.indices { beacons[index].slot = places.slot(beacons[index].slot)! }
    host.unmonitored.removeAll { places.slot($0) == nil }
    for index in host.unmonitored.indices { host.unmonitored[index] = places.slot(host.unmonitored[index])! }
    var records = timings.records
    records.removeAll { places.slot($0.slot) == nil }
    for index in records.indices {
      records[index].generation = places.generation(records[index].slot)
      records[index].slot = places.slot(records[index].slot)!
    }
    timings.records = records
    guard hasRules else { return }
    rules.records.removeAll { places.slot($0.slot) == nil }
    for index in rules.records.indices {
      rules.records[index].generation = places.generation(rules.records[index].slot)
      rules.records[index].slot = places.slot(rules.records[index].slot)!
    }
    rules.records.arrange { $0.slot < $1.slot }
  }
}
