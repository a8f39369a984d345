import CPosix
import FencepostCore

/// The file system operations that a store needs but that SQLite does not perform.
enum StoreFiles {
  /// The number of this process.
  static var process: Int32 { getpid() }

  static func requireDirectory(_ path: String) throws(StoreFailure) {
    var status = stat()
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .unavailable("the directory's path is empty") }
    guard stat(path, &status) == 0 else { throw SystemFailure.last("the directory \(path) cannot be found") }
    guard cposix_is_directory(&status) != 0 else { throw .unavailable("\(path) is not a directory") }
  }

  /// The absolute path of a monitor's file; it must be absolute because the process may change its working directory
  /// while the file is open. If the current directory has no path, the result begins with a dot, so that it cannot be
  /// mistaken for a URI.
  static func path(of name: String, in directory: String) -> String {
    let start = directory.beginsWithBytes(of: "/") ? "" : "\(currentDirectory ?? ".")/"
    return "\(start)\(directory)\(directory.utf8.last == UInt8(ascii: "/") ? "" : "/")\(name).fencepost"
  }

  private static var currentDirectory: String? {
    // The path does not begin with a slash if the directory cannot be reached from the root.
    guard let current = getcwd(nil, 0) else { return nil }
    defer { free(current) }
    let path = String(cString: current)
    guard path.beginsWithBytes(of: "/") else { return nil }
    return path.utf8.count == 1 ? "" : path
  }

  /// If a path names a symbolic link, returns the path of the file that the link leads to, because SQLite keeps the log
  /// beside that file.
  ///
  /// - Returns: `nil` if there is no file.
  static func resolve(_ path: String) throws(StoreFailure) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if cposix_errno() == ENOENT { return nil }
      throw SystemFailure.notLookedAt
    }
    guard cposix_is_link(&status) != 0 else { return path }
    guard let resolved = realpath(path, nil) else {
      throw SystemFailure.last("the file is a symbolic link without a target")
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Refuses a path that is too long for SQLite to open.
  ///
  /// - Parameter limit: The longest allowed path, in bytes, counted from the root.
  static func requireLength(_ path: String, limit: Int) throws(StoreFailure) {
    let length = path.utf8.count
    guard length <= limit else {
      throw .unavailable("its path has \(length) bytes; the limit is \(limit)")
    }
  }

  /// Throws if a file next to a new store's path would become part of the store.
  static func requireNoRemains(of path: String) throws(StoreFailure) {
    for log in [log(of: path), journal(of: path)] where (size(log) ?? 0) > 0 {
      throw .damaged(
        "\(log) exists, but the store itself is missing: restore the file beside its log, or remove the log to start a new store"
      )
    }
  }

  static func log(of path: String) -> String { path + "-wal" }
  static func journal(of path: String) -> String { path + "-journal" }

  /// Creates an empty hidden file in the same directory, which only the user can access, and returns its path.
  static func makeDraft(of path: String) throws(StoreFailure) -> String {
    var template = Array("\(draftPrefix(of: path))XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemFailure.notMade }
    let draft = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = cposix_set_descriptor_flags(descriptor, FD_CLOEXEC)
    // Write one byte, because an empty file would be refused: it is not a store.
    let isBegun = pwrite(descriptor, [0], 1, 0) == 1
    _ = close(descriptor)
    guard isBegun else {
      remove(draft)
      throw SystemFailure.notMade
    }
    return draft
  }

  private static func draftPrefix(of path: String) -> String {
    let (directory, name) = split(path)
    return "\(directory).\(name)-"
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    let bytes = Array(path.utf8)
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return (String(decoding: bytes[..<start], as: UTF8.self), String(decoding: bytes[start...], as: UTF8.self))
  }

  /// Removes drafts left behind by processes that ended while they were creating a store.
  static func sweepDrafts(of path: String, beside file: StoreFile?) {
    let (directory, name) = split(path)
    guard let listing = opendir(directory) else { return }
    defer { closedir(listing) }
    let prefix = ".\(name)-"
    while let entry = readdir(listing) {
      let found = String(cString: cposix_entry_name(entry))
      guard found.beginsWithBytes(of: prefix), found.utf8.count == prefix.utf8.count + 6 else { continue }
      let draft = directory + found
      // A process gives the finished draft the final name of the store before it removes the draft's name. If the
      // process ended between these two steps, both names refer to the store.
      if file?.isSame(as: draft) == true || StoreFile.isAbandoned(draft) { remove(draft) }
    }
  }

  /// Gives a complete draft its final name; throws if a file with this name already exists.
  static func publish(_ draft: String, as path: String) throws(StoreFailure) {
    guard link(draft, path) == 0 else {
      if cposix_errno() == EEXIST { throw .busy }
      throw SystemFailure.last("the new file cannot be renamed")
    }
    do throws(StoreFailure) {
      try synchroniseDirectory(of: path)
    } catch {
      remove(path)
      throw error
    }
    remove(draft)
  }

  /// Whether the file system that contains a file has at least 1.25 × `bytes` free bytes.
  static func hasRoom(for bytes: Int, beside path: String) -> Bool {
    guard let room = room(beside: path) else { return false }
    return room > UInt64(bytes) + UInt64(bytes) / 4
  }

  /// The number of free bytes in the file system that contains a file; `nil` if the file system does not report it.
  static func room(beside path: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let room = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return room.overflow ? .max : room.partialValue
  }

  /// Fsyncs the directory that contains a file.
  static func synchroniseDirectory(of path: String) throws(StoreFailure) {
    let descriptor = cposix_open(split(path).directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      // A directory that may be written but not read cannot be fsynced.
      if cposix_errno() == EACCES { return }
      throw SystemFailure.last("the directory cannot be opened")
    }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 || cposix_errno() == EINVAL else {
      throw SystemFailure.last("the directory cannot be written")
    }
  }

  /// Replaces a file with a complete file, and gives the new file the permissions and, if allowed, the owner of the old
  /// one.
  static func replace(_ path: String, by draft: String) throws(StoreFailure) {
    var status = stat()
    if stat(path, &status) == 0 {
      _ = chown(draft, status.st_uid, status.st_gid)
      _ = chmod(draft, status.st_mode & 0o777)
    }
    guard rename(draft, path) == 0 else { throw SystemFailure.last("the file cannot be replaced") }
  }

  /// Marks a database as one with a log, as `PRAGMA journal_mode=WAL` does, but without the journal that the pragma
  /// would need.
  ///
  /// In the SQLite file format (section 1.3), a database with a log has 2 as its write version (byte 18) and its read
  /// version (byte 19).
  static func markLogged(_ path: String) throws(StoreFailure) {
    let descriptor = cposix_open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure.notOpened }
    defer { _ = close(descriptor) }
    guard pwrite(descriptor, [2, 2] as [UInt8], 2, 18) == 2, fsync(descriptor) == 0 else {
      throw SystemFailure.last("the file cannot be written")
    }
  }

  /// The first bytes of a file; fewer bytes if the file is shorter or cannot be read.
  static func beginning(of path: String, _ count: Int) -> [UInt8] {
    let descriptor = cposix_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(read, 0)))
  }

  static func removeEmptyLog(of path: String) {
    if size(log(of: path)) == 0 { remove(log(of: path)) }
  }

  static func remove(_ path: String) {
    _ = unlink(path)
  }

  /// The size of a file; `nil` if it does not exist.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}
