import CSQLite
public import FencepostCore

/// The storage of a monitor or of a fleet in one SQLite file, named `<name>.fencepost`, in a directory that the host
/// chooses.
///
/// The file is open in WAL mode and locked for as long as the store is open; the lock ends with the process. A damaged
/// file is refused and left unchanged. The first write creates the complete file under another name and then renames
/// it, so there is never an incomplete store.
public final class SQLiteStore: MonitorStorage, FleetStorage, @unchecked Sendable {
  private let kind: StoreKind
  private let name: String
  private let path: String
  /// The open file; `nil` before the file exists and after the store is closed.
  private var file: StoreFile?
  /// `nil` if `file` is `nil`, or while the file cannot be opened for writing.
  private var database: StoreDatabase?
  /// A file of version 1, until the first write replaces it.
  private var first: FirstVersion?
  /// The file that is being written in parts and will then replace the present file.
  private var draft: StoreDraft?
  private var hasLastingName = true
  /// The family with which the next file is created; see ``join(_:)``.
  private var nextFamily: UInt32?
  /// The file's checksums, as last read or written.
  private var sums: StoreSums?
  /// The log beside the file, if another program has written into the file or its log; this log is removed when the
  /// file is replaced.
  private var spoiltLog: FileIdentity?
  /// Whether another program has written into the file or its log, so that neither can be trusted.
  private var isSpoilt = false
  /// Whether all rows of the file have been read.
  private var isRead = false
  private var isRefused = false
  private var isClosed = false
  public private(set) var isGone = false
  /// The number of free bytes in the file system when the last write failed. The value is set only if fewer than
  /// `leastRoom` bytes were free.
  private var roomWhenFull: UInt64?
  private static let leastRoom: UInt64 = 1 << 16
  /// The process that opened the store.
  private let process = StoreFiles.process
  /// The number of bytes that a row is assumed to take in a new file; a condition with changes takes about seventy
  /// bytes.
  private static let roomForRow = 100

  /// Opens a monitor's store, or prepares to create the store.
  ///
  /// - Parameter directory: An existing directory. Only the user of the process can read the store's files in this
  ///   directory.
  /// - Throws: ``MonitorError/invalidName(_:)``, ``MonitorError/monitorInUse(_:)``,
  ///   ``MonitorError/storeUnavailable(_:)``, ``MonitorError/storeCorrupt(_:)``, ``MonitorError/storeTooNew(_:)``.
  public static func open(directory: String, name: String) throws(MonitorError) -> SQLiteStore {
    SQLiteStore(try opened(.monitor, directory: directory, name: name))
  }

  /// Opens a fleet's store, or prepares to create the store. This function refuses the store of a monitor with
  /// ``MonitorError/invalidArgument(_:position:)``, as ``open(directory:name:)`` refuses the store of a fleet;
  /// otherwise, the two functions do the same.
  public static func open(fleet name: String, directory: String) throws(MonitorError) -> SQLiteStore {
    SQLiteStore(try opened(.fleet, directory: directory, name: name))
  }

  /// The result of opening the path of a store.
  private struct Opened {
    let kind: StoreKind
    let name: String
    var path: String
    var file: StoreFile?
    var database: StoreDatabase?
    var first: FirstVersion?
  }

  private init(_ opened: Opened) {
    (kind, name, path) = (opened.kind, opened.name, opened.path)
    (file, database, first) = (opened.file, opened.database, opened.first)
  }

  @_optimize(size)
  private static func opened(_ kind: StoreKind, directory: String, name: String) throws(MonitorError) -> Opened {
    guard MonitorEngine.isValidName(name) else { throw .invalidName(name) }
    let given = StoreFiles.path(of: name, in: directory)
    do throws(StoreFailure) {
      try StoreFiles.requireDirectory(directory)
      guard let resolved = try StoreFiles.resolve(given) else {
        try StoreFiles.requireNoRemains(of: given)
        return Opened(kind: kind, name: name, path: given)
      }
      var found = Opened(kind: kind, name: name, path: resolved)
      try StoreFiles.requireLength(resolved, limit: Connection.longestPath)
      let opened = try StoreFile.open(resolved)
      let page = opened.beginning(Schema.pageSize)
      if try version(page) == 1 {
        guard kind == .monitor else { throw .otherKind(.monitor) }
        found.first = try FirstVersion.open(resolved)
      } else {
        found.database = try StoreDatabase.open(kind, resolved, number: Schema.number(inPage: page), isForReading: true)
      }
      found.file = opened
      if opened.obstacle == nil { StoreFiles.sweepDrafts(of: resolved, beside: opened) }
      return found
    } catch {
      throw error.error(path: given, name: name)
    }
  }

