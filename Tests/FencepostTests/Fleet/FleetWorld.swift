import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Contains one or more fleets with the same table, and, for each device, a monitor that serves as the reference.
///
/// Every call goes to the fleets and to the monitors. The expected events of a call are stored in the order in which
/// the fleet must deliver them, and are compared with the delivered events. For calls that deliver no events, the
/// fleets' answers are compared with the monitors' answers.
struct FleetWorld {
  /// Earlier calls, which are repeated on each new monitor.
  private enum Past {
    case add(String, Definition)
    case remove(String)
    case advance(Timestamp)

    var isAdvance: Bool { if case .advance = self { true } else { false } }

    /// The identifier of the condition that the call adds, replaces or removes.
    var identifier: String? {
      switch self {
      case .add(let identifier, _), .remove(let identifier): identifier
      case .advance: nil
      }
    }
  }

  private struct Device {
    var name: String
    var monitor: MonitorEngine
    var sequence: UInt64 = 0
    /// True until the events that were overdue when the device was created have been delivered.
    var isFresh = false
    /// Whether the events that were due before the device was added have not been collected.
    var isUnheard = true
    /// The earliest time to which the device was rewound.
    var rewound: Timestamp?
    /// The sequence of the fleet's events minus that of the monitor's events; not 0 after the device has moved.
    var movedSequence: UInt64 = 0
    /// The number of rewinds that only the fleet refused; the fleet counts them as inputs of the device.
    var refusedRewinds: UInt64 = 0
  }

  private struct Expected {
    var device: UInt64
    var name: String
    var event: Event
    var row: Int
    var serial: Int
    var sequence: UInt64?
  }

  private struct Shard {
    var stored: StoredFleet
    var storage: MemoryFleetStorage?
    /// For each device number, every row that the device had after one of the calls.
    var history: [UInt64: Set<[UInt8]>] = [:]
    var fleet: FleetEngine {
      _read { yield stored.call }
      _modify { yield &stored.call }
    }
    var devices: [UInt64: Device] = [:]
    var past: [Past] = []
    var waiting: [Expected] = []
    var flying: [Expected] = []
    var handedOut = 0
    var position: UInt64 = 0
    /// The last sequence number of each removed device, kept until the device's number is reused.
    var gone: [UInt64: UInt64] = [:]
    /// With the deliveries `first` and `latest`: the removed devices whose events are not all handled.
    var leaving: [UInt64: Device] = [:]

    /// Calls `body` with each monitor whose events the fleet hands out.
    mutating func forEachMonitor(_ body: (inout MonitorEngine) -> Void) {
      for number in devices.keys { body(&devices[number]!.monitor) }
      for number in leaving.keys { body(&leaving[number]!.monitor) }
    }
  }

  let conditions: Conditions
  let options: FleetOptions
  private var shards: [Shard]
  private var serial = 0
  /// Whether a condition has had a timing.
  private var hasTimed = false
  /// The number of compared events.
  private(set) var compared = 0
  /// The number of compared events of rules with a part that decided.
  private(set) var comparedOfRules = 0
  /// The reasons that occurred in the compared explanations.
  private(set) var reasons: Set<Explanation.Reason> = []
  let name: String
  var step = 0

  /// The durability of the fleets' storages; `nil` if the fleets are not stored.
  let durability: Durability?

  /// Whether rows contain what hosts stated from the beginning. Otherwise a fleet that is restored before its first
  /// device has stated anything does not know which beacons the earlier events named.
  let storesHosts: Bool

  init(
    _ name: String, options: FleetOptions, shards: Int = 1, durability: Durability? = nil, storesHosts: Bool = false
  ) throws {
    self.name = name
    self.storesHosts = storesHosts
    self.options = options
    self.durability = durability
    conditions = Conditions()
    self.shards = try (0..<shards).map { [conditions] _ in
      guard let durability else { return Shard(stored: StoredFleet(try FleetEngine(conditions, options: options))) }
      let storage = MemoryFleetStorage()
      return Shard(
        stored: try StoredFleet(conditions, options: options, storage: storage, durability: durability),
        storage: storage)
    }
    storeHosts()
  }

  private mutating func storeHosts() {
    guard storesHosts else { return }
    for shard in shards.indices { shards[shard].fleet.features.insert(.hosts) }
  }

  // MARK: - Storage

  /// Closes the fleet, and restores it from its storage or from a snapshot.
  mutating func restart(_ shard: Int) throws {
    if let storage = shards[shard].storage, let durability {
      try shards[shard].stored.close()
      storage.isClosed = false
      shards[shard].stored = try StoredFleet(
        conditions, options: options, storage: storage, durability: durability)
    } else {
      let bytes = shards[shard].fleet.snapshot()
      #expect(try FleetEngine(restoring: bytes).snapshot() == bytes, "\(place)")
      shards[shard].stored = StoredFleet(try FleetEngine(restoring: bytes, conditions: conditions))
    }
    storeHosts()
    shards[shard].handedOut = 0
    shards[shard].forEachMonitor { $0.abandon() }
    // The restored fleet lacks devices without inputs, because they are not stored: add them again.
    var idle: [Device] = []
    for number in numbers(shard) {
      guard let name = shards[shard].devices[number]?.name else { continue }
      if shards[shard].fleet.number(of: name) == number { continue }
      #expect(shards[shard].fleet.number(of: name) == nil, "\(place)")
      idle.append(shards[shard].devices.removeValue(forKey: number)!)
    }
    for device in idle {
      let number = try shards[shard].fleet.device(device.name)
      #expect(shards[shard].devices[number] == nil, "\(place)")
      shards[shard].gone[number] = nil
      shards[shard].devices[number] = device
    }
  }

