public import Fencepost

extension Monitor {
  /// Opens a monitor by name in a directory: continues where it was when it was closed or its process ended, or
  /// begins with no conditions.
  ///
  /// - Parameters:
  ///   - name: `[A-Za-z0-9_]{1,64}`; one open instance at a time in that directory, in all processes.
  ///   - store: The directory, which must exist; the monitor's file in it is `<name>.fencepost`.
  ///   - options: Delivery and limit of a monitor that exists must be the ones it has; the others hold from now on.
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
