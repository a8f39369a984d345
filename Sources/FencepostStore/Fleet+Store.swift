public import Fencepost

extension Fleet {
  /// Opens a fleet by name in a directory. A stored fleet continues from its state when it was closed or when its
  /// process ended; a new one begins without devices.
  ///
  /// The store contains the conditions, and each device with inputs. Several fleets over one table have one store each.
  ///
  /// - Parameters:
  ///   - name: `[A-Za-z0-9_]{1,64}`; one open instance at a time in that directory, in all processes.
  ///   - conditions: Either a new and empty table, which is filled with the stored table, or another version of the
  ///     stored table. To use the conditions of a file, open over an empty table, then call ``Conditions/sync(_:)``.
  ///   - store: The directory, which must exist; the fleet's file in it is `<name>.fencepost`.
  ///   - options: These apply from now on, even to a stored fleet.
  ///   - durability: See ``StoredFleet``.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)`` (also if it is the store
  ///   of a monitor), ``MonitorError/tableMismatch(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(
    _ name: String, _ conditions: Conditions, store: String, options: FleetOptions = FleetOptions(),
    durability: Durability = .changes
  ) throws(MonitorError) {
    self.init(
      try StoredFleet(name: name, conditions, options: options, directory: store, durability: durability))
  }
}
