import CPlatform
import CPosix

/// A store's file, which is open and locked for as long as this object lives.
///
/// The lock covers the bytes that SQLite locks in every database file (`os_unix.c`: 510 bytes from 2³⁰ + 2 on for
/// readers, and the two bytes before them for writers). While a writable file is locked, no other copy of the SQLite
/// library can use it, not even a copy in the same process. The lock belongs to this open file description, not to the
/// process. If other code in the process, such as a backup, opens and closes the same file, SQLite's own lock is
/// released, but this lock is not. SQLite itself opens the file without locking it.
///
/// A read-only file gets a shared lock on the bytes that SQLite locks, which keeps out writers, and a lock by `flock`,
/// which keeps out other readers.
final class StoreFile {
  private var path: String
  private let descriptor: Int32
  private let identity: FileIdentity
  /// The process that locked the file. A child created by `fork()` shares the open file description, and must not
  /// unlock the file.
  private let process = getpid()
  /// The reason why the file can be read but not written; `nil` if it can be written.
  let obstacle: StoreFailure?

  /// Opens and locks a file that exists.
  ///
  /// - Throws: ``StoreFailure/busy`` if the file is already open, in another process or elsewhere in this process.
  static func open(_ path: String) throws(StoreFailure) -> StoreFile {
    var attempts = 0
    while true {
      // Check the file's type before opening the file, because opening a pipe or a device may block or have side
      // effects.
      try requireRegular(path)
      var opened = cposix_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      var obstacle: StoreFailure?
      if opened < 0, [EACCES, EPERM, EROFS].contains(cposix_errno()) {
        obstacle = SystemFailure.last("the file cannot be opened for writing")
        opened = cposix_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      }
      guard opened >= 0 else { throw SystemFailure.notOpened }
      do throws(StoreFailure) {
        try lock(opened, isShared: obstacle != nil)
      } catch {
        _ = close(opened)
        throw error
      }
      // Another process may have replaced the file after it was opened and before it was locked.
      if let own = FileIdentity(descriptor: opened), own == FileIdentity(path: path) {
        return StoreFile(path, opened, own, obstacle)
      }
      _ = close(opened)
      attempts += 1
      guard attempts < 100 else { throw .busy }
    }
  }

  private init(_ path: String, _ descriptor: Int32, _ identity: FileIdentity, _ obstacle: StoreFailure?) {
    self.path = path
    self.descriptor = descriptor
    self.identity = identity
    self.obstacle = obstacle
  }

  deinit {
    if process == getpid() {
      _ = cplatform_lock_range(descriptor, Int32(F_UNLCK), Self.lockStart, Self.lockLength)
      if obstacle != nil { _ = flock(descriptor, LOCK_UN) }
    }
    _ = close(descriptor)
  }

  /// Whether the file still has its name: it has not been moved, deleted or replaced.
  ///
  /// - Throws: An error if the file's status cannot be read, for example because a directory can no longer be entered.
  func isInPlace() throws(StoreFailure) -> Bool {
    if let found = FileIdentity(path: path) { return found == identity }
    if cposix_errno() == ENOENT || cposix_errno() == ENOTDIR { return false }
    throw SystemFailure.last("cannot get the file's status")
  }

  /// Whether the file at a path is the file of this object.
  func isSame(as path: String) -> Bool { FileIdentity(path: path) == identity }

  /// The first bytes of the file as they are on disk, regardless of a log next to it.
  func beginning(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(read, 0)))
  }

  /// Records the new path of the file after the file was renamed.
  func isNamed(_ path: String) {
    self.path = path
  }

  /// Whether a file can be locked and is not open in any process; also `false` if this cannot be determined.
  static func isAbandoned(_ path: String) -> Bool {
    let descriptor = cposix_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { _ = close(descriptor) }
    return (try? lock(descriptor)) != nil
  }

  private static func requireRegular(_ path: String) throws(StoreFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemFailure.notLookedAt }
    guard cposix_is_file(&status) != 0 else { throw .damaged("the path is not a regular file") }
    guard status.st_size > 0 else { throw .damaged("the file is empty") }
  }

  private static func lock(_ descriptor: Int32, isShared: Bool = false) throws(StoreFailure) {
    guard cplatform_lock_range(descriptor, Int32(isShared ? F_RDLCK : F_WRLCK), lockStart, lockLength) == 0 else {
      switch cposix_errno() {
      case EAGAIN, EACCES: throw .busy
      default: throw SystemFailure.last("the file cannot be locked")
      }
    }
    if isShared, flock(descriptor, LOCK_EX | LOCK_NB) != 0, cposix_would_block() != 0 { throw .busy }
  }

  /// The bytes that SQLite locks in every database file.
  private static let lockStart: Int64 = 1 << 30
  private static let lockLength: Int64 = 512
}

/// The last system error.
enum SystemFailure {
  static func last(_ what: String) -> StoreFailure {
    let number = cposix_errno()
    let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
    return .unavailable("\(what): \(reason)")
  }

  static var notOpened: StoreFailure { last("the file cannot be opened") }
  static var notLookedAt: StoreFailure { last("cannot get the file's status") }
  static var notMade: StoreFailure { last("cannot create a file") }
}
