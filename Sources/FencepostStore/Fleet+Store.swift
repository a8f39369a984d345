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
  ///   - conditions: Either a new, empty table, into which the stored conditions are read, or another version of the
  ///     stored table. To use the conditions in a file, open the fleet over an empty table, and then call
  ///     ``Conditions/sync(_:)``.
  ///   - store: An existing directory, in which the fleet's store is the file `<name>.fencepost`.
  ///   - options: The options that the fleet has from now on; they replace the options of a stored fleet.
  ///   - durability: See ``StoredFleet``.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/invalidArgument(_:position:)`` (also if the file is the
  ///   store of a monitor), ``MonitorError/tableMismatch(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(
    _ name: String, _ conditions: Conditions, store: String, options: FleetOptions = FleetOptions(),
    durability: Durability = .changes
  ) throws(MonitorError) {
    self.init(
      try StoredFleet(name: name, conditions, options: options, directory: store, durability: durability))
  }
}
