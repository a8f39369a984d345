public import Fencepost

extension Monitor {
  /// Opens a monitor by name in a directory. A stored monitor continues from its state when it was closed or when its
  /// process ended; a new one begins without conditions.
  ///
  /// - Parameters:
  ///   - name: Matches `[A-Za-z0-9_]{1,64}`. Only one monitor with this name can be open in the directory at a time, also
  ///     among all processes.
  ///   - store: The directory, which must exist; the monitor's file in it is `<name>.fencepost`.
  ///   - options: For a stored monitor, delivery and limit must be those with which it was created; the other options
  ///   apply from now on.
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
