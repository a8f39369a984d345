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
