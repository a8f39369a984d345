import FencepostKernel

/// What is known of the rows that a storage keeps of a fleet.
struct KeptFleet: Sendable {
  /// The generations of the conditions, ascending.
  var generations: ContiguousArray<UInt64> = []
  /// The table when they were written; `nil` = not known.
  var version: UInt64?
  /// Devices of which a row tells.
  var devices = SlotSet()
  var deviceCount = 0
  /// Of the last time that all devices were saved.
  var moment: FleetMoment

  /// Nothing is kept yet.
  init(_ fleet: borrowing FleetEngine) {
    moment = FleetMoment(fleet)
  }

  /// What a fleet was just restored from.
  ///
  /// - Parameter table: The table that was kept with it.
  init(restored fleet: borrowing FleetEngine, _ table: borrowing ConditionTable) {
    moment = FleetMoment(fleet)
    generations = ContiguousArray(table.live.map { table.generation(of: $0) })
    for device in fleet.devices.all where fleet.devices.isTold(device) {
      devices.insert(device)
      deviceCount += 1
    }
  }

  /// Takes note of what was written.
  mutating func update(_ changes: borrowing FleetChanges) {
    generations = changes.generations
    version = changes.version
    deviceCount = changes.deviceCount
    moment = changes.moment
    if changes.isWhole { devices = SlotSet() }
    for device in changes.devices {
      if device.isTold { devices.insert(device.number) } else { devices.remove(device.number) }
    }
  }
}

/// What a storage is to make last of a fleet, in one transaction.
///
/// The devices that are written are either all that changed, or some of them with their events: those of which something
/// changed that is to last at once, a state, a crossing in the making, an event; or, of very many, the next part. The others
/// are kept as they were then, which was a state of theirs after fewer inputs. What belongs to all devices at one moment, the
/// time to which they were advanced above all, is written only when all of them are kept as they were then or later.
public struct FleetChanges: StoredChanges {
  /// Of which devices the rows are written.
  enum Extent {
    case urgent
    case all
    /// Some of those that changed; what all devices have in common is written with the last of them.
    case part(ContiguousArray<UInt32>, moment: FleetMoment?)
  }

  private let fleet: FleetEngine
  private let table: ConditionTable
  private let kept: KeptFleet
  public let isWhole: Bool
  public let mustSync: Bool
  let moment: FleetMoment
  /// The conditions afterwards.
  let generations: ContiguousArray<UInt64>
  let version: UInt64
  /// The devices whose row is written, or goes, by number.
  let devices: ContiguousArray<(number: UInt32, isTold: Bool)>
  /// How many rows of devices there are afterwards.
  let deviceCount: Int
  /// The events that are written, or go, by their places; `nil` = all that changed, in a save of all rows also the others.
  let eventPlaces: ContiguousArray<UInt64>?

  /// - Parameters:
  ///   - table: The fleet's table, which is not changed meanwhile.
  init(
    _ fleet: borrowing FleetEngine, _ table: borrowing ConditionTable, _ kept: KeptFleet, _ extent: Extent,
    isWhole: Bool, mustSync: Bool
  ) {
    self.fleet = copy fleet
    self.table = copy table
    self.kept = kept
    self.isWhole = isWhole
    self.mustSync = mustSync
    var part: ContiguousArray<UInt32>?
    switch extent {
    case .part(let devices, let ended) where !isWhole:
      part = devices
      moment = ended ?? kept.moment
    case .urgent where !isWhole: moment = kept.moment
    default: moment = FleetMoment(fleet)
    }
    version = table.changes.version
    generations =
      version == kept.version
      ? kept.generations : ContiguousArray(table.live.map { table.generation(of: $0) })
    var devices: ContiguousArray<(number: UInt32, isTold: Bool)> = []
    var count = isWhole ? 0 : kept.deviceCount
    if isWhole {
      for device in fleet.devicesToTell(fleet.savedEntries(table)) { devices.append((device, true)) }
      count = devices.count
    } else {
      var isAll = false
      if case .all = extent { isAll = true }
      for device in part ?? fleet.devices.notes.changed(all: isAll, fleet.devices.lines) {
        let isTold = fleet.devices.isTold(device)
        let wasTold = kept.devices.contains(device)
        if isTold || wasTold { devices.append((device, isTold)) }
        count += (isTold ? 1 : 0) - (wasTold ? 1 : 0)
      }
    }
    self.devices = devices
    deviceCount = count
    eventPlaces = part.map { fleet.eventPlaces(with: $0) }
  }

  /// The places of the events that are written, or go, ascending.
  private var writtenEvents: [UInt64] {
    eventPlaces.map { Array($0) } ?? fleet.delivery.notes.changes.keys.arranged()
  }

  public var removedConditions: [UInt64] {
    guard version != kept.version else { return [] }
    var removed: [UInt64] = []
    var place = 0
    for generation in kept.generations {
      while place < generations.count, generations[place] < generation { place += 1 }
      if place == generations.count || generations[place] != generation { removed.append(generation) }
    }
    return removed
  }

  public var removedStates: [UInt64] { [] }

  public var removedEvents: [UInt64] {
    writtenEvents.filter { fleet.delivery.notes.changes[$0]?.role == .gone }
  }

  public var generationsOfRemovedEvents: [UInt64] {
    writtenEvents.compactMap { place in
      guard let change = fleet.delivery.notes.changes[place], change.role == .gone else { return nil }
      return change.entry.generation
    }
  }

  public var removedDevices: [UInt64] { devices.compactMap { $0.isTold ? nil : UInt64($0.number) } }

  public func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    if isWhole {
      for entry in fleet.savedEntries(table) { try fleet.withEventRow(entry, &writer, body) }
    } else {
      for key in writtenEvents {
        guard let change = fleet.delivery.notes.changes[key], change.role != .gone,
          table.holds(change.entry.slot, change.entry.generation)
        else { continue }
        try fleet.withEventRow(change, &writer, body)
      }
    }
    if isWhole || version != kept.version {
      var place = 0
      for slot in table.live {
        let generation = table.generation(of: slot)
        while place < kept.generations.count, kept.generations[place] < generation { place += 1 }
        if !isWhole, place < kept.generations.count, kept.generations[place] == generation { continue }
        try table.withDefinitionRow(slot, &writer, body)
      }
    }
    for device in devices where device.isTold { try fleet.withDeviceRow(device.number, table, &writer, body) }
    try fleet.withHeadRow(table, deviceCount: deviceCount, moment: moment, &writer, body)
  }
}

extension FleetEngine {
  /// The events whose changes can be kept when some devices are: an event that is kept goes with its device, or the device
  /// would give its sequence once more.
  fileprivate func eventPlaces(with part: ContiguousArray<UInt32>) -> ContiguousArray<UInt64> {
    let written = Set(part)
    var places: ContiguousArray<UInt64> = []
    for (place, change) in delivery.notes.changes {
      let device = change.device
      if written.contains(device) || !devices.lines[device].notes.contains(.moved) { places.append(place) }
    }
    places.arrange()
    return places
  }
}
