import CPosix

/// The identity of a file, independent of its name.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// A file at one moment: its identity, its length, and the time of its last write. If another program writes to
/// the file, the file no longer has this state.
struct FileState: Equatable {
  let identity: FileIdentity
  let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// `nil` if there is no file.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(status)
    size = Int64(status.st_size)
    seconds = cposix_written_seconds(&status)
    nanoseconds = cposix_written_nanoseconds(&status)
  }
}
