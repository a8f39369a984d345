/// One row of a monitor's state.
public struct MonitorRow {
  /// What a row is about, with the numbers of the snapshot format.
  public enum Table: UInt8, Sendable, Hashable {
    /// The monitor itself; one row, key 0.
    case head = 0
    /// What is watched; the key is the condition's generation. In format 1 with its state and its record.
    case conditions = 1
    /// An event that waits or is not committed; the key is its place in the order of changes.
    case events = 2
    /// What is known of a device apart from conditions; the key is its number, of a monitor 0.
    case devices = 3
    /// State and record of a condition, where they are not what the device tells of all others; the key is its
    /// generation.
    case states = 4
    /// A device of a fleet; the key is its number.
    case fleetDevices = 5

    /// In which order the tables are read; events may also come later.
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
  /// The device whose state it is; of a monitor 0.
  public let device: UInt64
  /// Valid during the call that hands the row over.
  public let bytes: UnsafeRawBufferPointer

  public init(table: Table, key: UInt64, generation: UInt64, device: UInt64 = 0, bytes: UnsafeRawBufferPointer) {
    self.table = table
    self.key = key
    self.generation = generation
    self.device = device
    self.bytes = bytes
  }

  /// A sum over the row, its key included.
  public var checksum: UInt64 {
    var sum = Checksum(seed: UInt64(table.rawValue))
    sum.add(key)
    sum.add(generation)
    if table == .states { sum.add(device) }
    sum.add(bytes)
    return sum.value
  }
}

// Written out, because Embedded Swift cannot print the name of a case.
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
