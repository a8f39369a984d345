#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a store asks of the file system beside SQLite.
enum StoreFiles {
  /// The number of this process.
  static var process: Int32 { getpid() }

  static func requireDirectory(_ path: String) throws(StoreFailure) {
    var status = stat()
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .unavailable("the directory has no name") }
    guard stat(path, &status) == 0 else { throw failure("the directory \(path) cannot be found") }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .unavailable("\(path) is not a directory") }
  }

  static func exists(_ path: String) throws(StoreFailure) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw failure("the file cannot be looked at")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged("it is not a file") }
    guard status.st_size > 0 else { throw .damaged("it is empty") }
    return true
  }

  /// Makes an empty file for the user alone, hidden, in the same directory, and returns its path.
  static func makeDraft(beside path: String) throws(StoreFailure) -> String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var template = Array("\(path[..<slash]).\(path[slash...])-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure("no file can be made") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = close(descriptor)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Gives a complete file its name, unless another process was faster.
  static func publish(_ draft: String, as path: String, in directory: String) throws(StoreFailure) {
    guard link(draft, path) == 0 else {
      if errno == EEXIST { throw .busy }
      throw failure("the file cannot be given its name")
    }
    _ = unlink(draft)
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    _ = close(descriptor)
  }

  static func remove(_ path: String) {
    _ = unlink(path)
  }

  /// The size of a file; `nil` when it is not there.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  private static func failure(_ what: String) -> StoreFailure {
    let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    return .unavailable("\(what): \(reason)")
  }
}