  /// If the fleet has no storage, replaces the fleet with a fork of itself. Later changes of the original do not change
  /// the fork.
  mutating func fork(_ shard: Int) throws {
    guard shards[shard].storage == nil else { return }
    var original = shards[shard].stored
    shards[shard].stored = StoredFleet(original.engine.fork())
    shards[shard].handedOut = 0
    shards[shard].forEachMonitor { $0.abandon() }
    let bytes = shards[shard].fleet.snapshot()
    _ = original.call.poll(limit: .max) { _, _, _ in }
    for number in numbers(shard) {
      try? original.call.feed(
        Fix(latitude: 0, longitude: 0.002, time: Timestamp(microseconds: 4_000_000_000_000)), for: number)
    }
    if let number = numbers(shard).first { try original.call.remove(number) }
    _ = try original.call.device("a device of the original")
    #expect(shards[shard].fleet.snapshot() == bytes, "\(place)")
  }

  private func rows(of fleet: FleetEngine) -> [MemoryFleetStorage.Key: [UInt8]] {
    var rows: [MemoryFleetStorage.Key: [UInt8]] = [:]
    fleet.conditions.read { table in
      fleet.forEachRow(table) { row in rows[MemoryFleetStorage.Key(row)] = Array(row.bytes) }
    }
    return rows
  }

  private mutating func noteRows(_ rows: [MemoryFleetStorage.Key: [UInt8]], _ shard: Int) {
    for (key, bytes) in rows where key.table == .fleetDevices {
      shards[shard].history[key.key + 1, default: []].insert(bytes)
    }
  }

