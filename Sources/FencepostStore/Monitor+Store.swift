public import Fencepost

extension StoredEngine {
  /// Opens a monitor in a directory: continues where it was, or begins.
  ///
  /// - Throws: As ``SQLiteStore/init(directory:name:)`` and `StoredEngine.init(name:options:storage:durability:)`.
  public init(
    name: String, options: MonitorOptions, directory: String, durability: Durability = .changes
  ) throws(MonitorError) {
    try self.init(
      name: name, options: options, storage: Self.storage(name, options, directory, durability), durability: durability)
  }

  /// The storage of a monitor in a directory, which is not touched when the options cannot be used. Whoever has little room
  /// on the stack calls the initializer of storages with it: each one on the way has copies of an engine there.
  package static func storage(
    _ name: String, _ options: MonitorOptions, _ directory: String, _ durability: Durability
  ) throws(MonitorError) -> SQLiteStore {
    if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
    return try SQLiteStore(directory: directory, name: name)
  }
}

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
