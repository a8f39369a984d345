/// Reading ahead. Of a million conditions hardly any is in a cache, and each read is a trip to memory; reads of which
/// none waits for another overlap, while one crossing or event after the other would wait for each.
enum ReadAhead {
  /// Events that are read ahead at a time: enough for their reads to overlap, few enough to stay in the first cache.
  static let block = 32
}
