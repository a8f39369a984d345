public import Fencepost

extension Fleet {
  /// Opens a fleet by name in a directory. A stored fleet continues from the state that it had when it was closed or
  /// when its process ended; a new fleet begins without devices.
  ///
  /// The store contains the conditions, and each device that has received inputs. Several fleets over one table have
  /// one store each.
  ///
  /// - Parameters:
  ///   - name: `[A-Za-z0-9_]{1,64}`. In one directory, a name can be open only once at a time, across all processes.
  ///   - conditions: Either a new, empty table, which is filled with the stored table, or another version of the stored
  ///     table. To use the conditions in a file, open the fleet over an empty table, and then call
  ///     ``Conditions/sync(_:)``.
  ///   - store: The directory, which must exist; the file of the fleet in this directory is `<name>.fencepost`.
  ///   - options: The fleet's options from now on; they also apply to a stored fleet.
  ///   - durability: See ``StoredFleet``.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)`` (also if the store is
  ///   that of a monitor), ``MonitorError/tableMismatch(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(
    _ name: String, _ conditions: Conditions, store: String, options: FleetOptions = FleetOptions(),
    durability: Durability = .changes
  ) throws(MonitorError) {
    self.init(
      try StoredFleet(name: name, conditions, options: options, directory: store, durability: durability))
  }
}
