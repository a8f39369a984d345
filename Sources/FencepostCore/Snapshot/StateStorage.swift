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
