public import FencepostCore

/// The store module for targets without files. Every attempt to open a store fails. On targets without files, programs
/// persist snapshots and exported devices instead.
package final class NoStore: MonitorStorage, FleetStorage {
  static var refusal: MonitorError { .storeUnavailable("this build of the library has no store; it has snapshots") }

  package func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) { throw Self.refusal }
  package func write(_ changes: borrowing MonitorChanges) throws(MonitorError) { throw Self.refusal }
  package func write(_ changes: borrowing FleetChanges) throws(MonitorError) { throw Self.refusal }
  package func close() {}
}

extension StoredEngine {
  package static func storage(
    _ name: String, _ options: MonitorOptions, _ directory: String, _ durability: Durability
  ) throws(MonitorError) -> NoStore {
    if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
    throw NoStore.refusal
  }
}

extension StoredFleet {
  package init(
    name: String, _ conditions: Conditions, options: FleetOptions, directory: String, durability: Durability
  ) throws(MonitorError) {
    if let defect = options.defect ?? durability.defect { throw .invalidArgument(defect) }
    throw NoStore.refusal
  }
}