  /// The version that the first page of a file states; the log may contain a newer version of the page.
  private static func version(_ page: [UInt8]) throws(StoreFailure) -> UInt64 {
    // SQLite file format, section 1.3: PRAGMA user_version is at byte 60, application_id at byte 68.
    guard page.count >= 100, page.starts(with: "SQLite format 3\0".utf8) else {
      throw .damaged("the file is not an SQLite database")
    }
    func number(at start: Int) -> UInt64 { page[start..<start + 4].reduce(0) { $0 << 8 | UInt64($1) } }
    guard number(at: 68) == Schema.applicationID else {
      throw .foreignFile(number(at: 68))
    }
    // According to section 1.3.3 of the SQLite file format, a value above 2 at byte 18 means that SQLite must not write
    // to the file. A value above 2 at byte 19 means that SQLite must not even read the file.
    guard page[18] <= 2, page[19] <= 2 else {
      throw .damaged("this version of SQLite does not support its newer file format")
    }
    let version = number(at: 60)
    if version != 1 { try Schema.check(version) }
    return version
  }

  public func read(_ receive: (MonitorRow) throws(MonitorError) -> Void) throws(MonitorError) {
    guard database != nil || first != nil else { return }
    // If the engine finds a defect, the message names the file, and the file stays unchanged.
    var refusal: MonitorError?
    do throws(StoreFailure) {
      let pass = { (row: MonitorRow) throws(StoreFailure) in
        do throws(MonitorError) {
          try receive(row)
        } catch {
          refusal = error
          throw .damaged("\(error)")
        }
      }
      try first?.readAll(pass)
      try database?.readAll(pass)
      sums = database?.sums
      isRead = true
    } catch {
      throw refused(refusal ?? failed(error))
    }
  }

  public func countDevices() throws(MonitorError) -> UInt64? {
    do throws(StoreFailure) { return try database?.countDevices() } catch { throw refused(failed(error)) }
  }

  public var family: UInt32? { kind == .fleet ? sums?.family : nil }

