import FencepostKernel

/// The rows that a storage contains for a fleet, as far as later changes depend on them.
struct KeptFleet: Sendable {
  /// The generations of the conditions, ascending.
  var generations: ContiguousArray<UInt64> = []
  /// The version of the table when its conditions were written; `nil` if it is unknown.
  var version: UInt64?
  /// The devices that have a row.
  var devices = SlotSet()
  var deviceCount = 0
  /// The moment at which all devices were saved last.
  var moment: FleetMoment

  /// Describes an empty storage.
  init(_ fleet: borrowing FleetEngine) {
    moment = FleetMoment(fleet)
  }

  /// Describes the storage from which a fleet was just restored.
  ///
  /// - Parameter table: The table that was stored with the fleet.
  init(restored fleet: borrowing FleetEngine, _ table: borrowing ConditionTable) {
    moment = FleetMoment(fleet)
    generations = ContiguousArray(table.live.map { table.generation(of: $0) })
    for device in fleet.devices.all where fleet.devices.isTold(device) {
      devices.insert(device)
      deviceCount += 1
    }
  }

  /// Updates the description after changes were written.
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

/// The changes of a fleet that a storage must write in one transaction.
///
/// The written devices are either all changed devices, or some of them with their events. These are the devices with an
/// urgent change (of a state, a candidate or an event) or, if very many devices have changed, the next part of them.
/// For each other device, the storage keeps an earlier state, which is the device's state after fewer inputs. The data
/// that all devices share at one moment, such as the time to which they were advanced, is written only if the storage
/// then contains every device as of that moment or later.
public struct FleetChanges: StoredChanges {
  /// The devices whose rows are written.
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
  /// The generations of the conditions after the write.
  let generations: ContiguousArray<UInt64>
  let version: UInt64
  /// The devices whose row is written or removed, by number; `isTold` is whether it is written.
  let devices: ContiguousArray<(number: UInt32, isTold: Bool)>
  /// The number of device rows after the write.
  let deviceCount: Int
  /// The change numbers of the events that are written or removed. `nil` means all changed events, and in a save of all
  /// rows also all others.
  let eventPlaces: ContiguousArray<UInt64>?

  /// - Parameter table: The fleet's table, which must not change meanwhile.
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

  /// The change numbers of the events that are written or removed, ascending.
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
  /// The events whose changes can be saved together with some devices. An event must be saved together with its device;
  /// otherwise the device could assign the event's sequence number again.
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
