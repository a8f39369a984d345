extension DoubtChain {
  func encode(to writer: inout ByteWriter) {
    writer.putCompact(count)
    guard !isEmpty else { return }
    first.encode(to: &writer)
    last.encode(to: &writer)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let count: UInt64 = try reader.takeCompact("doubted fixes in a row", in: 0...EngineRestorer.largest)
    guard count > 0 else {
      self.init()
      return
    }
    self.init(count: count, first: try Fix(reading: &reader), last: try Fix(reading: &reader))
    guard first.time <= last.time else { throw Damage("the doubted fixes are not in order") }
  }
}

extension Plausibility? {
  /// Writes a speed, which is 0 for no limit; the other values follow only if there is a limit.
  func encode(to writer: inout ByteWriter) {
    writer.putCompact(self?.speed ?? 0)
    guard let self else { return }
    writer.putCompact(UInt64(self.corroborationCount))
    writer.putCompact(self.corroborationTimeMicroseconds)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let speed = try reader.takeCompactDouble()
    guard speed != 0 else {
      self = nil
      return
    }
    let plausibility = Plausibility(
      speed: speed, corroborationCount: try reader.takeCompact("corroboration_count", in: 0...1_000),
      corroborationTimeMicroseconds: try reader.takeSigned())
    if let defect = plausibility.defect { throw Damage(defect) }
    self = plausibility
  }
}
