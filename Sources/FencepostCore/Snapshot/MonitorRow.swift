/// One row of a monitor's state.
public struct MonitorRow {
  /// The kinds of rows, with their numbers in the snapshot format.
  public enum Table: UInt8, Sendable, Hashable {
    /// The monitor itself; one row, key 0.
    case head = 0
    /// A condition; the key is its generation. In format 1, the row also contains its state and record.
    case conditions = 1
    /// An event that waits or is not committed; the key is the number of its change.
    case events = 2
    /// The state of a monitor's device, without the states of conditions; the key is 0.
    case devices = 3
    /// The state and record of a condition that is not settled outside like the others; the key is its generation.
    case states = 4
    /// A device of a fleet; the key is its number.
    case fleetDevices = 5

    /// The place of the table in the order of reading. Events may also come later.
    public var place: UInt8 {
      switch self {
      case .head: 0
      case .devices: 1
      case .events: 2
      case .conditions: 3
      case .states: 4
      case .fleetDevices: 5
      }
    }
  }

  public let table: Table
  public let key: UInt64
  /// The generation of the condition that the row belongs to; 0 for head and device.
  public let generation: UInt64
  /// The device that the state belongs to; 0 for a monitor.
  public let device: UInt64
  /// Valid only during the call that passes the row.
  public let bytes: UnsafeRawBufferPointer

  public init(table: Table, key: UInt64, generation: UInt64, device: UInt64 = 0, bytes: UnsafeRawBufferPointer) {
    self.table = table
    self.key = key
    self.generation = generation
    self.device = device
    self.bytes = bytes
  }

  /// The checksum of the row and its key.
  public var checksum: UInt64 {
    var sum = Checksum(seed: UInt64(table.rawValue))
    sum.add(key)
    sum.add(generation)
    if table == .states { sum.add(device) }
    sum.add(bytes)
    return sum.value
  }
}

// Implemented explicitly, because Embedded Swift cannot print the name of a case.
extension MonitorRow.Table: CustomStringConvertible {
  public var description: String {
    switch self {
    case .head: "head"
    case .conditions: "conditions"
    case .events: "events"
    case .devices: "devices"
    case .states: "states"
    case .fleetDevices: "fleetDevices"
    }
  }
}
