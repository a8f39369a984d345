import FencepostCore

/// A store that is written completely under a hidden name, and is then renamed to the name of the monitor's file. The
/// new file is locked from the beginning, so that no one else can open it when it gets the store's name. If this object
/// is destroyed before the file gets the store's name, the file is removed.
final class StoreDraft {
  let path: String
  let file: StoreFile
  private var writer: (connection: Connection, statements: StoreStatements)?
  /// The bytes written.
  private(set) var sums: StoreSums
  /// A child created by `fork()` must not remove the file that its parent is writing.
  private let process = StoreFiles.process
  private var isNamed = false

  /// Creates an empty store next to its final path.
  ///
  /// - Parameter family: See ``Schema``; `nil` means a random family.
  static func make(_ kind: StoreKind, of target: String, family: UInt32? = nil) throws(StoreFailure) -> StoreDraft {
    let path = try StoreFiles.makeDraft(of: target)
    do throws(StoreFailure) {
      try StoreFiles.requireLength(path, limit: Connection.longestPath)
      let file = try StoreFile.open(path)
      let connection = try Connection.open(path)
      // The draft of a store needs no journal: no other process uses the draft, and an incomplete draft is discarded.
      try connection.run("PRAGMA page_size=1024; PRAGMA journal_mode=OFF; PRAGMA synchronous=FULL")
      try connection.run("PRAGMA locking_mode=EXCLUSIVE; BEGIN")
      let sums = StoreSums(number: try Schema.create(kind, family: family, in: connection))
      return StoreDraft(path, file, (connection, try StoreStatements.prepare(connection)), sums)
    } catch {
      StoreFiles.remove(path)
      throw error
    }
  }

  private init(
    _ path: String, _ file: StoreFile, _ writer: (connection: Connection, statements: StoreStatements),
    _ sums: StoreSums
  ) {
    (self.path, self.file, self.writer, self.sums) = (path, file, writer, sums)
  }

  deinit {
    guard process == StoreFiles.process else {
      if let writer { _ = Unmanaged.passRetained(writer.statements) }
      return
    }
    if !isNamed { StoreFiles.remove(path) }
  }

  /// Writes everything.
  func fill(_ changes: some StoredChanges) throws(StoreFailure) {
    guard let writer else { return }
    sums = try writer.statements.write(changes, sums)
    try writer.connection.run("COMMIT")
    try finish()
  }

  /// Writes the next rows of a monitor's image into the new store.
  func fill(_ image: inout MonitorImage, limit: Int) throws(StoreFailure) {
    guard let writer else { return }
    sums = try writer.statements.write(&image, limit: limit, sums)
    try writer.connection.run("COMMIT")
    if image.isOver { try finish() } else { try writer.connection.run("BEGIN") }
  }

  /// Closes the connection to the new store, and marks its file as a database with a log.
  private func finish() throws(StoreFailure) {
    writer = nil
    try StoreFiles.markLogged(path)
  }

  /// Gives the new file the name of a store that does not exist yet.
  func publish(as target: String) throws(StoreFailure) {
    try StoreFiles.publish(path, as: target)
    isNamed = true
    file.isNamed(target)
  }

  /// Replaces a closed store with this new store; the closed store must have no log.
  func replace(_ target: String) throws(StoreFailure) {
    try StoreFiles.replace(target, by: path)
    isNamed = true
    file.isNamed(target)
  }
}
