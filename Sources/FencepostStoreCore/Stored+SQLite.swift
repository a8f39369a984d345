public import FencepostCore

extension StoredEngine {
  /// Opens a monitor in a directory: continues the stored monitor, or creates a new one.
  ///
  /// - Throws: The same errors as ``SQLiteStore/open(directory:name:)`` and
  ///   `StoredEngine.init(name:options:storage:durability:)`.
  public init(
    name: String, options: MonitorOptions, directory: String, durability: Durability = .changes
  ) throws(MonitorError) {
    try self.init(
      name: name, options: options, storage: Self.storage(name, options, directory, durability), durability: durability)
  }

  /// The storage of a monitor in a directory; the directory is not touched if the options are invalid. If the stack is
  /// small, pass the result of this function to the initializer that takes a storage. The initializer that takes a
  /// directory adds a frame with copies of an engine.
  package static func storage(
    _ name: String, _ options: MonitorOptions, _ directory: String, _ durability: Durability
  ) throws(MonitorError) -> SQLiteStore {
    if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
    return try SQLiteStore.open(directory: directory, name: name)
  }
}

extension StoredFleet {
  /// Opens a fleet in a directory: continues the stored fleet, or creates a new one.
  ///
  /// - Throws: The same errors as ``SQLiteStore/open(fleet:directory:)`` and
  ///   `StoredFleet.init(_:options:storage:durability:)`.
  public init(
    name: String, _ conditions: Conditions, options: FleetOptions, directory: String, durability: Durability = .changes
  ) throws(MonitorError) {
    if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
    try self.init(
      conditions, options: options, storage: SQLiteStore.open(fleet: name, directory: directory), durability: durability
    )
  }
}