  public func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)? {
    guard kind == .fleet else { return nil }
    let joined = family ?? sums?.family ?? .random(in: .min ... .max)
    nextFamily = joined
    return (joined, changesFamily)
  }

  /// Whether the file must be replaced because the fleet has joined another family (see ``join(_:)``), and the disk has
  /// room for the new file.
  private var changesFamily: Bool {
    guard kind == .fleet, let sums, sums.family != nextFamily, nextFamily != nil, canReplace(rows: 0) else {
      return false
    }
    let size = (StoreFiles.size(path) ?? 0) + (StoreFiles.size(StoreFiles.log(of: path)) ?? 0)
    return StoreFiles.hasRoom(for: size * 2, beside: path)
  }

  public func refused(_ error: MonitorError) -> MonitorError {
    isRefused = true
    guard case .storeCorrupt(let reason) = error, !reason.beginsWithBytes(of: "the store ") else { return error }
    return failed(.damaged(reason))
  }

  public func write(_ changes: borrowing MonitorChanges) throws(MonitorError) { try write(changes: copy changes) }

  public func write(_ changes: borrowing FleetChanges) throws(MonitorError) { try write(changes: copy changes) }

  public var isFull: Bool {
    guard let roomWhenFull, let room = StoreFiles.room(beside: path) else { return false }
    return room <= roomWhenFull
  }

  private func write(changes: some StoredChanges) throws(MonitorError) {
    do throws(StoreFailure) {
      roomWhenFull = nil
      try requireUse()
      if first != nil { return try replaceFirst(changes) }
      guard file != nil else { return try create(changes) }
      draft = nil
      do throws(StoreFailure) {
        if isSpoilt { return try replaceSpoilt(changes) }
        try prepareToWrite()
        if changes.isWhole, changesFamily {
          if changeFamily(changes) { return try makeNameLast() }
          try prepareToWrite()
        }
        try database?.write(changes)
        sums = database?.sums
      } catch {
        throw error.whileWriting
      }
    } catch {
      if let room = StoreFiles.room(beside: path), room < Self.leastRoom { roomWhenFull = room }
      throw failed(error)
    }
  }

  /// Returns true if another program has changed the file or its log; the next write must then contain all rows. A file
  /// with unchanged contents does not count as changed, even if its modification time is new.
  public func mustWriteAll() -> Bool {
    guard !isSpoilt, process == StoreFiles.process, !isClosed, first == nil, sums != nil,
      let inPlace = try? file?.isInPlace(), inPlace
    else { return isSpoilt }
    let log = database?.log
    if let old = database {
      guard old.isTouched else { return false }
      old.leave()
      database = nil
    }
    do throws(StoreFailure) {
      database = try open()
    } catch {
      switch error {
      case .damaged, .tooNew: (isSpoilt, spoiltLog) = (true, log)
      case .busy, .unavailable, .otherKind: break
      }
    }
    return isSpoilt
  }

  public func canReplace(rows: Int) -> Bool {
    guard process == StoreFiles.process, !isClosed, database != nil, file?.obstacle == nil else { return false }
    return StoreFiles.hasRoom(for: rows * Self.roomForRow, beside: path)
  }

  public func replace(with image: inout MonitorImage, limit: Int) throws(MonitorError) -> Bool {
    do throws(StoreFailure) {
      try requireUse()
      if !image.isBegun { draft = try makeDraft() }
      guard let draft else { throw .unavailable("a part of the new file is lost") }
      try draft.fill(&image, limit: limit)
      guard image.isOver else { return false }
      try takePlace(draft)
      self.draft = nil
      return true
    } catch {
      draft = nil
      throw failed(error.whileWriting)
    }
  }

  public func check() throws(MonitorError) {
    guard process == StoreFiles.process else { return }
    do throws(StoreFailure) {
      try requirePlace()
      if let obstacle = file?.obstacle { throw obstacle }
    } catch { throw failed(error) }
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    guard process == StoreFiles.process else { return leaveToParent() }
    if isRead, !isRefused, file?.obstacle == nil { database?.end(isInPlace: (try? file?.isInPlace()) ?? false) }
    draft = nil
    database = nil
    first = nil
    file = nil
  }

  deinit {
    close()
  }

  private func failed(_ failure: StoreFailure) -> MonitorError { failure.error(path: path, name: name) }

  /// Throws if the store cannot be written for a reason other than a fault of the disk.
  private func requireUse() throws(StoreFailure) {
    guard process == StoreFiles.process else {
      leaveToParent()
      throw .unavailable("it was opened before fork(), in the parent process")
    }
    guard !isClosed else { throw .unavailable("the store is closed") }
    if file != nil { try requirePlace() }
    if let obstacle = file?.obstacle { throw obstacle }
  }

  /// Throws if the file was moved, deleted or replaced: writes to it would be lost, and the log at its path may belong
  /// to another file.
  private func requirePlace() throws(StoreFailure) {
    isGone = try file?.isInPlace() == false
    if isGone { throw .unavailable("the file was moved, deleted or replaced while it was open") }
  }

  /// Opens the file for writing if it is not open yet.
  private func prepareToWrite() throws(StoreFailure) {
    if let sums = database.flatMap({ $0.isForReading ? $0.sums : nil }) {
      database = nil
      database = try StoreDatabase.open(path, verified: sums)
    }
    // If another process has removed the log, closing copies the log's contents into the file, and a new log begins.
    if let old = database, !old.hasItsLog {
      old.end(isInPlace: false)
      database = nil
    }
    if database == nil { database = try open() }
    try makeNameLast()
  }

  /// Reopens the file, which this object has already read or written.
  private func open() throws(StoreFailure) -> StoreDatabase {
    let opened = try StoreDatabase.open(kind, path, number: nil)
    try opened.readAll { _ in }
    if let sums, sums != opened.sums { throw .damaged("another process has written to the file") }
    return opened
  }

  /// After `fork()`, the child must not even close SQLite's connection: this would remove the log to which the parent
  /// still writes. Therefore the child leaves the connection open and discards its own reference to the connection. The
  /// descriptor of the file must be closed; otherwise the name would stay locked for as long as this process lives.
  private func leaveToParent() {
    if let database { _ = Unmanaged.passRetained(database) }
    if let first { _ = Unmanaged.passRetained(first) }
    draft = nil
    database = nil
    first = nil
    file = nil
    isClosed = true
  }

  /// Creates the file with its full contents, and opens it. If the file cannot be created or opened, no part of it
  /// remains.
  private func create(_ changes: some StoredChanges) throws(StoreFailure) {
    try StoreFiles.requireNoRemains(of: path)
    let draft: StoreDraft
    do throws(StoreFailure) {
      draft = try makeDraft()
      try draft.fill(changes)
      try draft.publish(as: path)
    } catch {
      // Perhaps another process created the file first, and removed this draft before the draft was locked.
      if StoreFiles.size(path) != nil { throw .busy }
      throw error
    }
    do throws(StoreFailure) {
      database = try open()
    } catch {
      StoreFiles.remove(path)
      throw error
    }
    sums = draft.sums
    isRead = true
    file = draft.file
    StoreFiles.sweepDrafts(of: path, beside: file)
  }

  /// Replaces a file of version 1 with a file of the present version, in one step: before this step the old file is
  /// complete, and after it the new file is complete.
  private func replaceFirst(_ changes: some StoredChanges) throws(StoreFailure) {
    guard changes.isWhole else { throw .unavailable("the file has version 1, which only a full save replaces") }
    let draft = try makeDraft()
    do throws(StoreFailure) {
      try draft.fill(changes)
      try first?.foldLog()
      first = nil
      // The removal of the old log must be durable before the new file gets its name.
      try StoreFiles.synchroniseDirectory(of: path)
      try draft.replace(path)
    } catch {
      if first == nil { first = try FirstVersion.open(path) }
      throw error
    }
    try use(draft)
  }

  /// Writes a new file in place of a file that another program has modified.
  private func replaceSpoilt(_ changes: some StoredChanges) throws(StoreFailure) {
    guard changes.isWhole else {
      throw .unavailable("another process has written to the file; only a full save replaces it")
    }
    let draft = try makeDraft()
    try draft.fill(changes)
    let log = StoreFiles.log(of: path)
    if let spoiltLog, FileIdentity(path: log) == spoiltLog { StoreFiles.remove(log) }
    try StoreFiles.requireNoRemains(of: path)
    try StoreFiles.synchroniseDirectory(of: path)
    try draft.replace(path)
    isSpoilt = false
    try use(draft)
  }

  /// Replaces the file with a new file, whose family is `nextFamily`.
  ///
  /// - Returns: Whether the file was replaced. If the file was not replaced, it stays as it was, and this object does
  ///   not try again to replace it.
  private func changeFamily(_ changes: some StoredChanges) -> Bool {
    do throws(StoreFailure) {
      let draft = try makeDraft()
      try draft.fill(changes)
      try takePlace(draft)
      return true
    } catch {
      nextFamily = sums?.family
      return false
    }
  }

  private func makeDraft() throws(StoreFailure) -> StoreDraft {
    try StoreDraft.make(kind, of: path, family: nextFamily)
  }

  /// Uses the file of a draft from now on; the draft has already replaced the previous file.
  private func use(_ draft: StoreDraft) throws(StoreFailure) {
    file = draft.file
    hasLastingName = false
    sums = draft.sums
    database = try open()
    try makeNameLast()
  }

  /// Replaces the file with the complete file of a draft. Once the file has been renamed, no error is thrown: the next
  /// write opens the new file and makes the rename durable.
  private func takePlace(_ draft: StoreDraft) throws(StoreFailure) {
    try database?.foldAway()
    let sums = database?.sums
    database = nil
    do throws(StoreFailure) {
      // The removal of the old log must be durable before the new file gets its name.
      try StoreFiles.requireNoRemains(of: path)
      try StoreFiles.synchroniseDirectory(of: path)
      try draft.replace(path)
    } catch {
      if let sums { database = try? StoreDatabase.open(path, verified: sums) }
      throw error
    }
    file = draft.file
    hasLastingName = false
    self.sums = draft.sums
    database = try? StoreDatabase.open(path, verified: draft.sums)
  }

  /// Fsyncs the directory after the rename. Until the directory is fsynced, writes to the new file are not durable.
  private func makeNameLast() throws(StoreFailure) {
    guard !hasLastingName else { return }
    try StoreFiles.synchroniseDirectory(of: path)
    hasLastingName = true
  }
}
