import FencepostKernel

extension FleetEngine {
  /// Devices as bytes, to be kept elsewhere or moved to another fleet. They stay in this one.
  ///
  /// An event that waits belongs to the fleet and is not exported, but it counts: where the device goes on, its next event
  /// has the sequence after those of the events that wait here. A device's clock becomes that of the fleet's last advance, if
  /// that is later.
  ///
  /// - Parameter portable: Whether another version of the table can take them (16 bytes more for each condition that the
  ///   device is inside of or about to cross). See ``load(_:adapt:)``.
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device; the position is the index of the
  ///   element.
  public func export(_ devices: [UInt32], portable: Bool = false) throws(MonitorError) -> [[UInt8]] {
    var result: [[UInt8]] = []
    try export(devices, portable: portable) { bytes in result.append(Array(bytes)) }
    return result
  }

  /// Calls `body` with the bytes of each of some devices.
  package func export(
    _ numbers: some Collection<UInt32>, portable: Bool, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(MonitorError) {
    for (index, number) in numbers.enumerated() where devices.line(of: number) == nil {
      throw .noSuchDevice("element \(index): no device has the number \(number)", position: index)
    }
    gate.readLong { table in
      let digest = conditions.digest(of: table)
      var waiting: [UInt32: UInt64] = [:]
      delivery.forEachWaiting { entry in
        if table.holds(entry.entry.slot, entry.entry.generation) { waiting[entry.device, default: 0] += 1 }
      }
      var writer = ByteWriter(reserving: 256)
      var digests = portable ? ConditionDigests() : nil
      for device in numbers.lazy.compactMap({ devices.line(of: $0) }) {
        var bytes = bytes(of: device, clock: clock(of: device), digest: digest, &digests, table)
        bytes.sequence += waiting[device] ?? 0
        writer.removeAll()
        bytes.encode(to: &writer)
        body(writer.bytes)
      }
    }
  }

  /// A device, brought up to date with the table.
  ///
  /// - Parameters:
  ///   - clock: Its own, or also that of the fleet's advance, which another fleet does not know.
  ///   - digests: Of portable bytes; `nil` if they are not portable.
  func bytes(
    of device: UInt32, clock: Int64, digest: TableDigest, _ digests: inout ConditionDigests?, _ table: ConditionTable
  ) -> DeviceBytes {
    let line = devices.lines[device]
    let state = current(device, table)
    return DeviceBytes(
      state, seen: line.seen, clock: clock,
      acceptedFixes: state.counters.acceptedFixes | UInt64(line.acceptedFixes),
      sequence: state.sequence | UInt64(line.sequence), digest: digest,
      hasPath: options.path.isGeodesic, &digests, table)
  }

  /// Enters devices that were exported. All or none.
  ///
  /// Where the table is of the version that they were exported with, each goes on as if nothing had happened; a fleet that
  /// was advanced farther than the device's clock advances it, too. With another version they are refused, or adapted: of the
  /// conditions that a device was inside of or about to cross, those that have the same identifier and definition go on, and
  /// the others are void; all other conditions count as seen, so that a new one that the device is in is entered as by a
  /// crossing, after the dwell.
  ///
  /// - Parameters:
  ///   - devices: The identifier, and the bytes, of each.
  ///   - adapt: Whether another version of the table is no reason to refuse; the bytes must be portable then.
  /// - Returns: The devices' numbers.
  /// - Throws: ``MonitorError/snapshotInvalid(_:)`` (no device, damaged, or of a newer version of the library),
  ///   ``MonitorError/tableMismatch(_:)``, ``MonitorError/invalidArgument(_:position:)`` (an identifier that is none, or
  ///   that a device has already; more devices than the options allow); nothing has changed then.
  @discardableResult
  public mutating func load(
    _ devices: some Collection<(String, [UInt8])>, adapt: Bool = false
  ) throws(MonitorError) -> [UInt32] {
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

  /// Enters devices whose identifiers and bytes lie in memory of the caller. See ``load(_:adapt:)``.
  package mutating func load(
    count: Int, adapt: Bool, identifier: (Int) -> UnsafeBufferPointer<UInt8>, bytes: (Int) -> UnsafeRawBufferPointer
  ) throws(MonitorError) -> [UInt32] {
    var given: [(identifier: [UInt8], device: DeviceBytes)] = []
    for index in 0..<count { given.append((Array(identifier(index)), try Self.read(Array(bytes(index)), index))) }
    return try load(given, adapt: adapt)
  }

  private mutating func load(
    _ given: [(identifier: [UInt8], device: DeviceBytes)], adapt: Bool
  ) throws(MonitorError) -> [UInt32] {
    guard given.count <= options.deviceLimit - devices.count else {
      throw .invalidArgument(
        "the fleet has \(devices.count) devices and would get \(given.count) more, but device_limit is \(options.deviceLimit)"
      )
    }
    var names: Set<[UInt8]> = []
    for (index, each) in given.enumerated() {
      let defect: String? = each.identifier.withUnsafeBufferPointer { bytes in
        if let defect = MonitorEngine.defect(ofIdentifier: bytes) { return defect }
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
        taken.append(device)
      }
      return taken
    }
    devices.own()
    var numbers: [UInt32] = []
    for (each, device) in zip(given, taken) {
      let line = each.identifier.withUnsafeBufferPointer { devices.insert($0) }
      enter(device, line)
      catchUp(line)
      numbers.append(devices.number(line))
    }
    return numbers
  }

  mutating func enter(_ device: DeviceBytes, _ line: UInt32) {
    state = device.state
    if !options.path.isGeodesic {
      state.gap = .min
    } else if !device.hasPath, let fix = state.lastFix, fix.time.microseconds < device.clock {
      // A fleet without a path keeps only some of the fixes.
      state.lastFix = nil
    }
    for inside in state.insides { insideIndex.add(line, to: inside.slot) }
    state.counters.acceptedFixes = device.acceptedFixes & ~0xFFFF_FFFF
    state.sequence = device.sequence & ~0xFFFF_FFFF
    devices.lines[line].acceptedFixes = UInt32(truncatingIfNeeded: device.acceptedFixes)
    devices.lines[line].sequence = UInt32(truncatingIfNeeded: device.sequence)
    devices.lines[line].clock = device.clock
    devices.lines[line].seen = device.seen
    store(line)
    if device.state.rewoundThrough > 0 { rowFormat = FleetHeadRow.format }
    if watermark.time != .min { prepare(line) }
    devices.hurry(line)
  }
}

extension DeviceBytes {
  /// Finds the conditions of the version of the table that the device was exported with.
  mutating func resolve(_ table: borrowing ConditionTable) throws(Damage) {
    let last = table.order.lastGeneration
    guard seen <= last, state.beaconsSeen <= last, state.beaconsTold <= last else {
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
    let shapes =
      state.insides.map { $0.slot } + state.crossings.map { $0.slot } + state.undecided + state.told.map { $0.slot }
    guard shapes.allSatisfy({ table.isGeographic($0) && table.generation(of: $0) <= seen }),
      !state.beacons.contains(where: { table.isGeographic($0.slot) })
    else { throw Damage("the device has a wrong kind for a condition") }
  }

  /// Finds those conditions of another version of the table that have the same identifier and definition.
  mutating func adapt(_ known: inout PortableConditions, _ table: ConditionTable) throws(Damage) {
    let slots = references.map { known.slot(of: $0.condition, table) }
    func slot(_ number: UInt32, isGeographic: Bool) -> UInt32? {
      slots[Int(number)].flatMap { table.isGeographic($0) == isGeographic ? $0 : nil }
    }
    func place(_ number: UInt32) -> UInt32? { slot(number, isGeographic: true) }
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
      state.beacons.compactMap { beacon in
        slot(beacon.slot, isGeographic: false).map {
          DeviceState.Beacon(slot: $0, generation: table.generation(of: $0), track: beacon.track, told: beacon.told)
        }
      })
    try checkOnce()
    seen = table.order.lastGeneration
    if state.rewoundThrough > 0 { state.rewoundThrough = seen }
    state.marks = []
    if table.lastBeacon > 0 || state.beaconsSeen > 0 {
      state.beaconsSeen = seen
      state.beaconsAbsent = state.isScanning ? seen : 0
      state.beaconsTold = seen
    }
  }
}

extension DeviceBytes {
  /// Two conditions of a device may have become one where their hashes were made to.
  private func checkOnce() throws(Damage) {
    let (insides, crossings) = (Set(state.insides.map { $0.slot }), Set(state.crossings.map { $0.slot }))
    guard insides.count == state.insides.count, crossings.count == state.crossings.count,
      Set(state.undecided).union(insides).union(crossings).count
        == state.undecided.count + insides.union(crossings).count,
      Set(state.beacons.map { $0.slot }).count == state.beacons.count,
      Set(state.told.map { $0.slot }).count == state.told.count
    else { throw Damage("two conditions of the device are one condition in this table") }
  }
}
