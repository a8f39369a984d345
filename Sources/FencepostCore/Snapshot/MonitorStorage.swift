/// Where a monitor is kept. Another order than that of ``StateStorage/read(_:)`` is accepted too: the monitor asks a second
/// time then.
public protocol MonitorStorage: StateStorage {
  /// Makes changes last: when this returns they survive a crash, all of them; when it throws, none of them is kept.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``
  func write(_ changes: borrowing MonitorChanges) throws(MonitorError)

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
}

extension MonitorStorage {
  public func canReplace(rows: Int) -> Bool { false }
  public func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool {
    throw .storeUnavailable("this kind of storage cannot save a whole monitor")
  }
}

/// Where the state of a monitor or of a fleet is kept: rows of bytes under keys, written together or not at all.
///
/// The engine makes the rows and reads them back; a storage knows nothing of what is in them. `FencepostStore` has both
/// kinds over SQLite. Calls come one at a time, from whom the storage was given to and from nobody else.
public protocol StateStorage: AnyObject, Sendable {
  /// Hands over everything that is kept; nothing when the storage is new. The order is that of the tables' places, and
  /// by key within one.
  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError)

  /// Whether the next changes to write must have all rows, because what is kept is not what was written any more.
  func mustWriteAll() -> Bool

  /// Takes note that what was read is refused: nothing may be changed any more, closing included.
  ///
  /// - Returns: The error, with the storage's place where it lacks one.
  func refused(_ error: MonitorError) -> MonitorError

  /// Looks whether what was written is still where it was, and may be written; writes nothing.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` when it is gone, or may only be read.
  func check() throws(MonitorError)

  /// Whether what was written was gone when the storage was last used: moved, deleted or replaced.
  var isGone: Bool { get }

  /// Whether the last write failed for lack of room, and there is no more room now.
  var isFull: Bool { get }

  /// Ends the use of the storage; it may be called more than once.
  func close()
}

extension StateStorage {
  public func mustWriteAll() -> Bool { false }
  public func refused(_ error: MonitorError) -> MonitorError { error }
  public func check() throws(MonitorError) {}
  public var isGone: Bool { false }
  public var isFull: Bool { false }
}

/// What one transaction of a storage writes, of a monitor or of a fleet: the removals first, then the rows, each replacing
/// the row with its table, device and key. The last row is the head.
public protocol StoredChanges {
  /// Whether the rows are all that there are: whatever else is kept goes.
  var isWhole: Bool { get }
  /// Whether the changes are to outlive the machine when writing returns, not only the process.
  var mustSync: Bool { get }
  /// Generations of conditions that are gone, ascending: their rows in all tables go.
  var removedConditions: [UInt64] { get }
  /// Keys of states that are gone, ascending.
  var removedStates: [UInt64] { get }
  /// Keys of events that are gone, ascending.
  var removedEvents: [UInt64] { get }
  /// Generations of the events of ``removedEvents``, in that order.
  var generationsOfRemovedEvents: [UInt64] { get }
  /// Numbers of devices of a fleet that are gone, ascending.
  var removedDevices: [UInt64] { get }

  /// Hands over the rows that are new or changed.
  func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure)
}
