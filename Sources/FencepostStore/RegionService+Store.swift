public import Fencepost

extension RegionService {
  /// Opens the store of a region service by name in a directory; the regions that were registered before are still
  /// registered.
  ///
  /// - Parameters:
  ///   - name: The name of the store, in the form `[A-Za-z0-9_]{1,64}`. A store can be open only once at a time, across
  ///     all processes.
  ///   - store: The directory, which must exist; the file in this directory is `<name>.fencepost`.
  /// - Throws: The same errors as `Monitor(_:store:options:durability:)`.
  public convenience init(
    _ name: String, store: String, settings: Settings = Settings(), durability: Durability = .changes
  ) throws(MonitorError) {
    try self.init(
      StoredEngine(name: name, options: MonitorOptions(), directory: store, durability: durability),
      settings: settings)
  }
}
