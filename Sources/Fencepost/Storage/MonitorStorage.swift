/// Where a monitor is kept: rows of bytes under keys, written together or not at all.
///
/// The engine makes the rows and reads them back; a storage knows nothing of what is in them. `FencepostStore` has one
/// over SQLite. Calls come one at a time, from the monitor that the storage was given to and from nobody else.
public protocol MonitorStorage: AnyObject, Sendable {
  /// Hands over everything that is kept; nothing when the storage is new. The order is that of the tables' places, and
  /// by key within one; a storage that cannot do it may use any other, and is asked a second time.
  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError)

  /// Makes changes last: when this returns they survive a crash, all of them; when it throws, none of them is kept.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``
  func write(_ changes: borrowing MonitorChanges) throws(MonitorError)

  /// Whether the next ``write(_:)`` must have all rows, because what is kept is not what was written any more.
  func mustWriteAll() -> Bool

  /// Whether ``replace(with:limit:)`` can be begun: whether there is room for a second copy of the monitor.
  ///
  /// - Parameter rows: How many rows it has at most.
  func canReplace(rows: Int) -> Bool

  /// Writes the next part of an image beside what is kept. The last one puts the whole in its place, in one step; until
  /// then what is kept stays as it is, and nothing else is written.
  ///
  /// It lasts when the process ends; that it outlives the machine shows ``write(_:)``, when it returns the next time.
  ///
  /// - Parameter limit: Of the rows in this part.
  /// - Returns: Whether the image is kept.
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; nothing is left of the image then.
  func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool

  /// Takes note that the monitor refuses what was read: nothing may be changed any more, closing included.
  ///
  /// - Returns: The error, with the storage's place where it lacks one.
  func refused(_ error: MonitorError) -> MonitorError

  /// Looks whether what was written is still where it was, and may be written; writes nothing.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when it is gone, or may only be read.
  func check() throws(MonitorError)

  /// Whether what was written was gone when the storage was last used: moved, deleted or replaced.
  var isGone: Bool { get }

  /// Ends the use of the storage; it may be called more than once.
  func close()
}

extension MonitorStorage {
  public func mustWriteAll() -> Bool { false }
  public func canReplace(rows: Int) -> Bool { false }
  public func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool {
    throw .storeUnavailable("it takes no image")
  }
  public func refused(_ error: MonitorError) -> MonitorError { error }
  public func check() throws(MonitorError) {}
  public var isGone: Bool { false }
}

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

/// When changes are made to last.
public enum Durability: Sendable, Hashable {
  /// A change of a state, a candidate or the queue is kept before the call that caused it returns. After a crash, inputs
  /// since then that changed none of these are fed again.
  case changes
  /// Each input is kept before the call returns; a batch is one.
  case everyInput
  /// At a checkpoint, on closing, and whenever so much event time has passed, in microseconds, 1 … 10¹⁵. Very many
  /// changes are then saved in parts, one with each call that follows.
  case relaxed(interval: Int64)

  /// The value that is out of range, as a message.
  package var defect: String? {
    if case .relaxed(let interval) = self, !(1...TransitionPolicy.longestDuration).contains(interval) {
      return "checkpoint_interval is \(interval) microseconds; accepted are 1 to \(TransitionPolicy.longestDuration)"
    }
    return nil
  }
}
