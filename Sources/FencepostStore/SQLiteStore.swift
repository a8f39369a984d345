import CSQLite
public import Fencepost

/// A monitor's storage in one SQLite file, `<name>.fencepost` in a directory of the host.
///
/// The file is open in WAL mode and locked for as long as the store is; the lock ends with the process. A file that is
/// damaged is refused and left as it is. The first write makes the file, whole, under another name, and then gives it
/// its name, so that there is never a file that is not a store.
public final class SQLiteStore: MonitorStorage, @unchecked Sendable {
  private let name: String
  private let path: String
  /// `nil` before the file is there, and after closing.
  private var file: StoreFile?
  /// `nil` when `file` is; also while the file is there and cannot be opened for writing.
  private var database: StoreDatabase?
  private var isRefused = false
  private var isClosed = false
  public private(set) var isGone = false
  /// The process that opened it.
  private let process = StoreFiles.process

  /// Opens the store of a monitor, or prepares to make it.
  ///
  /// - Parameter directory: Must exist. Its files are readable for the user of the process only.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public init(directory: String, name: String) throws(MonitorError) {
    guard MonitorEngine.isValidName(name) else { throw .invalidName(name) }
    self.name = name
    let given = StoreFiles.path(of: name, in: directory)
    do throws(StoreFailure) {
      try StoreFiles.requireDirectory(directory)
      guard let resolved = try StoreFiles.resolve(given) else {
        path = given
        try StoreFiles.requireNoRemains(of: given)
        return
      }
      path = resolved
      try StoreFiles.requireLength(resolved, limit: Connection.longestPath)
      let opened = try StoreFile(resolved)
      database = try StoreDatabase(resolved)
      file = opened
      StoreFiles.sweepDrafts(of: resolved, beside: opened)
    } catch {
      throw error.error(path: given, name: name)
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
      throw refused(refusal ?? failed(error))
    }
  }

  public func refused(_ error: MonitorError) -> MonitorError {
    isRefused = true
    guard case .storeCorrupt(let reason) = error, !reason.hasPrefix("the store ") else { return error }
    return failed(.damaged(reason))
  }

  public func write(_ changes: borrowing MonitorChanges) throws(MonitorError) {
    do throws(StoreFailure) {
      guard !isClosed else { throw .unavailable("it is closed") }
      guard process == StoreFiles.process else {
        leaveToParent()
        throw .unavailable("it was opened before fork(), by another process")
      }
      guard database != nil else { return try create(changes) }
      try requirePlace()
      try reopenWithoutLog()
      do throws(StoreFailure) {
        try database?.write(changes)
      } catch {
        throw error.whileWriting
      }
    } catch {
      throw failed(error)
    }
  }

  public func check() throws(MonitorError) {
    guard process == StoreFiles.process else { return }
    do throws(StoreFailure) { try requirePlace() } catch { throw failed(error) }
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    guard process == StoreFiles.process else { return leaveToParent() }
    if !isRefused { database?.end(isInPlace: file?.isInPlace ?? false) }
    database = nil
    file = nil
  }

  deinit {
    close()
  }

  private func failed(_ failure: StoreFailure) -> MonitorError { failure.error(path: path, name: name) }

  /// Refuses a file that has lost its name: what is written to it would be lost with it, and its log may be another's.
  private func requirePlace() throws(StoreFailure) {
    isGone = file?.isInPlace == false
    if isGone { throw .unavailable("it is gone: it was moved, deleted or replaced while it was open") }
  }

  /// Begins another log when somebody has taken the log away: closing folds what was in it into the file.
  private func reopenWithoutLog() throws(StoreFailure) {
    guard let old = database, !old.hasItsLog else { return }
    old.end(isInPlace: false)
    let new = try StoreDatabase(path)
    try new.readAll { _ in }
    database = new
  }

  /// After `fork()` SQLite must not even close: it would remove the log that the other process goes on writing to. So
  /// the connection stays as it is, unreferenced. The file's descriptor must go, or the name would stay taken for as
  /// long as this process lives.
  private func leaveToParent() {
    if let database { _ = Unmanaged.passRetained(database) }
    database = nil
    file = nil
    isClosed = true
  }

  /// Makes the file with everything in it, and opens it. When that fails nothing is left.
  private func create(_ changes: borrowing MonitorChanges) throws(StoreFailure) {
    try StoreFiles.requireNoRemains(of: path)
    let draft = try StoreFiles.makeDraft(of: path)
    var isPublished = false
    do throws(StoreFailure) {
      // The lock is the file's, whatever its name: nobody else opens it once it has its own.
      let file = try StoreFile(draft)
      try StoreFiles.requireLength(draft, limit: Connection.longestPath)
      try StoreDatabase.fill(draft, changes)
      try StoreFiles.publish(draft, as: path)
      isPublished = true
      file.isNamed(path)
      let opened = try StoreDatabase(path)
      try opened.readAll { _ in }
      database = opened
      self.file = file
    } catch {
      StoreFiles.remove(isPublished ? path : draft)
      throw error
    }
    StoreFiles.sweepDrafts(of: path, beside: file)
  }
}
