/// An event of one device of a fleet.
public struct FleetEvent: Sendable, Hashable {
  /// As the device's own monitor would have it; its sequence counts per device.
  public var event: Event
  /// The device's number.
  public var device: UInt32
  /// The device's identifier.
  public var deviceIdentifier: String
  /// 1, 2, 3 … per fleet, given when the event is first handed out.
  public var position: UInt64
  /// The row of the batch that brought it, from 0; 0 for a single call. The events of several fleets that were fed parts
  /// of one batch are in the order of one fleet when they are merged by it.
  public var row: Int

  package init(event: Event, device: UInt32, deviceIdentifier: String, position: UInt64, row: Int) {
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
    return text.string + event.json.dropFirst()
  }
}

/// An event of a device as a fleet keeps it.
package struct FleetEntry: Sendable {
  /// Its sequence counts per device.
  package var entry: EventEntry
  /// The device's line: see ``FleetEngine/deviceNumber(of:)``.
  package var device: UInt32
  package var row: Int
  /// 0 while it waits.
  package var position: UInt64 = 0
}

extension FleetEntry: QueuedEntry {
  var change: UInt64 { entry.change }
}

/// A condition that a device is inside of, or a beacon that is near it.
public struct Presence: Sendable, Hashable {
  public var identifier: String
  public var generation: UInt64
  public var tag: UInt64
  /// When it was confirmed; of a beacon when it was seen last.
  public var since: Timestamp
  /// The fix that showed it, or the last sighting.
  public var evidenceDate: Timestamp
}
