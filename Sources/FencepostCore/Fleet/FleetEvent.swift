/// An event of one device of a fleet.
public struct FleetEvent: Sendable, Hashable {
  /// The event that a monitor of this device alone would return. The sequence number counts the events of the device.
  public var event: Event
  /// The device's number.
  public var device: UInt64
  /// The device's identifier.
  public var deviceIdentifier: String
  /// The number of the event in the fleet: 1, 2, 3 … in the order of the first deliveries.
  public var position: UInt64
  /// The row of the batch that caused the event, from 0; 0 for a single call. If parts of one batch are fed to several
  /// fleets, merging their events by row gives the order that one fleet would give.
  public var row: Int

  package init(event: Event, device: UInt64, deviceIdentifier: String, position: UInt64, row: Int) {
    self.event = event
    self.device = device
    self.deviceIdentifier = deviceIdentifier
    self.position = position
    self.row = row
  }
}

extension FleetEvent {
  /// The event as one JSON object on one line: `device`, then the keys of ``Event/json``.
  public var json: String {
    var text = JSONText()
    text.append("{\"device\":" as StaticString)
    text.appendQuoted(deviceIdentifier)
    text.append("," as StaticString)
    text.bytes.append(contentsOf: event.jsonText.bytes.dropFirst())
    return text.string
  }
}

/// An event of a device, as a fleet stores it.
package struct FleetEntry: Sendable {
  /// The sequence of the entry counts the events of the device.
  package var entry: EventEntry
  /// The device's line: see ``FleetEngine/deviceNumber(of:)``.
  package var device: UInt32
  /// With the deliveries `first` and `latest`: the state that was last reported before the event.
  var reported: Event.State = .unknown
  var role = Role.pending
  package var row: Int
  /// The position of the event in the fleet; 0 while the event waits.
  package var position: UInt64 = 0

  enum Role: UInt8, Sendable {
    /// An event that waits or is not committed.
    case pending = 0
    /// With the deliveries `first` and `latest`: the state that is observed behind a pending event of the condition.
    case behind = 1
    /// In ``EventNotes``: an event that was committed or is void, so its row must be deleted.
    case gone = 2
  }
}

extension FleetEntry: QueuedEntry {
  var change: UInt64 { entry.change }
}

/// A condition that a device is inside, or a beacon that is near the device.
public struct Presence: Sendable, Hashable {
  public var identifier: String
  public var generation: UInt64
  public var tag: UInt64
  /// The time at which the state was confirmed; for a beacon, the time of its last sighting.
  public var since: Timestamp
  /// The time of the fix that showed the state; for a beacon, the time of its last sighting.
  public var evidenceDate: Timestamp
}
