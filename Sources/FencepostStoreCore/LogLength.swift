/// The length of a store's log at which the log is checkpointed into the file. The log keeps its space on the disk, so
/// that the next changes still fit if other programs fill the disk.
///
/// A checkpoint waits for the disk three times: for the log, for the file, and for the restarted log. An event writes
/// about five pages.
enum LogLength {
  /// The log is checkpointed at 256 pages: a store then waits for the disk about three times for every fifty events.
  case short
  /// The log is checkpointed at 4 096 pages, so a store waits for the disk about three times for every eight hundred
  /// events. These pages must be a small part of the free space.
  case long

  /// The free disk space required for a long log.
  static let roomForLong = 256 << 20

  /// The SQLite settings: the log's limit in pages, and the length in bytes to which a longer log is truncated when it
  /// restarts.
  var pragmas: StaticString {
    switch self {
    case .short: "PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=270336"
    case .long: "PRAGMA wal_autocheckpoint=4096; PRAGMA journal_size_limit=4325376"
    }
  }

  /// The largest length of the log. If a large write, or a disk that had more space, has made the log longer, the log
  /// is truncated at once. In bytes.
  var most: Int {
    switch self {
    case .short: 1 << 20
    case .long: 5 << 20
    }
  }
}
