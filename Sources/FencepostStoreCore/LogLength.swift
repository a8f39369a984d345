/// The length of a store's log at which the log is checkpointed into the file. The log keeps its space on the disk, so
/// that the next changes still fit if other programs fill the disk.
///
/// A checkpoint waits for the disk three times: for the log, for the file, and for the restarted log. Saving an event
/// writes about five pages.
enum LogLength {
  /// The log is checkpointed at 256 pages, that is, after about 50 events.
  case short
  /// The log is checkpointed at 4 096 pages, that is, after about 800 events. A log of 4 096 pages must be a small part
  /// of the free disk space.
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

  /// The largest length of the log, in bytes. If a large write has made the log longer, or if the log grew while the
  /// disk had more free space, the log is truncated at once.
  var most: Int {
    switch self {
    case .short: 1 << 20
    case .long: 5 << 20
    }
  }
}
