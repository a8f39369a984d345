/// Where a fleet is kept: as ``MonitorStorage``, with the rows of a fleet. They are handed over in the order of the tables'
/// places, and by key within one.
public protocol FleetStorage: AnyObject, Sendable {
  /// Hands over everything that is kept; nothing when the storage is new.
  func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError)

  /// Makes changes last: when this returns they survive a crash, all of them; when it throws, none of them is kept.
  ///
  /// - Throws: ``MonitorError/storeUnavailable(_:)``
  func write(_ changes: borrowing FleetChanges) throws(MonitorError)

  /// Whether the next ``write(_:)`` must have all rows, because what is kept is not what was written any more.
  func mustWriteAll() -> Bool

  /// Takes note that the fleet refuses what was read: nothing may be changed any more, closing included.
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
