/// The storage of a monitor. If ``StateStorage/read(_:)`` returns the rows in another order, the monitor reads them a
/// second time.
public protocol MonitorStorage: StateStorage {
  /// Writes changes. If the call returns, all changes survive a crash; if it throws, no change is written.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``
  func write(_ changes: borrowing MonitorChanges) throws(MonitorError)

  /// Whether there is space for a second copy of the monitor, which ``replace(with:limit:)`` needs.
  ///
  /// - Parameter rows: The largest number of rows of the copy.
  func canReplace(rows: Int) -> Bool

  /// Writes the next part of an image beside the stored rows. The last part replaces the stored rows with the image in
  /// one step. Before that step, the stored rows do not change, and ``write(_:)`` is not called.
  ///
  /// The image survives the end of the process at once, and a loss of power after the next ``write(_:)``.
  ///
  /// - Parameter limit: The largest number of rows in this part.
  /// - Returns: Whether the image has replaced the stored rows.
  /// - Throws: ``MonitorError/storeUnavailable(_:)``; the parts that were written are then removed.
  func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool
}

extension MonitorStorage {
  public func canReplace(rows: Int) -> Bool { false }
  public func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool {
    throw .storeUnavailable("this kind of storage cannot save a whole monitor")
  }
}

/// The storage of a monitor or a fleet: rows of bytes with keys. All rows of a change are written, or no row.
///
/// The engine encodes and decodes the rows; a storage does not interpret them. `FencepostStore` implements both kinds of
/// storage with SQLite. Only the engine that has the storage calls it, one call at a time.
public protocol StateStorage: AnyObject, Sendable {
  /// Calls `receive` with all stored rows, sorted by the places of their tables and then by key. A new storage has no
  /// rows.
  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError)

  /// Whether the next changes must contain all rows, because the stored rows differ from the rows that were written.
  func mustWriteAll() -> Bool

  /// Marks the stored rows as refused by the engine. After that, no call changes the storage, not even ``close()``.
  ///
  /// - Returns: The error, with the path of the storage if the error has no path.
  func refused(_ error: MonitorError) -> MonitorError

  /// Checks that the storage still exists and can be written; writes nothing.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)`` if the storage does not exist any more, or is read-only.
  func check() throws(MonitorError)

  /// Whether the last use of the storage found that it was moved, deleted or replaced.
  var isGone: Bool { get }

  /// Whether the last write failed because the disk was full, and the disk is still full.
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

/// The changes of one transaction: removals, and then rows. A row replaces the row with the same table, device and key. The
/// last row is the head.
public protocol StoredChanges {
  /// Whether these are all rows: the storage then removes all other rows.
  var isWhole: Bool { get }
  /// Whether the changes must survive a loss of power when writing returns, and not only the end of the process.
  var mustSync: Bool { get }
  /// Generations of removed conditions, ascending; their rows in all tables are removed.
  var removedConditions: [UInt64] { get }
  /// Keys of removed states, ascending.
  var removedStates: [UInt64] { get }
  /// Keys of removed events, ascending.
  var removedEvents: [UInt64] { get }
  /// Generations of the events of ``removedEvents``, in that order.
  var generationsOfRemovedEvents: [UInt64] { get }
  /// Numbers of removed devices of a fleet, ascending.
  var removedDevices: [UInt64] { get }

  /// Calls `body` with the rows that are new or changed.
  func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure)
}
