import CSQLite
public import Fencepost

/// A monitor's storage in one SQLite file, `<name>.fencepost` in a directory of the host.
///
/// The file is open in WAL mode and locked for as long as the store is: by SQLite's own lock, which ends with the
/// process. A file that is damaged is refused and left as it is. The first write makes the file, whole, under another
/// name, and then gives it its name, so that there is never a file that is not a store.
public final class SQLiteStore: MonitorStorage, @unchecked Sendable {
  private let directory: String
  private let name: String
  private let path: String
  /// `nil` before the file is there, and after closing.
  private var database: StoreDatabase?
  private var isClosed = false
  /// The process that opened it.
  private let process = StoreFiles.process

  /// Opens the store of a monitor, or prepares to make it.
  ///
  /// - Parameter directory: Must exist. Its files are readable for the user of the process only.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(directory: String, name: String) throws(MonitorError) {
    guard MonitorEngine.isValidName(name) else { throw .invalidName(name) }
    self.directory = directory
    self.name = name
    path = directory.hasSuffix("/") ? "\(directory)\(name).fencepost" : "\(directory)/\(name).fencepost"
    do throws(StoreFailure) {
      try StoreFiles.requireDirectory(directory)
      if try StoreFiles.exists(path) { database = try StoreDatabase(path) }
    } catch {
      throw error.error(path: path, name: name)
    }
  }

  public func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) {
    guard let database else { return }
    // What the engine finds wrong is told with the file's name, and the file is left as it is.
    var refusal: MonitorError?
    do throws(StoreFailure) {
      try database.readAll { row throws(StoreFailure) in
        do throws(MonitorError) {
          try receive(row)
        } catch {
          refusal = error
          throw .damaged("\(error)")
        }
      }
    } catch {
      if let refusal, !refusal.isDamage { throw refusal }
      throw error.error(path: path, name: name)
    }
  }

  public func write(_ changes: borrowing MonitorChanges) throws(MonitorError) {
    do throws(StoreFailure) {
      guard !isClosed else { throw .unavailable("it is closed") }
      guard process == StoreFiles.process else { throw .unavailable("it was opened before fork(), by another process") }
      if let database {
        do throws(StoreFailure) {
          try database.write(changes)
        } catch {
          throw error.whileWriting
        }
      } else {
        database = try create(changes)
      }
    } catch {
      throw error.error(path: path, name: name)
    }
  }

  public func close() {
    isClosed = true
    // After fork() SQLite must not even close: it would delete the log that the other process goes on writing to. So
    // the connection stays as it is, unreferenced.
    if process != StoreFiles.process, let database { _ = Unmanaged.passRetained(database) }
    database = nil
  }

  deinit {
    close()
  }

  /// Makes the file with everything in it, and opens it.
  private func create(_ changes: borrowing MonitorChanges) throws(StoreFailure) -> StoreDatabase {
    let draft = try StoreFiles.makeDraft(beside: path)
    do throws(StoreFailure) {
      try StoreDatabase.fill(draft, changes)
      try StoreFiles.publish(draft, as: path, in: directory)
    } catch {
      StoreFiles.remove(draft)
      throw error
    }
    let database = try StoreDatabase(path)
    try database.readAll { _ in }
    return database
  }
}

extension MonitorError {
  fileprivate var isDamage: Bool {
    if case .storeCorrupt = self { true } else { false }
  }
}
