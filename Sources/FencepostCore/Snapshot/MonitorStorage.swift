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
