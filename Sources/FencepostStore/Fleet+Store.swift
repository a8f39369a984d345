public import Fencepost

extension Fleet {
  /// Opens a fleet by name in a directory: continues where it was when it was closed or its process ended, or begins without
  /// devices.
  ///
  /// Saved are the conditions, and each device with inputs. Several fleets over one table are kept each in a store of
  /// its own.
  ///
  /// - Parameters:
  ///   - name: `[A-Za-z0-9_]{1,64}`; one open instance at a time in that directory, in all processes.
  ///   - conditions: A new and empty table, which becomes the one that was kept, or another version of that. To go on with
  ///     what a file says, open over an empty table and call ``Conditions/sync(_:)`` then.
  ///   - store: The directory, which must exist; the fleet's file in it is `<name>.fencepost`.
  ///   - options: They hold from now on.
  ///   - durability: See ``StoredFleet``.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)`` (also: the store is a
  ///   monitor's), ``MonitorError/tableMismatch(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(
    _ name: String, _ conditions: Conditions, store: String, options: FleetOptions = FleetOptions(),
    durability: Durability = .changes
  ) throws(MonitorError) {
    self.init(
      try StoredFleet(name: name, conditions, options: options, directory: store, durability: durability))
  }
}