  /// With `everyInput` durability and without beacons, checks that the stored rows equal the rows of a full save. With
  /// other durabilities or with beacons, checks that all undelivered events are stored, that each device's row equals a
  /// row that the device had after an earlier call, and that the restored device is inside the same conditions.
  private mutating func checkKept(_ shard: Int) throws {
    guard let storage = shards[shard].storage, let durability else { return }
    let fleet = shards[shard].fleet
    let rows = rows(of: fleet)
    noteRows(rows, shard)
    // The table has changed, but no call of the fleet has seen the change yet.
    guard shards[shard].stored.isUpToDate else { return }
    var kept = FleetRestorer(deviceRows: storage.countDevices())
    try storage.read { row throws(MonitorError) in
      do throws(Damage) { try kept.receive(row) } catch { throw .storeCorrupt(error.reason) }
    }
    let restored = try kept.restored()
    try restored.checkInvariants()
    #expect(durability != .everyInput || restored.watermark.time == fleet.watermark.time, "\(place)")
    // For removed beacons, the restored fleet may lack the time that had already counted towards their absence.
    if durability == .everyInput, conditions.read({ $0.lastBeacon }) == 0 {
      let others = self.rows(of: restored)
      for key in Set(rows.keys).union(others.keys) where key.table != .head {
        // When the events of a removed device become void, the device is not stored again.
        if key.table == .fleetDevices, others[key] == nil, rows[key]?.first == 1 { continue }
        // The restored fleet may lack an advance over an edge of a schedule. Without schedules, no edge passes any more.
        if hasTimed, !conditions.read({ $0.policies.hasTimings }) { continue }
        if hasTimed, key.table == .fleetDevices, let other = others[key],
          shards[shard].history[key.key + 1]?.contains(other) == true
        {
          continue
        }
        #expect(others[key] == rows[key], "\(place), \(key)")
      }
      return
    }
    let events = conditions.read { table in fleet.savedEntries(table).map { "\($0)" } }
    #expect(
      restored.conditions.read { table in restored.savedEntries(table).count } == events.count, "\(place)")
    for number in numbers(shard) {
      // The changes that were due before the device was added are not stored before its first input.
      if shards[shard].devices[number]?.isFresh == true { continue }
      guard let bytes = storage.rows[MemoryFleetStorage.Key(.fleetDevices, number - 1)] else {
        #expect(try fleet.inside(number) == [], "\(place)")
        continue
      }
      #expect(shards[shard].history[number]?.contains(bytes) == true, "\(place): \(bytes) of \(number)")
      // The restored fleet may lack an advance over the end of an interval, or the absence of a beacon that is a part.
      let isLoose = hasTimed || conditions.read { $0.hasBeacons }
      func untimed(_ fleet: FleetEngine) throws -> [String] {
        try fleet.inside(number).filter {
          let condition = conditions.condition(for: $0.identifier)
          return condition?.timing.isNone != false && !(isLoose && condition?.condition is Rule)
        }.map { "\($0.identifier) \($0.generation)" }
      }
      #expect(try untimed(restored) == (try untimed(fleet)), "\(place)")
    }
  }

  var shardCount: Int { shards.count }
  func numbers(_ shard: Int) -> [UInt64] { shards[shard].devices.keys.sorted() }
  func fleet(_ shard: Int) -> FleetEngine { shards[shard].fleet }
  private var place: String { "\(name), step \(step)" }

  // MARK: - The table

  mutating func add(_ identifier: String, _ definition: Definition) throws {
    try reportOverdue(before: identifier, isTimed: !definition.timing.isNone)
    let condition = definition.subject.condition
    if !definition.timing.isNone { hasTimed = true }
    do {
      try conditions.add(
        condition, identifier: identifier, assuming: definition.assumed, policy: definition.policy, tag: definition.tag,
        timing: definition.timing, band: definition.band)
    } catch {
      // A rule may close a cycle. A monitor refuses it as well.
      guard condition is Rule else { throw error }
      for shard in shards.indices {
        for number in numbers(shard) {
          let message = outcome {
            try shards[shard].devices[number]?.monitor.add(
              condition, identifier: identifier, assuming: definition.assumed, policy: definition.policy)
          }
          #expect(message == "\(error)", "\(place)")
        }
      }
      return
    }
    for shard in shards.indices {
      shards[shard].past.append(.add(identifier, definition))
      dropExpected(shard, identifier)
      // An earlier condition with the identifier is replaced.
      for number in shards[shard].leaving.keys { shards[shard].leaving[number]!.monitor.remove(identifier) }
      for number in numbers(shard) {
        // A part with a timing that replaces a condition of a fleet is unknown between the two.
        if !definition.timing.isNone { shards[shard].devices[number]?.monitor.remove(identifier) }
        try shards[shard].devices[number]?.monitor.add(
          condition, identifier: identifier, assuming: definition.assumed, policy: definition.policy,
          tag: definition.tag, timing: definition.timing, band: definition.band)
        if shards[shard].devices[number]?.isFresh == false { drain(shard, number, row: 0) }
      }
    }
  }

  /// Reports the changes that were due before a device was added, before a beacon condition is removed that may be the
  /// part of a rule. A fleet would not report the change of the rule after that.
  private mutating func reportOverdue(before identifier: String, isTimed: Bool = false) throws {
    let isPart = conditions.read { table in
      (table.rules != nil && table.slot(of: identifier).map { table.kind(of: $0).isBeacon } == true)
        || (isTimed && table.hasBeacons)
    }
    guard isPart else { return }
    for shard in shards.indices {
      for number in numbers(shard) { reportOverdue(number, shard) }
      noteRows(rows(of: shards[shard].fleet), shard)
    }
  }

  private mutating func reportOverdue(_ number: UInt64, _ shard: Int) {
    guard let device = shards[shard].devices[number], device.isFresh, let time = device.monitor.currentTime else {
      return
    }
    input(number, shard) {
      try $0.advance(to: time, for: number)
    } _: {
      try $0.advance(to: time)
    }
  }

  mutating func remove(_ identifier: String) throws {
    try reportOverdue(before: identifier)
    let isThere = conditions.remove(identifier)
    for shard in shards.indices {
      shards[shard].past.append(.remove(identifier))
      dropExpected(shard, identifier)
      for number in shards[shard].leaving.keys { shards[shard].leaving[number]!.monitor.remove(identifier) }
      for number in numbers(shard) {
        #expect(shards[shard].devices[number]?.monitor.remove(identifier) == isThere, "\(place)")
      }
    }
  }

  /// Removes the expected events of a condition, because removing or replacing a condition cancels its undelivered
  /// events.
  private mutating func dropExpected(_ shard: Int, _ identifier: String) {
    shards[shard].waiting.removeAll { $0.event.identifier == identifier }
    let kept = shards[shard].flying[..<shards[shard].handedOut].count { $0.event.identifier != identifier }
    shards[shard].flying.removeAll { $0.event.identifier == identifier }
    shards[shard].handedOut = kept
  }

  // MARK: - Devices

  /// Adds a device, with a reference monitor that repeats all earlier calls, as if the monitor had existed before the
  /// first condition.
  mutating func enter(_ name: String, _ shard: Int) throws {
    // Shapes with a timing begin when a device is added, so it is not clear what their rules were when a beacon was
    // absent before that.
    if hasTimed, shards[shard].fleet.currentTime != nil, conditions.read({ $0.rules != nil && $0.hasBeacons }) {
      return
    }
    let number = try shards[shard].fleet.device(name)
    if let known = shards[shard].devices[number] {
      #expect(known.name == name, "\(place)")
      return
    }
    shards[shard].gone[number] = nil
    var monitor = try MonitorEngine(options: options.monitorOptions)
    var timings: [String: ConditionTiming] = [:]
    // A fleet does not know the beacon conditions that were removed before a device was added.
    var gone: Set<String> = []
    var isBrief: [Bool] = []
    for past in shards[shard].past.reversed() {
      if case .add(let identifier, let definition) = past {
        isBrief.append(definition.subject.kind.isBeacon && gone.contains(identifier))
      } else {
        isBrief.append(false)
      }
      if let identifier = past.identifier { gone.insert(identifier) }
    }
    for (past, isBrief) in zip(shards[shard].past, isBrief.reversed()) {
      switch past {
      case .add(let identifier, let definition):
        try monitor.add(
          definition.subject.condition, identifier: identifier, assuming: definition.assumed, policy: definition.policy,
          tag: definition.tag, band: definition.band)
        timings[identifier] = definition.timing
        if isBrief { monitor.remove(identifier) }
      case .remove(let identifier):
        monitor.remove(identifier)
        timings[identifier] = nil
      case .advance(let time): try monitor.advance(to: time)
      }
    }
    monitor.beginTimings(timings)
    shards[shard].devices[number] = Device(name: name, monitor: monitor, isFresh: true)
  }

  mutating func removeDevice(_ number: UInt64, _ shard: Int, droppingEvents: Bool) throws {
    try shards[shard].fleet.remove(number, droppingEvents: droppingEvents)
    let device = shards[shard].devices.removeValue(forKey: number)
    shards[shard].gone[number] = device?.sequence ?? 0
    if options.delivery != .every, !droppingEvents, let device, !device.isFresh {
      shards[shard].leaving[number] = device
    }
    guard droppingEvents else { return }
    shards[shard].waiting.removeAll { $0.device == number }
    let kept = shards[shard].flying[..<shards[shard].handedOut].count { $0.device != number }
    shards[shard].flying.removeAll { $0.device == number }
    shards[shard].handedOut = kept
  }

  mutating func expire(before time: Timestamp, _ shard: Int) {
    let quiet = shards[shard].fleet.expire(before: time)
    for number in quiet {
      let device = shards[shard].devices.removeValue(forKey: number)
      #expect(shards[shard].fleet.identifier(of: number) == device?.name, "\(place)")
      shards[shard].gone[number] = device?.sequence ?? 0
      if options.delivery != .every, let device, !device.isFresh { shards[shard].leaving[number] = device }
    }
  }

  /// Moves a device to another fleet.
  mutating func move(_ number: UInt64, from: Int, to other: Int, portable: Bool) throws {
    // Do not move a device that has no time yet, because the other fleet would treat it as a new device.
    if conditions.read({ $0.rules != nil && $0.hasBeacons }) {
      reportOverdue(number, from)
      noteRows(rows(of: shards[from].fleet), from)
    }
    guard let device = shards[from].devices[number], device.monitor.currentTime != nil,
      shards[other].fleet.number(of: device.name) == nil
    else { return }
    let bytes = try shards[from].fleet.export([number], portable: portable)[0]
    var moved = device
    // The events of the device that are still waiting in the first fleet use up the next sequence numbers.
    moved.sequence += UInt64(shards[from].waiting.count { $0.device == number && $0.name == device.name })
    // The present states count as reported. The events that were due before a device was added are not in the first fleet.
    if options.delivery != .every, !device.isFresh {
      let before = moved.monitor.statistics
      while moved.monitor.nextEvent() != nil {}
      moved.movedSequence &+= before.handedOutEvents &+ UInt64(before.pendingEvents)
      moved.movedSequence &-= moved.monitor.statistics.handedOutEvents
    }
    // If the other fleet was advanced, that advance also applies to the moved device.
    if let floor = shards[other].fleet.currentTime { try? moved.monitor.advance(to: floor) }
    try removeDevice(number, from, droppingEvents: true)
    let numbers = try shards[other].fleet.load([(device.name, bytes)])
    shards[other].gone[numbers[0]] = nil
    moved.isFresh = false
    shards[other].devices[numbers[0]] = moved
    drain(other, numbers[0], row: 0)
  }

  // MARK: - Inputs

  /// Feeds an input to a device and to its monitor; both must accept it, or both refuse it.
  mutating func input(
    _ number: UInt64, _ shard: Int, isHeard: Bool = true, _ fleet: (inout FleetEngine) throws -> Void,
    _ monitor: (inout MonitorEngine) throws -> Void
  ) {
    guard var device = shards[shard].devices.removeValue(forKey: number) else { return }
    let one = outcome { try fleet(&shards[shard].fleet) }
    let other = outcome { try monitor(&device.monitor) }
    #expect(one == other, "\(place)")
    // A fix without a position is accepted, and triggers no overdue events.
    if one == "taken", isHeard { device.isFresh = false }
    shards[shard].devices[number] = device
    if !device.isFresh { drain(shard, number, row: 0) }
  }

  /// Rewinds one device; the fleet must refuse times before the fleet's last advance.
  mutating func rewind(_ number: UInt64, to time: Timestamp, _ shard: Int) {
    if let floor = shards[shard].fleet.currentTime, time < floor {
      #expect(outcome { try shards[shard].fleet.rewind(to: time, for: number) } != "taken", "\(place)")
      shards[shard].devices[number]?.refusedRewinds += 1
      return
    }
    guard var device = shards[shard].devices.removeValue(forKey: number) else { return }
    let one = outcome { try shards[shard].fleet.rewind(to: time, for: number) }
    let other = outcome { try device.monitor.rewind(to: time) }
    #expect((one == "taken") == (other == "taken"), "\(place): \(one), \(other)")
    if one == "taken" {
      device.isFresh = false
      device.rewound = min(device.rewound ?? time, time)
    }
    shards[shard].devices[number] = device
    if !device.isFresh { drain(shard, number, row: 0) }
  }

  /// Rewinds all devices whose clocks are later than `time`.
  mutating func rewind(to time: Timestamp, _ shard: Int) {
    let floor = shards[shard].fleet.currentTime
    guard outcome({ try shards[shard].fleet.rewind(to: time) }) == "taken" else {
      #expect(
        floor.map { $0 < time } ?? true
          && shards[shard].devices.values.allSatisfy { $0.monitor.clock < time.microseconds },
        "\(place)")
      return
    }
    for number in numbers(shard) {
      guard var device = shards[shard].devices.removeValue(forKey: number) else { continue }
      if device.monitor.clock > time.microseconds {
        #expect(outcome { try device.monitor.rewind(to: time) } == "taken", "\(place)")
        device.isFresh = false
        device.rewound = min(device.rewound ?? time, time)
      }
      shards[shard].devices[number] = device
      if !device.isFresh { drain(shard, number, row: 0) }
    }
    if let floor, floor > time {
      shards[shard].past.removeAll { $0.isAdvance }
      shards[shard].past.append(.advance(time))
    }
  }

  private func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "taken"
    } catch { return "\(error)" }
  }

  /// Feeds a batch of rows.
  ///
  /// - Parameters:
  ///   - ellipses: The error ellipses of the rows; empty without ellipses.
  ///   - heights: The heights of the rows; empty without heights.
  mutating func feed(
    _ rows: [(device: UInt64, fix: Fix)], ellipses: [FixEllipse?] = [], heights: [FixHeight?] = [], _ shard: Int
  ) throws {
    // In memory: the semi-axes and the orientation of a row lie side by side.
    let axes = ellipses.map { $0 ?? FixEllipse(major: .nan, minor: .nan, orientation: .nan) }
    let levels = heights.map { $0 ?? FixHeight(altitude: .nan) }
    let devices = rows.map(\.device)
    let latitudes = rows.map(\.fix.coordinate.latitude)
    let longitudes = rows.map(\.fix.coordinate.longitude)
    let accuracies = rows.map(\.fix.accuracy)
    let times = rows.map(\.fix.time.microseconds)
    var result = FeedResult()
    try devices.withUnsafeBytes { devices in
      try latitudes.withUnsafeBytes { latitudes in
        try longitudes.withUnsafeBytes { longitudes in
          try accuracies.withUnsafeBytes { accuracies in
            try times.withUnsafeBytes { times in
              func column(_ bytes: UnsafeRawBufferPointer, _ stride: Int) -> FixColumns.Column {
                FixColumns.Column(start: bytes.baseAddress!, stride: stride)
              }
              try axes.withUnsafeBytes { axes in
                func axis(_ number: Int) -> FixColumns.Column {
                  FixColumns.Column(start: axes.baseAddress! + 8 * number, stride: MemoryLayout<FixEllipse>.stride)
                }
                try levels.withUnsafeBytes { levels in
                  func level(_ number: Int) -> FixColumns.Column? {
                    heights.isEmpty
                      ? nil
                      : FixColumns.Column(
                        start: levels.baseAddress! + 8 * number, stride: MemoryLayout<FixHeight>.stride)
                  }
                  try shards[shard].fleet.feed(
                    FleetColumns(
                      devices: column(devices, MemoryLayout<UInt64>.stride),
                      fixes: FixColumns(
                        count: rows.count, latitudes: column(latitudes, 8), longitudes: column(longitudes, 8),
                        accuracies: column(accuracies, 8), times: column(times, 8),
                        ellipses: ellipses.isEmpty
                          ? nil : EllipseColumns(majors: axis(0), minors: axis(1), orientations: axis(2)),
                        heights: HeightColumns(
                          altitudes: level(0), verticalAccuracies: level(1), geoidHeights: level(2),
                          groundHeights: level(3)))),
                    result: &result)
                }
              }
            }
          }
        }
      }
    }
    var expected = FeedResult()
    for (index, row) in rows.enumerated() {
      do {
        if row.fix.isUsable { expected.accepted += 1 } else { expected.invalid += 1 }
        let before = shards[shard].devices[row.device]?.monitor.statistics.doubtedFixes
        try shards[shard].devices[row.device]?.monitor.feed(
          row.fix,
          FixExtras(
            ellipse: ellipses.isEmpty ? nil : ellipses[index], height: heights.isEmpty ? nil : heights[index]))
        if shards[shard].devices[row.device]?.monitor.statistics.doubtedFixes != before {
          expected.accepted -= 1
          expected.doubted += 1
        }
        if row.fix.isUsable { shards[shard].devices[row.device]?.isFresh = false }
      } catch MonitorError.invalidArgument {
      } catch {
        expected.accepted -= 1
        expected.late += 1
      }
      if shards[shard].devices[row.device]?.isFresh == false { drain(shard, row.device, row: index) }
    }
    #expect(result == expected, "\(place)")
  }

  /// Advances all devices.
  mutating func advance(to time: Timestamp, _ shard: Int) throws {
    let floor = shards[shard].fleet.currentTime
    // A monitor may advance by any amount of time; `force` lifts the fleet's limit on it.
    let one = outcome { try shards[shard].fleet.advance(to: time, force: true) }
    if let floor, time < floor {
      #expect(one == "\(MonitorError.lateInput(time: time, clock: floor))", "\(place)")
      return
    }
    #expect(one == "taken", "\(place)")
    shards[shard].past.append(.advance(time))
    let start = shards[shard].waiting.count
    for number in numbers(shard) {
      // An advance does not change a device whose clock is later than the time of the advance.
      try? shards[shard].devices[number]?.monitor.advance(to: time)
      shards[shard].devices[number]?.isFresh = false
      drain(shard, number, row: 0)
    }
    let brought = shards[shard].waiting[start...].sorted {
      ($0.event.date?.microseconds ?? 0, $0.device, $0.serial) < (
        $1.event.date?.microseconds ?? 0, $1.device, $1.serial
      )
    }
    shards[shard].waiting.replaceSubrange(start..., with: brought)
  }

  /// Puts the events of rules of one instant in the order that the rules have now. If the events were due before their
  /// device was added, the order of the rules may have changed since then.
  private mutating func sortOverdue(_ shard: Int, _ number: UInt64, from start: Int) {
    let clock = shards[shard].devices[number]?.monitor.currentTime?.microseconds ?? .min
    let end = shards[shard].waiting[start...].firstIndex { $0.event.date?.microseconds ?? .min >= clock }
    let overdue = start..<(end ?? shards[shard].waiting.count)
    let depths = conditions.read { table in
      shards[shard].waiting[overdue].map { expected -> Int in
        guard let slot = table.slot(of: expected.event.identifier), let book = table.rules,
          table.kind(of: slot).isRule
        else { return 0 }
        return book.depth(of: book.name(of: slot))
      }
    }
    let sorted = zip(shards[shard].waiting[overdue], depths).sorted { one, other in
      func key(_ each: (Expected, Int)) -> (Int64, Int, UInt64) {
        (each.0.event.date?.microseconds ?? .min, each.1, each.1 == 0 ? UInt64(each.0.serial) : each.0.event.generation)
      }
      return key(one) < key(other)
    }
    for (offset, each) in sorted.enumerated() {
      var moved = each.0
      // The place in the order numbers the events.
      (moved.serial, moved.sequence) = (
        shards[shard].waiting[start + offset].serial, shards[shard].waiting[start + offset].sequence
      )
      shards[shard].waiting[start + offset] = moved
    }
  }

  /// Collects the events of a monitor. With the deliveries `first` and `latest`, they depend on when the earlier events
  /// are handled, so ``pollTurns(_:_:)`` hands them out together with those of the fleet.
  private mutating func drain(_ shard: Int, _ number: UInt64, row: Int) {
    guard options.delivery == .every, let name = shards[shard].devices[number]?.name else { return }
    let start = shards[shard].waiting.count
    defer {
      if shards[shard].devices[number]?.isUnheard == true { sortOverdue(shard, number, from: start) }
      shards[shard].devices[number]?.isUnheard = false
    }
    while let event = shards[shard].devices[number]?.monitor.nextEvent() {
      // A fleet reports no flags of schedules.
      if !storesHosts, event.cause == .diagnostic { continue }
      serial += 1
      shards[shard].waiting.append(Expected(device: number, name: name, event: event, row: row, serial: serial))
    }
  }

  // MARK: - Events

  /// Polls a fleet with the delivery `first` or `latest`, and as many events from each monitor as the fleet gives for the
  /// device. The rows are not compared.
  private mutating func pollTurns(_ limit: Int, _ shard: Int) {
    shards[shard].forEachMonitor { $0.acknowledge() }
    var events: [FleetEvent] = []
    _ = shards[shard].fleet.poll(limit: limit) { entry, fleet, table in events.append(fleet.event(from: entry, table))
    }
    var expected: [UInt64: [FleetEvent]] = [:]
    for (number, count) in Dictionary(events.map { ($0.device, 1) }, uniquingKeysWith: +) {
      guard var device = shards[shard].devices[number] ?? shards[shard].leaving[number] else {
        Issue.record("\(place): device \(number) is unknown")
        continue
      }
      let (name, moved) = (device.name, device.movedSequence)
      let confidence = options.accuracyConfidence
      _ = device.monitor.poll(limit: count) { entry, table in
        var event = table.event(from: entry, confidence: confidence)
        event.sequence &+= moved
        expected[number, default: []].append(
          FleetEvent(event: event, device: number, deviceIdentifier: name, position: 0, row: 0))
      }
      if shards[shard].devices[number] != nil {
        shards[shard].devices[number] = device
      } else {
        shards[shard].leaving[number] = device
      }
    }
    var position: UInt64 = 0
    for event in events {
      compared += 1
      #expect(event.position > position, "\(place)")
      position = event.position
      var own = event
      own.position = 0
      own.row = 0
      let other = expected[event.device]?.isEmpty == false ? expected[event.device]!.removeFirst() : nil
      #expect(own == other && own.json == other?.json, "\(place): \(own.json) for \(other?.json ?? "no event")")
    }
    if events.count < limit { #expect(!hasExpectedEvents(shard), "\(place): an event is missing") }
  }

  /// The events that are not committed, as the fleet and the monitors know them.
  private func describeTurns(_ shard: Int) -> String {
    var text = ""
    shards[shard].fleet.delivery.forEach { entry in
      text +=
        "\(entry.device) \(entry.entry.slot) \(entry.entry.state) \(entry.entry.cause) \(entry.entry.date) "
        + "\(entry.reported) \(entry.role) \(entry.position); "
    }
    for (number, device) in shards[shard].devices {
      let monitor = device.monitor
      monitor.delivery.forEachEvent(monitor.table) { entry, _ in
        text +=
          "monitor \(number) \(device.isFresh): \(entry.slot) \(entry.state) \(entry.cause) \(entry.date) "
          + "\(entry.sequence); "
      }
    }
    return text
  }

  /// The waiting events as the fleet knows them.
  private func describeWaiting(_ shard: Int) -> [String] {
    let fleet = shards[shard].fleet
    var events: [String] = []
    conditions.read { table in fleet.delivery.forEachWaiting { events.append(fleet.event(from: $0, table).json) } }
    return events
  }

  private func hasExpectedEvents(_ shard: Int) -> Bool {
    guard options.delivery != .every else {
      return !shards[shard].waiting.isEmpty || shards[shard].handedOut < shards[shard].flying.count
    }
    return shards[shard].devices.values.contains { !$0.isFresh && $0.monitor.hasEvents }
      || shards[shard].leaving.values.contains { $0.monitor.hasEvents }
  }

  mutating func poll(_ limit: Int, _ shard: Int) {
    guard options.delivery == .every else { return pollTurns(limit, shard) }
    acknowledgeExpected(shard)
    var events: [FleetEvent] = []
    _ = shards[shard].fleet.poll(limit: limit) { entry, fleet, table in events.append(fleet.event(from: entry, table))
    }
    var expected: [FleetEvent] = []
    while expected.count < limit, shards[shard].handedOut < shards[shard].flying.count {
      expected.append(event(shards[shard].flying[shards[shard].handedOut]))
      shards[shard].handedOut += 1
    }
    while expected.count < limit, !shards[shard].waiting.isEmpty {
      var next = shards[shard].waiting.removeFirst()
      if shards[shard].devices[next.device]?.name == next.name {
        shards[shard].devices[next.device]!.sequence += 1
        next.sequence = shards[shard].devices[next.device]!.sequence
      } else {
        shards[shard].gone[next.device, default: 0] += 1
        next.sequence = shards[shard].gone[next.device]
      }
      shards[shard].position += 1
      next.serial = Int(shards[shard].position)
      shards[shard].flying.append(next)
      shards[shard].handedOut += 1
      expected.append(event(next))
    }
    #expect(events.count == expected.count, "\(place): \(events.map(\.json)) for \(expected.map(\.json))")
    for (one, other) in zip(events, expected) {
      compared += 1
      if one.event.decidedBy != nil { comparedOfRules += 1 }
      #expect(one == other && one.json == other.json, "\(place): \(one.json) for \(other.json)")
    }
  }

  private func event(_ expected: Expected) -> FleetEvent {
    var event = expected.event
    event.sequence = expected.sequence ?? 0
    return FleetEvent(
      event: event, device: expected.device, deviceIdentifier: expected.name, position: UInt64(expected.serial),
      row: expected.row)
  }

  private mutating func acknowledgeExpected(_ shard: Int) {
    shards[shard].flying.removeFirst(shards[shard].handedOut)
    shards[shard].handedOut = 0
    if options.delivery != .every { shards[shard].forEachMonitor { $0.acknowledge() } }
  }

  mutating func acknowledge(_ shard: Int) {
    acknowledgeExpected(shard)
    shards[shard].fleet.acknowledge()
  }

  mutating func abandon(_ shard: Int) {
    shards[shard].handedOut = 0
    if options.delivery != .every { shards[shard].forEachMonitor { $0.abandon() } }
    shards[shard].fleet.abandon()
  }

  // MARK: - Answers

  /// Compares everything that the fleet reports about its devices with what the monitors report.
  mutating func check() throws {
    for shard in shards.indices {
      do {
        try shards[shard].fleet.checkInvariants()
      } catch {
        Issue.record("\(place): \(error)")
        throw error
      }
      #expect(shards[shard].fleet.hasEvents == hasExpectedEvents(shard), "\(place)")
      if options.delivery != .every {
        #expect(
          shards[shard].fleet.statistics.pendingEvents
            == (Array(shards[shard].leaving.values) + shards[shard].devices.values.filter { !$0.isFresh })
            .reduce(0) { $0 + $1.monitor.pendingEvents }, "\(place): \(describeTurns(shard))")
      } else {
        let waiting = shards[shard].waiting.count
        #expect(
          shards[shard].fleet.statistics.pendingEvents == waiting,
          "\(place): \(describeWaiting(shard)) for \(shards[shard].waiting.map { "\($0.name) \($0.event.json)" })")
        let returned = shards[shard].flying.count - shards[shard].handedOut
        #expect(shards[shard].fleet.waitingEvents == waiting + returned, "\(place)")
      }
      #expect(shards[shard].fleet.deviceCount == shards[shard].devices.count, "\(place)")
      try checkKept(shard)
      let identifiers = conditions.identifiers
      for number in numbers(shard) {
        guard let device = shards[shard].devices[number] else { continue }
        for identifier in identifiers {
          let one = try shards[shard].fleet.state(of: identifier, for: number)
          #expect(
            one == device.monitor.state(of: identifier),
            "\(place): \(identifier) of \(device.name), \(describe(identifier, shards[shard].fleet, number, device.monitor))"
          )
        }
        try checkInside(shards[shard].fleet, number, device)
        try checkStatistics(shards[shard].fleet, number, device)
        if step % 3 == 0 {
          for identifier in identifiers { try checkExplanation(identifier, shards[shard].fleet, number, device) }
        }
      }
      // The check does not run in every step, so that changes accumulate between two checks.
      if step % 5 < 3 { try checkDevicesInside(shard) }
    }
  }

  /// Compares the list of devices inside each condition with the states of the devices.
  private mutating func checkDevicesInside(_ shard: Int) throws {
    var expected: [String: [DevicePresence]] = [:]
    for number in shards[shard].fleet.deviceNumbers {
      for presence in try shards[shard].fleet.inside(number) {
        expected[presence.identifier, default: []].append(
          DevicePresence(
            device: number, generation: presence.generation, tag: presence.tag, since: presence.since,
            evidenceDate: presence.evidenceDate))
      }
    }
    for identifier in conditions.identifiers {
      let found = shards[shard].fleet.devices(insideOf: identifier)
      #expect(found == expected[identifier] ?? [], "\(place): \(identifier)")
    }
    var all: [DevicePresence] = []
    shards[shard].fleet.forEachDeviceInside { all.append($0) }
    #expect(
      all == expected.values.joined().sorted { ($0.device, $0.generation) < ($1.device, $1.generation) }, "\(place)")
    let none = shards[shard].fleet.devices(insideOf: "there is none")
    #expect(none == nil)
  }

  private func describe(
    _ identifier: String, _ fleet: FleetEngine, _ number: UInt64, _ monitor: MonitorEngine
  ) -> String {
    guard let slot = monitor.table.slot(of: identifier) else { return "" }
    let state = conditions.read { fleet.current(DeviceNumber.place(of: number), $0) }
    return "\(monitor.table.definition(of: slot)) generation \(monitor.table.generation(of: slot)): "
      + "\(String(describing: monitor.tracker.beacon(slot))) at \(monitor.clock), "
      + "line \(fleet.devices.lines[DeviceNumber.place(of: number)]), state \(state), \(fleet.watermark)"
  }

  /// Compares the counters of a device in the fleet with those of its monitor. Unlike the fleet's counters, the
  /// monitor's counters include the advances of all devices, and inputs before the device was added.
  private func checkStatistics(_ fleet: FleetEngine, _ number: UInt64, _ device: Device) throws {
    let one = try fleet.statistics(of: number)
    let other = device.monitor.statistics
    #expect(one.clock == other.clock, "\(place)")
    #expect(
      one.acceptedFixes == other.acceptedFixes && one.invalidFixes == other.invalidFixes
        && one.acceptedSightings == other.acceptedSightings && one.lateInputs <= other.lateInputs
        && one.aheadInputs == other.aheadInputs && one.inputCount <= other.inputCount + device.refusedRewinds,
      "\(place): \(one) for \(other)")
  }

  private mutating func checkExplanation(
    _ identifier: String, _ fleet: FleetEngine, _ number: UInt64, _ device: Device
  ) throws {
    let one = try #require(try fleet.explain(identifier, for: number))
    var other = try #require(explanation(identifier, of: device.monitor, fleet, number))
    // When a fleet reports that a beacon is absent, it also discards the beacon's last sighting.
    if one.lastSighting == nil, other.reason != .seen { other.lastSighting = nil }
    let isEqual = one == other
    #expect(isEqual, "\(place): \(identifier) of \(device.name): \(one) for \(other)")
    reasons.insert(one.reason)
  }

  /// The explanation that a monitor gives if its last fix is replaced with the last fix that the fleet stores. For a
  /// fix in the safe region, a fleet stores only the position, to 1e-7 degrees.
  private func explanation(
    _ identifier: String, of monitor: MonitorEngine, _ fleet: FleetEngine, _ number: UInt64
  ) -> Explanation? {
    var monitor = monitor
    // A fleet whose table had no band yet, and that has no path, does not store the height.
    let place = DeviceNumber.place(of: number)
    let height = fleet.devices.height(of: place)
    if !options.keepsEachFix { monitor.tracker.setHeight(height, of: monitor.tracker.counters.acceptedFixes) }
    guard let last = monitor.tracker.lastFix,
      let kept = conditions.read({ fleet.current(DeviceNumber.place(of: number), $0) }).lastFix, kept != last
    else { return monitor.explain(identifier) }
    #expect(!options.keepsEachFix && kept.time <= last.time, "\(place)")
    if let place = fleet.devices.lines[DeviceNumber.place(of: number)].place {
      #expect(
        abs(place.latitude - last.coordinate.latitude) < 1e-7
          && abs(place.longitude - last.coordinate.longitude) < 1e-7,
        "\(self.place)")
    }
    monitor.tracker.timeline.keep(kept)
    let ellipse = conditions.read { fleet.current(DeviceNumber.place(of: number), $0) }.ellipse
    monitor.tracker.setEllipse(ellipse, of: monitor.tracker.counters.acceptedFixes)
    return monitor.explain(identifier)
  }

  /// Checks that the fleet and the monitor return the same safe distance for a device at a position.
  func checkSafeDistance(_ position: Coordinate, _ number: UInt64, _ shard: Int) throws {
    let device = try #require(shards[shard].devices[number])
    let one = try shards[shard].fleet.safeDistance(at: position, for: number)
    #expect(try device.monitor.safeDistance(at: position) == one, "\(place)")
  }

  /// Checks that the fleet and the monitor make the same rotation plan for a device at a position.
  func checkPlan(_ position: Coordinate, accuracy: Double, slots: Int, _ number: UInt64, _ shard: Int) throws {
    let device = try #require(shards[shard].devices[number])
    let planner = try RotationPlanner(slots: slots)
    let one = try shards[shard].fleet.plan(planner, at: position, accuracy: accuracy, for: number)
    let other = try device.monitor.plan(planner, at: position, accuracy: accuracy)
    #expect(one == other, "\(place)")
  }

  private func checkInside(_ fleet: FleetEngine, _ number: UInt64, _ device: Device) throws {
    let monitor = device.monitor
    let inside = try fleet.inside(number)
    #expect(inside.map(\.identifier) == monitor.identifiers(in: .satisfied), "\(place)")
    // A record is that of the last handled event. With `first` and `latest`, the state may have begun again since.
    guard options.delivery == .every else { return }
    for presence in inside {
      guard let last = monitor.record(for: presence.identifier)?.lastEvent, last.state == .satisfied,
        last.cause != .none, last.evidence != nil
      else { continue }
      // A rewind changes the date of each state that was reported after the time of the rewind.
      if let rewound = device.rewound, last.date ?? rewound > rewound { continue }
      #expect(
        presence.since == last.date && presence.evidenceDate == last.evidenceDate,
        "\(place): \(presence) of \(device.name) for \(last.json)")
      #expect(presence.generation == last.generation && presence.tag == last.tag, "\(place)")
    }
  }

  /// The next deadlines of the fleet and of each device equal those of the monitors, but a monitor may also have
  /// deadlines for absences of beacons that produce no event.
  mutating func checkDeadlines() throws {
    for shard in shards.indices {
      var earliest: Timestamp?
      for number in numbers(shard) {
        guard let device = shards[shard].devices[number] else { continue }
        let own = try shards[shard].fleet.nextDeadline(of: number)
        if device.isFresh, let own, own == shards[shard].fleet.currentTime {
          earliest = min(earliest ?? own, own)
          continue
        }
        if let own { earliest = min(earliest ?? own, own) }
        let monitor = device.monitor.nextDeadline
        #expect(own == nil || (monitor != nil && monitor! <= own!), "\(place)")
        if !conditions.identifiers.contains(where: {
          conditions.condition(for: $0)?.condition is BeaconIdentityCondition
        }) {
          // A monitor still lists the next edge of a condition that was removed.
          #expect(own == monitor || hasTimed, "\(place)")
        }
      }
      let next = shards[shard].fleet.nextDeadline()
      // The fleet's next edge may be before the clock of each device.
      if let earliest, conditions.read({ $0.policies.hasTimings }) {
        #expect(next != nil && next! <= earliest, "\(place)")
      } else {
        #expect(next == earliest || conditions.read { $0.policies.hasTimings }, "\(place)")
      }
      // The call may have saved devices that knew of a change of the table since.
      noteRows(rows(of: shards[shard].fleet), shard)
    }
  }
}

extension MonitorEngine {
  /// Begins with all conditions that have a timing as if they were added now, as a fleet does with a new device.
  mutating func beginTimings(_ timings: [String: ConditionTiming]) {
    for (identifier, timing) in timings {
      guard let slot = table.slot(of: identifier), !timing.isNone else { continue }
      retime(slot, timing)
      if !tracker.isSuspended(slot, table) { tracker.startShapeAbsence(slot, at: clock, table) }
    }
  }

  /// Feeds a fix that may have an error ellipse and a height, as a host does.
  mutating func feed(_ fix: Fix, _ extras: FixExtras) throws(MonitorError) {
    if extras.isNone { try feed(fix) } else { try feed(fix, ellipse: extras.ellipse, height: extras.height) }
  }
}

extension FleetEngine {
  mutating func feed(_ fix: Fix, _ extras: FixExtras, for device: UInt64) throws(MonitorError) {
    if extras.isNone {
      try feed(fix, for: device)
    } else {
      try feed(fix, ellipse: extras.ellipse, height: extras.height, for: device)
    }
  }
}

extension FixExtras {
  fileprivate var isNone: Bool { ellipse == nil && height == nil }
}
