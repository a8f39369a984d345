import FencepostKernel

extension FleetEngine {
  /// Exports devices as bytes, to be stored elsewhere or moved to another fleet. The devices stay in this fleet.
  ///
  /// Waiting events belong to the fleet and are not exported, but their sequence numbers are not used again: after the
  /// device has been loaded elsewhere, the sequence number of its next event follows the numbers of the waiting events.
  /// With the deliveries `first` and `latest`, the present states of the exported device count as reported.
  /// The exported clock of a device is its own clock, or the time of the fleet's last advance if that is later.
  ///
  /// - Parameter portable: Whether the bytes can be loaded over another version of the table. Portable bytes have 16
  ///   bytes more for each condition that the device is inside or about to cross. See ``load(_:adapt:)``.
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device; the position is the index of the
  ///   element.
  public func export(_ devices: [UInt64], portable: Bool = false) throws(MonitorError) -> [[UInt8]] {
    var result: [[UInt8]] = []
    try export(devices, portable: portable) { bytes in result.append(Array(bytes)) }
    return result
  }

  /// Exports devices, and calls `body` with the bytes of each device.
  package func export(
    _ numbers: some Collection<UInt64>, portable: Bool, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(MonitorError) {
    for (index, number) in numbers.enumerated() where devices.line(of: number) == nil {
      throw .noSuchDevice("element \(index): no device has the number \(number)", position: index)
    }
    gate.readLong { table in
      let digest = conditions.digest(of: table)
      var waiting = [UInt32: UInt64]()
      delivery.forEachWaiting { entry in
        if table.holds(entry.entry.slot, entry.entry.generation) { waiting[entry.device, default: 0] += 1 }
      }
      var writer = ByteWriter(reserving: 256)
      var digests = portable ? ConditionDigests() : nil
      for device in numbers.lazy.compactMap({ devices.line(of: $0) }) {
        var bytes = bytes(of: device, clock: clock(of: device), digest: digest, &digests, table)
        bytes.sequence += waiting[device] ?? 0
        // The events about conditions that were added since the last call belong to this fleet, too.
        bytes.sequence += UInt64(unreported(bytes.state, table).count)
        bytes.state.host.reportedThrough = bytes.state.host.isUsed ? table.order.lastGeneration : 0
        writer.removeAll()
        bytes.encode(to: &writer)
        body(writer.bytes)
      }
    }
  }

  /// Returns the bytes of a device that is brought up to date with the table.
  ///
  /// - Parameters:
  ///   - clock: The clock to write: that of the device's own inputs, or a later advance of the fleet, which another
  ///     fleet does not know.
  ///   - digests: The digests of the conditions for portable bytes; `nil` if the bytes are not portable.
  func bytes(
    of device: UInt32, clock: Int64, digest: TableDigest, _ digests: inout ConditionDigests?, _ table: ConditionTable
  ) -> DeviceBytes {
    let line = devices.lines[device]
    var state = current(device, table)
    if table.policies.hasTimings, line.clock != .min, table.policies.nextEdge(after: line.clock) <= clock {
      state.timings.isStale = true
    }
    if state.hasTimings { state.dropCommonRecords(own: clock, seen: line.seen, table) }
    var bytes = DeviceBytes(
      state, seen: line.seen, clock: clock,
      acceptedFixes: state.counters.acceptedFixes | UInt64(line.acceptedFixes),
      sequence: state.sequence | UInt64(line.sequence), digest: digest,
      hasPath: options.path.isGeodesic, hasPlausibility: options.plausibility != nil,
      hasHost: features.contains(.hosts), &digests, table)
    if features.contains(.heights), state.lastFix != nil { bytes.height = devices.height(of: device) }
    return bytes
  }

  /// Loads exported devices: either all of them or, if an error is thrown, none.
  ///
  /// If the table has the version with which the devices were exported, each device continues as if nothing had
  /// happened. If the fleet was advanced beyond the clock of a device, the device is advanced too. If the table has
  /// another version, the devices are refused or adapted. An adapted device keeps its states for the conditions that it
  /// was inside or about to cross, if the table has a condition with the same identifier and definition; its other
  /// states are dropped. All other conditions count as seen: if the device is inside a new condition, the entry is
  /// reported after the dwell, as for a crossing.
  ///
  /// - Parameters:
  ///   - devices: The identifier and the bytes of each device.
  ///   - adapt: Whether to adapt devices that were exported with another version of the table, instead of refusing
  ///     them. The bytes must be portable for this.
  /// - Returns: The numbers of the devices.
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` if the bytes are not those of a device, are damaged, or were
  ///   written by a newer version of the library; ``MonitorError/tableMismatch(_:)``;
  ///   ``MonitorError/invalidArgument(_:position:)`` if an identifier is invalid or already used, or if there would be
  ///   more devices than the options allow. If an error is thrown, nothing has changed.
  @discardableResult
  public mutating func load(
    _ devices: some Collection<(String, [UInt8])>, adapt: Bool = false
  ) throws(MonitorError) -> [UInt64] {
    var given: [(identifier: [UInt8], device: DeviceBytes)] = []
    for (index, element) in devices.enumerated() {
      given.append((Array(element.0.utf8), try Self.read(element.1, index)))
    }
    return try load(given, adapt: adapt)
  }

  private static func read(_ bytes: [UInt8], _ index: Int) throws(MonitorError) -> DeviceBytes {
    do throws(Damage) {
      return try bytes.withRawBytes { bytes throws(Damage) in try DeviceBytes(reading: bytes) }
    } catch { throw .snapshotInvalid("element \(index): \(error.reason)") }
  }

  /// Loads devices whose identifiers and bytes are in the caller's memory. See ``load(_:adapt:)``.
  package mutating func load(
    count: Int, adapt: Bool, identifier: (Int) -> UnsafeBufferPointer<UInt8>, bytes: (Int) -> UnsafeRawBufferPointer
  ) throws(MonitorError) -> [UInt64] {
    var given: [(identifier: [UInt8], device: DeviceBytes)] = []
    for index in 0..<count { given.append((Array(identifier(index)), try Self.read(Array(bytes(index)), index))) }
    return try load(given, adapt: adapt)
  }

  private mutating func load(
    _ given: [(identifier: [UInt8], device: DeviceBytes)], adapt: Bool
  ) throws(MonitorError) -> [UInt64] {
    guard given.count <= options.deviceLimit - devices.count else {
      throw .invalidArgument(
        "the fleet has \(devices.count) devices and would get \(given.count) more, but device_limit is \(options.deviceLimit)"
      )
    }
    var names = Set<[UInt8]>()
    for (index, each) in given.enumerated() {
      let defect: String? = each.identifier.withUnsafeBufferPointer { bytes in
        if let defect = Definition.defect(ofIdentifier: bytes) { return defect }
        return devices.line(of: bytes) == nil && names.insert(each.identifier).inserted
          ? nil : "the identifier \"\(String(decoding: bytes, as: UTF8.self))\" already belongs to a device"
      }
      if let defect { throw .invalidArgument("element \(index): \(defect)", position: index) }
    }
    let taken = try gate.readLong { table throws(MonitorError) in
      let digest = conditions.digest(of: table)
      var known = PortableConditions()
      var taken: [DeviceBytes] = []
      for (index, each) in given.enumerated() {
        var device = each.device
        do throws(Damage) {
          if device.digest == digest {
            try device.resolve(table)
          } else if adapt, device.isPortable {
            try device.adapt(&known, table)
          } else {
            throw Damage("")
          }
        } catch {
          if !error.reason.isEmpty { throw .snapshotInvalid("element \(index): \(error.reason)") }
          throw .tableMismatch(
            "element \(index): the device was exported with another version of the table"
              + (adapt ? ", and not as portable" : "; it can be adapted if it was exported as portable"))
        }
        guard !device.state.dependsOnHost || options.delivery == .every else {
          throw .invalidArgument("element \(index): \(Self.needsEveryDelivery)", position: index)
        }
        guard !device.state.host.isUsed || !table.policies.hasTimings else {
          throw .invalidArgument("element \(index): \(Self.needsNoTimings)", position: index)
        }
        guard !device.state.host.isUsed || table.rules == nil else {
          throw .invalidArgument("element \(index): \(Self.needsNoRules)", position: index)
        }
        taken.append(device)
      }
      if taken.contains(where: { $0.state.host.isUsed }) { gate.refuseTimingsAndRules() }
      return taken
    }
    devices.own()
    reportSuspended()
    var numbers: [UInt64] = []
    for (each, device) in zip(given, taken) {
      let line = each.identifier.withUnsafeBufferPointer { devices.insert($0) }
      enter(device, line)
      catchUp(line)
      if watermark.time != .min { prepare(line) }
      numbers.append(devices.number(line))
    }
    return numbers
  }

  /// - Parameter advanced: The time to which all devices had been advanced when the bytes were written.
  mutating func enter(_ device: DeviceBytes, _ line: UInt32, advanced: Int64 = .min) {
    state = device.state
    if !options.path.isGeodesic { state.gap = .min }
    if options.plausibility == nil { state.chain = DoubtChain() }
    if options.keepsEachFix, !device.isLastFixExact, let fix = state.lastFix, fix.time.microseconds < device.clock {
      // The fleet stored only some of the fixes, so the exported last fix may not be the real one.
      state.lastFix = nil
    }
    for inside in state.insides { insideIndex.add(line, to: inside.slot) }
    state.counters.acceptedFixes = device.acceptedFixes & ~0xFFFF_FFFF
    state.sequence = device.sequence & ~0xFFFF_FFFF
    devices.lines[line].acceptedFixes = UInt32(truncatingIfNeeded: device.acceptedFixes)
    devices.lines[line].sequence = UInt32(truncatingIfNeeded: device.sequence)
    devices.lines[line].clock = device.clock
    devices.lines[line].seen = device.seen
    gate.read { table in
      let clock = max(device.clock, state.timings.passed, advanced)
      if table.lastTimedRule > 0, clock != .min { remindOfEdge(line, after: clock, table) }
    }
    store(line)
    if device.height != nil || device.state.hasVerticalDistances { features.insert(.heights) }
    if features.contains(.heights) { devices.setHeight(state.lastFix == nil ? nil : device.height, of: line) }
    if device.state.rewoundThrough > 0 { needRowFormat(FleetHeadRow.pathFormat) }
    if device.state.counters.doubtedFixes > 0 { features.insert(.doubts) }
    if device.hasHost { features.insert(.hosts) }
    if device.state.hasEllipses { features.insert(.ellipses) }
    if device.state.host.suspends {
      suspendedDevices.insert(line)
      suspendedSeen = min(suspendedSeen, device.state.host.reportedThrough)
    }
    if watermark.time != .min { prepareForBeacons(line) }
    if device.state.timings.isUsed { features.insert(.timings) }
    if device.state.hasRules { features.insert(.rules) }
    devices.hurry(line)
  }
}

extension DeviceBytes {
  /// Finds the conditions of the device in the version of the table with which the device was exported.
  @_optimize(size)
  mutating func resolve(_ table: borrowing ConditionTable) throws(Damage) {
    let last = table.order.lastGeneration
    guard seen <= last, state.timings.seen <= last, state.rules.seen <= last,
      !state.rules.records.contains(where: { $0.looked > last }), state.beaconsSeen <= last,
      state.beaconsTold <= last, state.host.lastGeneration <= last
    else {
      throw Damage("the device knows conditions that are newer than the table")
    }
    var slots: [UInt32] = []
    for reference in references {
      guard let slot = table.slot(ofGeneration: reference.generation) else {
        throw Damage("the device knows the condition \(reference.generation), which the table does not have")
      }
      slots.append(slot)
    }
    for index in state.insides.indices { state.insides[index].slot = slots[Int(state.insides[index].slot)] }
    for index in state.crossings.indices { state.crossings[index].slot = slots[Int(state.crossings[index].slot)] }
    for index in state.undecided.indices { state.undecided[index] = slots[Int(state.undecided[index])] }
    for index in state.told.indices { state.told[index].slot = slots[Int(state.told[index].slot)] }
    for index in state.beacons.indices { state.beacons[index].slot = slots[Int(state.beacons[index].slot)] }
    for index in state.timings.records.indices {
      let slot = slots[Int(state.timings.records[index].slot)]
      state.timings.records[index].slot = slot
      state.timings.records[index].generation = table.generation(of: slot)
    }
    if state.hasRules {
      for index in state.rules.records.indices {
        let slot = slots[Int(state.rules.records[index].slot)]
        state.rules.records[index].slot = slot
        state.rules.records[index].generation = table.generation(of: slot)
      }
    }
    try checkRules(table)
    for index in state.host.unmonitored.indices {
      state.host.unmonitored[index] = slots[Int(state.host.unmonitored[index])]
    }
    let shapes = state.shapes
    try state.checkHost(table)
    try checkTimings(table)
    guard shapes.allSatisfy({ table.isGeographic($0) && table.generation(of: $0) <= seen }),
      !state.beacons.contains(where: { !table.kind(of: $0.slot).isBeacon })
    else { throw Damage("the device has a wrong kind for a condition") }
  }

  /// Finds the conditions with the same identifiers and definitions in another version of the table.
  @_optimize(size)
  mutating func adapt(_ known: inout PortableConditions, _ table: ConditionTable) throws(Damage) {
    let slots = references.map { known.slot(of: $0.condition, table) }
    func place(_ number: UInt32) -> UInt32? { slots[Int(number)].flatMap { table.isGeographic($0) ? $0 : nil } }
    func beacon(_ number: UInt32) -> UInt32? {
      slots[Int(number)].flatMap { table.kind(of: $0).isBeacon ? $0 : nil }
    }
    state.insides = ContiguousArray(
      state.insides.compactMap { inside in
        place(inside.slot).map { DeviceState.Inside(slot: $0, since: inside.since, evidence: inside.evidence) }
      })
    state.crossings = ContiguousArray(
      state.crossings.compactMap { crossing in
        place(crossing.slot).map { DeviceState.Crossing(slot: $0, candidate: crossing.candidate) }
      })
    state.undecided = ContiguousArray(state.undecided.compactMap(place))
    state.told = ContiguousArray(
      state.told.compactMap { told in
        place(told.slot).map {
          DeviceState.Told(slot: $0, state: told.state, since: told.since, evidence: told.evidence)
        }
      })
    state.beacons = ContiguousArray(
      state.beacons.compactMap { each in
        beacon(each.slot).map {
          DeviceState.Beacon(
            slot: $0, generation: table.generation(of: $0), track: each.track, told: each.told,
            refinement: each.refinement)
        }
      })
    state.host.unmonitored = ContiguousArray(state.host.unmonitored.compactMap(place))
    var records = state.timings.records
    records.removeAll { slots[Int($0.slot)].map { table.timing(of: $0) == nil } ?? true }
    for index in records.indices {
      let slot = slots[Int(records[index].slot)] ?? 0
      records[index].slot = slot
      records[index].generation = table.generation(of: slot)
      if table.kind(of: slot).isRule { records[index].forget() }
    }
    state.timings.records = records
    state.timings.seen = 0
    try adaptRules(slots, table)
    try checkOnce()
    seen = table.order.lastGeneration
    if state.rewoundThrough > 0 { state.rewoundThrough = seen }
    if state.host.isUsed { state.host.reportedThrough = seen }
    for index in state.host.resumed.indices { state.host.resumed[index].through = seen }
    try state.checkHost(table)
    try checkTimings(table)
    // Conditions without a record are new to the device, so they begin at its clock. Their changes before the next input
    // are then known.
    if clock != .min, table.lastTracked > 0 {
      state.prepareTimings(own: clock, clock: clock, through: clock, table)
    }
    state.marks = []
    if table.lastBeacon > 0 || state.beaconsSeen > 0 {
      state.beaconsSeen = seen
      state.beaconsAbsent = state.countsAbsence ? seen : 0
      state.beaconsTold = seen
    }
  }
}

extension DeviceBytes {
  /// Keeps the reported states of the rules that another version of the table has too. All rules are looked at after the
  /// next input.
  @inline(never)
  @_optimize(size)
  private mutating func adaptRules(_ slots: [UInt32?], _ table: ConditionTable) throws(Damage) {
    if !state.hasRules, table.rules == nil { return }
    var rules = DeviceRules()
    rules.isReset = table.rules != nil
    for var record in state.rules.records {
      guard let slot = slots[Int(record.slot)], table.kind(of: slot).isRule else { continue }
      record.slot = slot
      record.generation = table.generation(of: slot)
      record.forget()
      record.looked = 0
      rules.records.append(record)
    }
    state.rules = rules
    try checkRules(table)
    state.rules.dropCommon(seen: seen, table)
  }
}

extension DeviceBytes {
  /// Checks that no two conditions of the device were resolved to the same condition, and that the two mentions of a
  /// shape with a reported state were resolved to one. Forged hashes make both possible.
  @_optimize(size)
  private func checkOnce() throws(Damage) {
    let (insides, crossings) = (Set(state.insides.map { $0.slot }), Set(state.crossings.map { $0.slot }))
    let (undecided, told) = (Set(state.undecided), Set(state.told.map { $0.slot }))
    guard insides.count == state.insides.count, crossings.count == state.crossings.count,
      undecided.union(insides).union(crossings).count == state.undecided.count + insides.union(crossings).count,
      Set(state.beacons.map { $0.slot }).count == state.beacons.count,
      told.count == state.told.count, told.union(undecided).count == undecided.count,
      Set(state.timings.records.map { $0.slot }).count == state.timings.records.count,
      Set(state.host.unmonitored).count == state.host.unmonitored.count
    else { throw Damage("two conditions of the device are one condition in this table, or one is two") }
  }
}
