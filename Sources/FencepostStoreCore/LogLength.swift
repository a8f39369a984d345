/// How long a store's log becomes before it is folded into the file. It keeps that room on the disk, so that a disk that is
/// filled by others still takes the next changes.
///
/// Folding in waits for the disk three times: for the log, for the file, and for the log that begins anew. An event writes
/// about five pages.
enum LogLength {
  /// 256 pages: three waits for some fifty events.
  case short
  /// 4 096 pages, where that is little of the room that there is: three waits for some eight hundred events.
  case long

  /// How much room a disk must have left for a long log.
  static let roomForLong = 256 << 20

  /// The limit in pages, and what the log is cut to when it begins anew after it has grown longer.
  var pragmas: StaticString {
    switch self {
    case .short: "PRAGMA wal_autocheckpoint=256; PRAGMA journal_size_limit=270336"
    case .long: "PRAGMA wal_autocheckpoint=4096; PRAGMA journal_size_limit=4325376"
    }
  }

  /// A log that a large write, or a disk with more room, has made longer than this is cut off at once, in bytes.
  var most: Int {
    switch self {
    case .short: 1 << 20
    case .long: 5 << 20
    }
  }
}
