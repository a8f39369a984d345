public import Fencepost

extension Monitor {
  /// Opens a monitor by name in a directory. A stored monitor continues from the state that it had when it was closed
  /// or when its process ended; a new monitor begins without conditions.
  ///
  /// - Parameters:
  ///   - name: Matches `[A-Za-z0-9_]{1,64}`. In each directory, only one monitor with this name can be open at a time,
  ///     across all processes.
  ///   - store: The directory, which must exist; the file of the monitor in this directory is `<name>.fencepost`.
  ///   - options: For a stored monitor, the delivery mode and the condition limit must be those with which it was
  ///   created; the other options apply from now on.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)``,
  ///   ``MonitorError/monitorInUse(_:)``, ``MonitorError/storeUnavailable(_:)``,
  ///   ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(
    _ name: String, store: String, options: MonitorOptions = MonitorOptions(), durability: Durability = .changes
  ) async throws(MonitorError) {
    self.init(
      try StoredEngine(name: name, options: options, directory: store, durability: durability))
  }
}
